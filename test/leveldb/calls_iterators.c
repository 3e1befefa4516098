/* test/leveldb/calls_iterators.c: walking, batches and snapshots. */
#include "leveldb/calls.h"

static void tell_place(const char *what, const leveldb_iterator_t *it)
{
    size_t key_len, value_len;
    char *error = NULL;
    printf("%s: ", what);
    if (leveldb_iter_valid(it)) {
        const char *key = leveldb_iter_key(it, &key_len), *value = leveldb_iter_value(it, &value_len);
        print_bytes(key, key_len);
        printf("=");
        print_bytes(value, value_len);
        printf("\n");
    } else {
        printf("nowhere\n");
    }
    leveldb_iter_get_error(it, &error);
    must(error, what);
}

static void walk(const char *what, leveldb_iterator_t *it)
{
    printf("-- %s\n", what);
    tell_place("at first", it);
    leveldb_iter_seek_to_first(it);
    tell_place("first", it);
    leveldb_iter_next(it);
    tell_place("next", it);
    leveldb_iter_next(it);
    tell_place("next", it);
    leveldb_iter_prev(it);
    tell_place("prev", it);
    leveldb_iter_prev(it);
    tell_place("prev", it);
    leveldb_iter_prev(it);
    tell_place("prev", it);
    leveldb_iter_seek_to_last(it);
    tell_place("last", it);
    leveldb_iter_prev(it);
    tell_place("prev", it);
    leveldb_iter_next(it);
    tell_place("next", it);
    leveldb_iter_next(it);
    tell_place("next", it);
    leveldb_iter_seek(it, "b", 1);
    tell_place("seek b", it);
    leveldb_iter_seek(it, "d", 1);
    tell_place("seek d, which is deleted", it);
    leveldb_iter_prev(it);
    tell_place("prev", it);
    leveldb_iter_seek(it, "", 0);
    tell_place("seek the empty key", it);
    leveldb_iter_seek(it, "zz", 2);
    tell_place("seek zz", it);
}

void iterators(const char *directory)
{
    char *path = path_in(directory, "iterators");
    leveldb_t *db = open_db(path, NULL);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_iterator_t *it = leveldb_create_iterator(db, r);
    printf("-- an empty store\n");
    leveldb_iter_seek_to_first(it);
    tell_place("first", it);
    leveldb_iter_seek_to_last(it);
    tell_place("last", it);
    leveldb_iter_seek(it, "x", 1);
    tell_place("seek", it);
    leveldb_iter_destroy(it);

    put(db, "a", "1");
    put(db, "c", "old");
    put(db, "d", "4");
    put(db, "e", "5");
    put(db, "c", "3");
    drop(db, "d");
    it = leveldb_create_iterator(db, r);
    put(db, "aa", "after the iterator");
    drop(db, "e");
    walk("in memory, as it was when the iterator was made", it);
    leveldb_iter_destroy(it);
    drop(db, "aa");
    put(db, "e", "5");
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    it = leveldb_create_iterator(db, r);
    walk("in tables", it);
    leveldb_iter_destroy(it);
    leveldb_readoptions_destroy(r);
    leveldb_close(db);
    free(path);
}

/* ---- batches ---- */

static void note_put(void *state, const char *key, size_t key_len, const char *value, size_t value_len)
{
    ++*(int *)state;
    printf(" put ");
    print_bytes(key, key_len);
    printf("=");
    print_bytes(value, value_len);
}

static void note_deleted(void *state, const char *key, size_t key_len)
{
    ++*(int *)state;
    printf(" delete ");
    print_bytes(key, key_len);
}

static void tell_batch(const char *what, const leveldb_writebatch_t *batch)
{
    int count = 0;
    printf("%s:", what);
    leveldb_writebatch_iterate(batch, &count, note_put, note_deleted);
    printf(" (%d)\n", count);
}

void batches(const char *directory)
{
    char *path = path_in(directory, "batches"), *error = NULL;
    leveldb_t *db = open_db(path, NULL);
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    leveldb_writebatch_t *b = leveldb_writebatch_create(), *more = leveldb_writebatch_create();
    tell_batch("a new batch", b);
    leveldb_write(db, w, b, &error);
    tell("writing it", &error);
    leveldb_writebatch_put(b, "foo", 3, "a", 1);
    leveldb_writebatch_clear(b);
    tell_batch("cleared", b);
    leveldb_writebatch_put(b, "bar", 3, "b", 1);
    leveldb_writebatch_put(b, "box", 3, "c", 1);
    leveldb_writebatch_put(b, "", 0, "", 0);
    leveldb_writebatch_delete(b, "bar", 3);
    tell_batch("filled", b);
    leveldb_writebatch_append(more, b);
    leveldb_writebatch_put(more, "box", 3, "later", 5);
    leveldb_writebatch_delete(more, "\0\xff", 2);
    leveldb_writebatch_append(b, more);
    tell_batch("with another behind", b);
    tell_batch("that other", more);
    leveldb_write(db, w, b, &error);
    tell("writing it", &error);
    tell_all("store", db, NULL);
    tell_batch("and the batch is still", b);
    put(db, "box", "overwritten");
    leveldb_writeoptions_set_sync(w, 1);
    leveldb_write(db, w, b, &error);
    tell("writing it again", &error);
    leveldb_writeoptions_set_sync(w, 0);
    leveldb_writebatch_put(b, "new", 3, "n", 1);
    leveldb_write(db, w, b, &error);
    tell("and with one more", &error);
    tell_all("store", db, NULL);
    leveldb_writebatch_destroy(b);
    leveldb_writebatch_destroy(more);
    leveldb_close(db);
    db = open_db(path, NULL);
    tell_all("after closing and opening", db, NULL);
    leveldb_close(db);
    leveldb_writeoptions_destroy(w);
    free(path);
}

/* ---- snapshots ---- */

void snapshots(const char *directory)
{
    char *path = path_in(directory, "snapshots"), *error = NULL;
    leveldb_t *db = open_db(path, NULL);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    const leveldb_snapshot_t *empty = leveldb_create_snapshot(db);
    put(db, "a", "1");
    put(db, "b", "1");
    const leveldb_snapshot_t *early = leveldb_create_snapshot(db);
    put(db, "a", "2");
    drop(db, "b");
    put(db, "c", "2");
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    tell_all("now", db, NULL);
    leveldb_readoptions_set_snapshot(r, early);
    tell_all("early", db, r);
    size_t len;
    char *value = leveldb_get(db, r, "b", 1, &len, &error);
    must(error, "get");
    tell_bytes("b, early", value, len);
    leveldb_free(value);
    leveldb_readoptions_set_snapshot(r, empty);
    tell_all("empty", db, r);
    leveldb_release_snapshot(db, empty);
    leveldb_readoptions_set_snapshot(r, NULL);
    tell_all("now", db, r);
    leveldb_release_snapshot(db, early);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    tell_all("now", db, r);
    leveldb_readoptions_destroy(r);
    leveldb_close(db);
    free(path);
}
