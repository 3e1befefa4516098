/* test/chainstate/block_files_test.c: block and undo files: Core's, our own, damaged ones, and disks that fail. */
#include "index_helpers.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "chainstate/block_files.h"
#include "support/fault_env.h"
#include "support/memory_env.h"

/* ---- a folder with its index ---- */

/* The index is on a disk of its own, which never fails. */
typedef struct room {
    lode_env *env;
    lode_env *index_env;
    const char *blocks;
    lode_block_index *index;
    lode_block_files *files;
} room;

static lode_status try_files(room *r, bool random_key)
{
    lode_block_files_options o = {
        .path = r->blocks, .params = regtest(), .index = r->index, .env = r->env, .random_xor_key = random_key
    };

    return lode_block_files_open(&r->files, &o);
}

static room begin(lode_env *env, const char *blocks, bool random_key)
{
    room r = { .env = env, .index_env = lode_memory_env_create(), .blocks = blocks };

    r.index = open_index(r.index_env, "/index");
    assert_ok(lode_env_make_path(env, blocks));
    assert_ok(try_files(&r, random_key));
    return r;
}

static void end(room *r)
{
    lode_block_files_close(r->files);
    assert_ok(lode_block_index_close(r->index));
    lode_memory_env_destroy(r->index_env);
}

/* What a restart finds: the index as it was last written. */
static void restart(room *r)
{
    lode_block_files_close(r->files);
    assert_ok(lode_block_index_close(r->index));
    r->index = open_index(r->index_env, "/index");
    assert_ok(try_files(r, false));
}

/* Bytes that tell which record they are of. */
static uint8_t *make_bytes(uint32_t which, size_t len)
{
    uint8_t *p = malloc(len ? len : 1);
    uint64_t x = which * UINT64_C(0x9e3779b97f4a7c15) + 1;

    assert_non_null(p);
    for (size_t i = 0; i < len; i++) {
        x = x * UINT64_C(6364136223846793005) + 1;
        p[i] = (uint8_t)(x >> 56);
    }
    return p;
}

typedef struct record {
    int32_t file;
    uint32_t pos, which;
    size_t len;
} record;

static lode_status append(room *r, record *out, uint32_t which, size_t len)
{
    uint8_t *bytes = make_bytes(which, len);
    record rec = { 0, 0, which, len };
    lode_status s = lode_block_files_append_block(r->files, &rec.file, &rec.pos, bytes, (uint32_t)len, (int32_t)which,
                                                  1000 + which);

    free(bytes);
    if (!lode_failed(s))
        *out = rec;
    return s;
}

static lode_status append_undo(room *r, record *out, int32_t file, uint32_t which, size_t len)
{
    uint8_t *bytes = make_bytes(which, len);
    lode_block_hash prev = { { (uint8_t)which } };
    record rec = { file, 0, which, len };
    lode_status s = lode_block_files_append_undo(r->files, &rec.pos, file, bytes, len, &prev);

    free(bytes);
    if (!lode_failed(s))
        *out = rec;
    return s;
}

static void assert_block(room *r, const record *rec)
{
    uint8_t *bytes = make_bytes(rec->which, rec->len);
    lode_buf got = LODE_BUF_EMPTY;

    assert_ok(lode_block_files_read_block(r->files, &got, rec->file, rec->pos));
    assert_int_equal(got.len, rec->len);
    assert_memory_equal(got.data, bytes, rec->len);
    lode_buf_clear(&got);
    free(bytes);
}

static void assert_undo(room *r, const record *rec)
{
    uint8_t *bytes = make_bytes(rec->which, rec->len);
    lode_block_hash prev = { { (uint8_t)rec->which } }, other = { { (uint8_t)rec->which, 1 } };
    lode_buf got = LODE_BUF_EMPTY;

    assert_ok(lode_block_files_read_undo(r->files, &got, rec->file, rec->pos, &prev));
    assert_int_equal(got.len, rec->len);
    assert_memory_equal(got.data, bytes, rec->len);
    assert_code(lode_block_files_read_undo(r->files, &got, rec->file, rec->pos, &other), LODE_CORRUPT);
    lode_buf_clear(&got);
    free(bytes);
}

static lode_buf whole_file(lode_env *env, const char *path)
{
    lode_buf all = LODE_BUF_EMPTY;

    assert_ok(lode_env_read_file(env, &all, path, 512 << 20));
    return all;
}

static uint64_t file_size(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists;

    assert_ok(env->path_info(env, &exists, &info, path));
    return exists ? info.size_bytes : 0;
}

/* ---- what Core wrote ---- */

typedef struct given {
    room r;
    size_t blocks, undos;
    lode_buf buf;
} given;

static bool check_stored(void *context, lode_entry *e)
{
    given *g = context;
    lode_block_hash hash;

    if (e->status & LODE_BLOCK_HAVE_DATA) {
        assert_ok(lode_block_files_read_block(g->r.files, &g->buf, e->file, e->data_pos));
        lode_sha256d(hash.bytes, g->buf.data, LODE_HEADER_SIZE);
        assert_true(lode_block_hash_is_equal(&hash, &e->node.hash));
        g->blocks++;
    }
    if (e->status & LODE_BLOCK_HAVE_UNDO) {
        assert_ok(lode_block_files_read_undo(g->r.files, &g->buf, e->file, e->undo_pos, &e->node.header.prev));
        assert_true(g->buf.len >= 1);
        g->undos++;
    }
    return true;
}

static void check_given(const char *name, size_t blocks, size_t undos)
{
    char *directory = given_directory_unpack(name);
    given g = { .blocks = 0 };
    char path[1024];

    if (!directory)
        return;
    snprintf(path, sizeof path, "%s/%s/regtest/blocks", directory, name);
    g.r.index = open_index(lode_env_system(), test_path(path, "index"));
    lode_block_files_options o = {
        .path = path, .params = regtest(), .index = g.r.index, .env = lode_env_system(), .read_only = true
    };
    assert_ok(lode_block_files_open(&g.r.files, &o));
    assert_false(lode_read_le64(lode_block_files_xor_key(g.r.files)) == 0);
    lode_block_index_visit(g.r.index, &g, check_stored);
    assert_int_equal(g.blocks, blocks);
    assert_int_equal(g.undos, undos);
    lode_buf_clear(&g.buf);
    lode_block_files_close(g.r.files);
    assert_ok(lode_block_index_close(g.r.index));
    test_directory_remove(directory);
}

static void every_block_and_undo_of_cores_is_read(void **state)
{
    check_given("core-regtest", 266, 265);
    check_given("core-forks", 298, 291); /* stale and invalid blocks were never connected */
}

typedef struct ordered {
    const lode_entry *entries[512];
    size_t count;
    bool undo;
} ordered;

static bool collect(void *context, lode_entry *e)
{
    ordered *o = context;
    uint32_t pos = o->undo ? e->undo_pos : e->data_pos;
    size_t i = o->count;

    if (!(e->status & (o->undo ? LODE_BLOCK_HAVE_UNDO : LODE_BLOCK_HAVE_DATA)))
        return true;
    assert_true(i < 512);
    for (; i > 0 && pos < (o->undo ? o->entries[i - 1]->undo_pos : o->entries[i - 1]->data_pos); i--)
        o->entries[i] = o->entries[i - 1];
    o->entries[i] = e;
    o->count++;
    return true;
}

static void assert_same_info(const lode_block_file_info *a, const lode_block_file_info *b)
{
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->undo_size, b->undo_size);
    assert_int_equal(a->height_first, b->height_first);
    assert_int_equal(a->height_last, b->height_last);
    assert_int_equal(a->time_first, b->time_first);
    assert_int_equal(a->time_last, b->time_last);
}

/* Core's own blocks and undo data, appended in Core's order under Core's key, make Core's files. */
static void appending_what_core_appended_makes_its_files(void **state)
{
    static const char *const names[] = { "core-regtest", "core-forks" };

    for (size_t i = 0; i < 2; i++) {
        char *directory = given_directory_unpack(names[i]), path[1024];
        lode_buf buf = LODE_BUF_EMPTY;
        uint32_t pos;
        int32_t file;
        if (!directory)
            continue;
        snprintf(path, sizeof path, "%s/%s/regtest/blocks", directory, names[i]);
        lode_env *memory = lode_memory_env_create();
        lode_block_index *index = open_index(lode_env_system(), test_path(path, "index"));
        lode_block_files_options o = {
            .path = path, .params = regtest(), .index = index, .env = lode_env_system(), .read_only = true
        };
        lode_block_files *core;
        assert_ok(lode_block_files_open(&core, &o));
        assert_ok(lode_env_make_path(memory, "/b"));
        assert_ok(lode_env_write_file_atomically(memory, "/b/xor.dat", lode_block_files_xor_key(core), 8));
        room r = begin(memory, "/b", false);
        assert_memory_equal(lode_block_files_xor_key(r.files), lode_block_files_xor_key(core), 8);
        ordered blocks = { .undo = false }, undos = { .undo = true };
        lode_block_index_visit(index, &blocks, collect);
        lode_block_index_visit(index, &undos, collect);
        for (size_t n = 0; n < blocks.count; n++) {
            const lode_entry *e = blocks.entries[n];
            assert_ok(lode_block_files_read_block(core, &buf, e->file, e->data_pos));
            assert_ok(lode_block_files_append_block(r.files, &file, &pos, buf.data, (uint32_t)buf.len, e->node.height,
                                                    e->node.header.time));
            assert_int_equal(pos, e->data_pos);
            assert_int_equal(file, e->file);
        }
        for (size_t n = 0; n < undos.count; n++) {
            const lode_entry *e = undos.entries[n];
            assert_ok(lode_block_files_read_undo(core, &buf, e->file, e->undo_pos, &e->node.header.prev));
            assert_ok(lode_block_files_append_undo(r.files, &pos, e->file, buf.data, buf.len, &e->node.header.prev));
            assert_int_equal(pos, e->undo_pos);
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_same_info(lode_block_index_file(r.index, 0), lode_block_index_file(index, 0));
        for (int n = 0; n < 2; n++) {
            const char *name = n ? "rev00000.dat" : "blk00000.dat";
            lode_buf ours = whole_file(memory, test_path("/b", name)),
                     theirs = whole_file(lode_env_system(), test_path(path, name));
            const lode_block_file_info *info = lode_block_index_file(index, 0);
            if (i == 0)
                assert_int_equal(ours.len, theirs.len); /* pre-allocated alike; core-forks was made with -fastprune */
            assert_memory_equal(ours.data, theirs.data, n ? info->undo_size : info->size);
            lode_buf_clear(&ours);
            lode_buf_clear(&theirs);
        }
        lode_buf_clear(&buf);
        end(&r);
        lode_memory_env_destroy(memory);
        lode_block_files_close(core);
        assert_ok(lode_block_index_close(index));
        test_directory_remove(directory);
    }
}

/* ---- the key ---- */

static void a_new_folder_gets_zeros_or_a_random_key_and_an_old_one_stays_plain(void **state)
{
    uint8_t first[8];
    lode_env *memory = lode_memory_env_create();
    record rec;

    room r = begin(memory, "/zeros", false);
    assert_true(lode_read_le64(lode_block_files_xor_key(r.files)) == 0);
    assert_int_equal(file_size(memory, "/zeros/xor.dat"), 8);
    end(&r);

    r = begin(memory, "/random", true);
    memcpy(first, lode_block_files_xor_key(r.files), 8);
    assert_false(lode_read_le64(first) == 0);
    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(lode_block_files_sync(r.files));
    lode_buf key = whole_file(memory, "/random/xor.dat"), raw = whole_file(memory, "/random/blk00000.dat");
    assert_int_equal(key.len, 8);
    assert_memory_equal(key.data, first, 8);
    for (int i = 0; i < 4; i++)
        assert_int_equal(raw.data[i] ^ first[i], regtest()->magic[i]);
    assert_int_equal(raw.data[1008], 0); /* the reserved tail is zeros on disk */
    lode_buf_clear(&key);
    lode_buf_clear(&raw);
    end(&r);
    r = begin(memory, "/random", true);
    assert_memory_equal(lode_block_files_xor_key(r.files), first, 8);
    end(&r);

    assert_ok(lode_env_make_path(memory, "/old"));
    assert_ok(lode_env_write_file_atomically(memory, "/old/blk00000.dat", "x", 1));
    r = begin(memory, "/old", true);
    assert_true(lode_read_le64(lode_block_files_xor_key(r.files)) == 0);
    end(&r);

    assert_ok(lode_env_make_path(memory, "/short"));
    assert_ok(lode_env_write_file_atomically(memory, "/short/xor.dat", "1234567", 7));
    r = (room){ .env = memory, .index_env = lode_memory_env_create(), .blocks = "/short" };
    r.index = open_index(r.index_env, "/index");
    assert_code(try_files(&r, false), LODE_CORRUPT);
    assert_null(r.files);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_reader_creates_nothing(void **state)
{
    lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
    lode_buf buf = LODE_BUF_EMPTY;
    record rec;

    room r = begin(memory, "/b", false);
    assert_ok(append(&r, &rec, 1, 5000));
    assert_ok(lode_block_files_sync(r.files));
    lode_block_files_close(r.files);
    assert_ok(memory->remove(memory, "/b/xor.dat"));
    lode_fault_env_plan(env, NULL);
    lode_block_files_options o = { .path = "/b", .params = regtest(), .index = r.index, .env = env, .read_only = true };
    assert_ok(lode_block_files_open(&r.files, &o));
    assert_block(&r, &rec);
    assert_code(lode_block_files_read_block(r.files, &buf, 1, 8), LODE_MISSING);
    assert_code(append(&r, &rec, 2, 5000), LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, 0, 2, 5000), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_trim(r.files, 0), LODE_INVALID_ARGUMENT);
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(lode_fault_env_count(env, LODE_FAULT_CHANGES), 0);
    assert_int_equal(file_size(memory, "/b/xor.dat"), 0);
    end(&r);
    lode_buf_clear(&buf);
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(memory);
}

/* ---- appending and reading ---- */

static void what_was_appended_is_read_from_memory_and_from_disk(void **state)
{
    static const size_t sizes[] = { 80, 81, 1000000, 4000000, 250, 3999999, 4194304, 4194296, 79 + 8, 12345 };
    record blocks[10], undos[10];

    for (int keyed = 0; keyed < 2; keyed++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", keyed);
        for (uint32_t i = 0; i < 10; i++) {
            assert_ok(append(&r, &blocks[i], i, sizes[i]));
            assert_ok(append_undo(&r, &undos[i], 0, i, sizes[i] - 79));
            for (uint32_t n = 0; n <= i; n++) {
                assert_block(&r, &blocks[n]);
                assert_undo(&r, &undos[n]);
            }
        }
        for (int i = 0; i < 2; i++) { /* positions as Core gives them */
            uint32_t at = 0;
            for (uint32_t n = 0; n < 10; n++) {
                const record *rec = i ? &undos[n] : &blocks[n];
                assert_int_equal(rec->pos, at + 8);
                at += (uint32_t)rec->len + (i ? 40 : 8);
            }
            assert_int_equal(at, i ? lode_block_index_file(r.index, 0)->undo_size
                                   : lode_block_index_file(r.index, 0)->size);
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_ok(lode_block_index_write(r.index));
        restart(&r);
        for (uint32_t n = 0; n < 10; n++) {
            assert_block(&r, &blocks[n]);
            assert_undo(&r, &undos[n]);
        }
        lode_block_file_info info = *lode_block_index_file(r.index, 0);
        assert_int_equal(info.blocks, 10);
        assert_int_equal(info.height_first, 0);
        assert_int_equal(info.height_last, 9);
        assert_int_equal(info.time_first, 1000);
        assert_int_equal(info.time_last, 1009);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void parts_end_at_the_blocks_end(void **state)
{
    static const struct {
        uint32_t offset, len, expected;
    } cases[] = {
        { 0, 80, 80 },
        { 80, 100, 100 },
        { 900, 100, 100 },
        { 900, 101, 100 },
        { 999, UINT32_MAX, 1 },
        { 1000, 1, 0 },
        { 1001, 1, 0 },
        { UINT32_MAX, UINT32_MAX, 0 },
        { 5, 0, 0 },
    };
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", true);
    uint8_t *bytes = make_bytes(7, 1000);
    lode_buf got = LODE_BUF_EMPTY;
    record rec, after;

    assert_ok(append(&r, &rec, 7, 1000));
    assert_ok(append(&r, &after, 8, 1000));
    for (int synced = 0; synced < 2; synced++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            assert_ok(lode_block_files_read_part(r.files, &got, rec.file, rec.pos, cases[i].offset, cases[i].len));
            assert_int_equal(got.len, cases[i].expected);
            if (got.len)
                assert_memory_equal(got.data, bytes + cases[i].offset, got.len);
        }
        assert_ok(lode_block_files_sync(r.files));
    }
    lode_buf_clear(&got);
    free(bytes);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_full_file_is_cut_and_the_next_begun(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record a, b, c, d, undo;

    assert_ok(append(&r, &a, 1, 1000));
    lode_block_index_file(r.index, 0)->size = LODE_MAX_BLOCKFILE_SIZE - 3009; /* as if blocks lay between */
    assert_ok(append(&r, &b, 2, 3000));
    assert_int_equal(b.file, 0);
    assert_int_equal(lode_block_index_file(r.index, 0)->size, LODE_MAX_BLOCKFILE_SIZE - 1);
    assert_ok(append_undo(&r, &undo, 0, 2, 100));
    assert_ok(append(&r, &c, 3, 500)); /* size + 508 reaches the limit: Core moves on at equality, too */
    assert_int_equal(c.file, 1);
    assert_int_equal(c.pos, 8);
    assert_ok(append(&r, &d, 4, 500));
    assert_int_equal(d.file, 1);
    assert_ok(append_undo(&r, &undo, 0, 3, 100));
    assert_block(&r, &b);
    assert_block(&r, &c);
    assert_undo(&r, &undo);
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00000.dat"), LODE_MAX_BLOCKFILE_SIZE - 1);
    assert_int_equal(file_size(memory, "/b/blk00001.dat"), LODE_BLOCKFILE_CHUNK_SIZE);
    assert_int_equal(file_size(memory, "/b/rev00000.dat"), 280); /* left behind: no room kept */
    assert_ok(append_undo(&r, &undo, 0, 5, 100));
    assert_ok(append_undo(&r, &undo, 1, 6, 100));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/rev00000.dat"), 420);
    assert_int_equal(file_size(memory, "/b/rev00001.dat"), LODE_UNDOFILE_CHUNK_SIZE);
    assert_ok(lode_block_files_trim(r.files, 1));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00001.dat"), 1016);
    assert_int_equal(file_size(memory, "/b/rev00001.dat"), 140);
    assert_block(&r, &d);
    assert_undo(&r, &undo);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void exactly_one_byte_below_the_limit_still_fits(void **state)
{
    for (uint32_t free_bytes = 1008; free_bytes <= 1009; free_bytes++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", false);
        record rec;
        assert_ok(append(&r, &rec, 1, 100));
        lode_block_index_file(r.index, 0)->size = LODE_MAX_BLOCKFILE_SIZE - free_bytes;
        assert_ok(append(&r, &rec, 2, 1000));
        assert_int_equal(rec.file, free_bytes == 1009 ? 0 : 1);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void undo_data_may_go_back_and_forth_between_files(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", true);
    record undos[300];

    for (uint32_t file = 0; file < 20; file++) {
        record rec;
        lode_block_index_file(r.index, (int32_t)file);
        assert_ok(append(&r, &rec, file, 100));
        assert_int_equal(rec.file, file);
    }
    for (uint32_t i = 0; i < 300; i++)
        assert_ok(append_undo(&r, &undos[i], (int32_t)(i * 7 % 20), i, 1 + i * 37 % 5000));
    for (uint32_t i = 0; i < 300; i++)
        assert_undo(&r, &undos[i]);
    assert_ok(lode_block_files_sync(r.files));
    for (uint32_t i = 0; i < 300; i++)
        assert_undo(&r, &undos[i]);
    for (int32_t file = 0; file < 20; file++) {
        char path[32];
        snprintf(path, sizeof path, "/b/rev%05d.dat", (int)file);
        uint32_t used = lode_block_index_file(r.index, file)->undo_size;
        if (file < 19)
            assert_int_equal(file_size(memory, path), used);
        else
            assert_true(file_size(memory, path) >= used);
    }
    end(&r);
    lode_memory_env_destroy(memory);
}

static void sizes_that_fit_nowhere_are_refused(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record rec;
    uint8_t byte = 0;
    int32_t file;
    uint32_t pos;

    assert_code(append(&r, &rec, 1, 79), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_append_block(r.files, &file, &pos, &byte, LODE_MAX_BLOCKFILE_SIZE - 8, 0, 0),
                LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, 0, 1, 10), LODE_INVALID_ARGUMENT); /* no block file yet */
    assert_ok(append(&r, &rec, 1, 80));
    assert_code(append_undo(&r, &rec, 1, 1, 10), LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, -1, 1, 10), LODE_INVALID_ARGUMENT);
    lode_block_index_file(r.index, 0)->undo_size = UINT32_MAX - 49;
    assert_code(append_undo(&r, &rec, 0, 1, 10), LODE_UNSUPPORTED);
    assert_int_equal(lode_block_index_file(r.index, 0)->undo_size, UINT32_MAX - 49);
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- reindex: blocks that lie there already ---- */

static void appends_go_on_behind_the_last_record_not_behind_a_sum_of_sizes(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    uint8_t *content = make_bytes(1, 5000);
    record rec;

    assert_ok(lode_env_write_file_atomically(memory, "/b/blk00000.dat", content, 5000));
    lode_block_files_note_block(r.files, 0, 2008, 500, 2, 20); /* out of order, junk between */
    lode_block_files_note_block(r.files, 0, 108, 300, 1, 10);
    lode_block_file_info info = *lode_block_index_file(r.index, 0);
    assert_int_equal(info.size, 2508);
    assert_int_equal(info.blocks, 2);
    assert_int_equal(info.height_first, 1);
    assert_int_equal(info.height_last, 2);
    lode_block_files_note_end(r.files, 0, 3000); /* a block that waits for its parent */
    lode_block_files_note_end(r.files, 0, 2900);
    assert_ok(append(&r, &rec, 3, 100));
    assert_int_equal(rec.pos, 3008);
    assert_ok(lode_block_files_sync(r.files));
    lode_buf after = whole_file(memory, "/b/blk00000.dat");
    assert_memory_equal(after.data, content, 3000);
    lode_buf_clear(&after);
    free(content);
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- damage ---- */

static void a_damaged_head_length_or_checksum_is_reported(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    lode_buf got = LODE_BUF_EMPTY;
    lode_block_hash prev = { { 2 } };
    record rec, undo;

    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(append_undo(&r, &undo, 0, 2, 500));
    assert_ok(lode_block_files_sync(r.files));
    for (int kind = 0; kind < 2; kind++) {
        const char *path = kind ? "/b/rev00000.dat" : "/b/blk00000.dat";
        lode_buf good = whole_file(memory, path);
        size_t end = kind ? 540 : 8;
        for (size_t i = 0; i < end; i++) {
            lode_file *file;
            uint8_t bad = good.data[i] ^ 0x40;
            assert_ok(memory->open(memory, &file, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
            assert_ok(memory->pwrite(memory, file, &bad, 1, i));
            lode_status s = kind ? lode_block_files_read_undo(r.files, &got, 0, undo.pos, &prev)
                                 : lode_block_files_read_block(r.files, &got, 0, rec.pos);
            if (kind || i < 4 || i == 7) { /* a length that stays inside the file shows when the block is parsed */
                assert_code(s, LODE_CORRUPT);
            }
            assert_ok(memory->pwrite(memory, file, &good.data[i], 1, i));
            memory->close(memory, file);
        }
        lode_buf_clear(&good);
    }
    assert_block(&r, &rec);
    assert_undo(&r, &undo);
    assert_code(lode_block_files_read_block(r.files, &got, 0, 7), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_read_block(r.files, &got, -1, 8), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_read_block(r.files, &got, 0, UINT32_MAX), LODE_CORRUPT);
    assert_code(lode_block_files_read_block(r.files, &got, 0, 100000), LODE_CORRUPT); /* the zeros behind the end */
    assert_code(lode_block_files_read_block(r.files, &got, 9, 8), LODE_MISSING);
    lode_buf_clear(&got);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_missing_or_shortened_block_file_keeps_a_writer_out(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    lode_file *file;
    record rec;

    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(lode_block_files_sync(r.files));
    lode_block_files_close(r.files);
    assert_ok(memory->open(memory, &file, "/b/blk00000.dat", LODE_OPEN_READ | LODE_OPEN_WRITE));
    assert_ok(memory->truncate(memory, file, 1008));
    assert_ok(try_files(&r, false));
    lode_block_files_close(r.files);
    assert_ok(memory->truncate(memory, file, 1007));
    assert_code(try_files(&r, false), LODE_CORRUPT);
    memory->close(memory, file);
    assert_ok(memory->remove(memory, "/b/blk00000.dat"));
    assert_code(try_files(&r, false), LODE_MISSING);
    lode_block_files_options o = {
        .path = "/b", .params = regtest(), .index = r.index, .env = memory, .read_only = true
    };
    assert_ok(lode_block_files_open(&r.files, &o));
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- disks that fail ---- */

/* Each call that changes the disk fails once. What fails is told by the next call or by the sync; a second sync mends a
 * write, never a sync. What a good sync has passed is there after a power cut. */
static void a_failing_call_is_told_and_a_write_is_tried_again(void **state)
{
    for (uint64_t n = 0, failed = 1; failed; n++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        room r = begin(env, "/b", false);
        record blocks[6], undos[6];
        uint32_t count = 0, undo_count = 0;
        lode_status s = lode_ok();

        lode_fault_env_plan(env,
                            &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES | LODE_FAULT_OPEN | LODE_FAULT_FREE_SPACE,
                                                .skip = n,
                                                .times = 1,
                                                .error_number = EIO,
                                                .torn_bytes = 5 });
        for (uint32_t i = 0; i < 6 && !lode_failed(s); i++) {
            s = append(&r, &blocks[i], i, 1500000);
            count += !lode_failed(s);
            if (!lode_failed(s)) {
                s = append_undo(&r, &undos[i], 0, i, 700000);
                undo_count += !lode_failed(s);
            }
            if (!lode_failed(s) && i == 3)
                s = lode_block_files_sync(r.files);
        }
        if (!lode_failed(s))
            s = lode_block_files_sync(r.files);
        failed = lode_fault_env_failed(env);
        assert_true(failed || !lode_failed(s)); /* a write that failed unnoticed is mended by the sync */
        lode_status again = lode_block_files_sync(r.files);
        if (!lode_failed(again)) {
            assert_ok(lode_block_index_write(r.index));
        } else {
            assert_code(again, LODE_IO); /* a sync failed: nothing is promised any more */
            assert_code(append(&r, &blocks[5], 9, 100), LODE_IO);
            assert_code(lode_block_files_sync(r.files), LODE_IO);
        }
        for (uint32_t i = 0; i < count; i++)
            assert_block(&r, &blocks[i]);
        for (uint32_t i = 0; i < undo_count; i++)
            assert_undo(&r, &undos[i]);
        lode_memory_env_power_off(memory);
        lode_block_files_close(r.files);
        r.files = NULL;
        lode_memory_env_power_on(memory, LODE_KEEP_SYNCED, n);
        assert_ok(lode_block_index_close(r.index));
        r.index = open_index(r.index_env, "/index");
        lode_fault_env_plan(env, NULL);
        assert_ok(try_files(&r, false));
        for (uint32_t i = 0; i < count && !lode_failed(again); i++)
            assert_block(&r, &blocks[i]);
        for (uint32_t i = 0; i < undo_count && !lode_failed(again); i++)
            assert_undo(&r, &undos[i]);
        assert_ok(append(&r, &blocks[0], 77, 1234)); /* and it goes on */
        assert_ok(lode_block_files_sync(r.files));
        assert_block(&r, &blocks[0]);
        end(&r);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
    }
}

/* Power is lost after a sync, while more was appended: the index as written then is what counts, and bytes behind the
 * sizes it names are written over. */
static void after_a_power_cut_appends_go_on_where_the_index_says(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", true);
        record kept[4], kept_undo[4], lost;

        for (uint32_t i = 0; i < 4; i++) {
            assert_ok(append(&r, &kept[i], i, 100000 + i));
            assert_ok(append_undo(&r, &kept_undo[i], 0, i, 3000));
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_ok(lode_block_index_write(r.index));
        for (uint32_t i = 0; i < 60; i++) {
            assert_ok(append(&r, &lost, 100 + i, 200000));
            assert_ok(append_undo(&r, &lost, 0, 100 + i, 50000));
        }
        if (seed % 2)
            assert_ok(lode_block_files_sync(r.files)); /* without the index */
        lode_memory_env_power_off(memory);
        lode_block_files_close(r.files);
        r.files = NULL;
        lode_memory_env_power_on(memory, seed % 3 ? LODE_KEEP_SOME : LODE_KEEP_ALL, seed);
        assert_ok(lode_block_index_close(r.index));
        r.index = open_index(r.index_env, "/index");
        assert_ok(try_files(&r, false));
        for (uint32_t i = 0; i < 4; i++) {
            assert_block(&r, &kept[i]);
            assert_undo(&r, &kept_undo[i]);
        }
        record next, next_undo;
        assert_ok(append(&r, &next, 500, 777));
        assert_int_equal(next.pos, kept[3].pos + kept[3].len + 8);
        assert_ok(append_undo(&r, &next_undo, 0, 500, 99));
        assert_int_equal(next_undo.pos, kept_undo[3].pos + 3000 + 40);
        assert_ok(lode_block_files_sync(r.files));
        assert_block(&r, &next);
        assert_undo(&r, &next_undo);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void a_full_disk_stops_cleanly_and_goes_on_with_room(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record blocks[64];
    uint32_t count = 0;
    lode_status s = lode_ok();

    lode_memory_env_set_capacity(memory, 40 << 20);
    while (count < 64 && !lode_failed(s)) {
        s = append(&r, &blocks[count], count, 1000000);
        count += !lode_failed(s);
        if (!lode_failed(s))
            s = lode_block_files_sync(r.files);
    }
    assert_code(s, LODE_NO_SPACE);
    assert_true(count > 20 && count < 40);
    assert_true(lode_memory_env_used_bytes(memory) <=
                (40u << 20) - LODE_BLOCKFILE_CHUNK_SIZE / 4); /* some was left for others */
    assert_code(append(&r, &blocks[count], count, 1000000), LODE_NO_SPACE);
    for (uint32_t i = 0; i < count; i++)
        assert_block(&r, &blocks[i]);
    lode_memory_env_set_capacity(memory, 400 << 20);
    assert_ok(lode_block_files_sync(r.files));
    for (; count < 64; count++)
        assert_ok(append(&r, &blocks[count], count, 1000000));
    assert_ok(lode_block_files_sync(r.files));
    assert_ok(lode_block_index_write(r.index));
    restart(&r);
    for (uint32_t i = 0; i < count; i++)
        assert_block(&r, &blocks[i]);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_small_disk_is_used_without_whole_chunks(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record rec;

    lode_memory_env_set_capacity(memory, 12 << 20);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(append(&r, &rec, i, 1000000));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00000.dat"), 3 * 1000008);
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- threads and descriptors ---- */

#define SHARED 400

typedef struct shared {
    room r;
    record blocks[SHARED];
    uint32_t ready; /* atomic: publishes blocks[0, ready) */
} shared;

static char wrong_block[] = "a block is wrong", failed_sync[] = "a sync failed";

static void *read_along(void *context)
{
    shared *s = context;
    lode_buf buf = LODE_BUF_EMPTY;
    uint64_t x = 1;
    uint32_t ready;

    do {
        ready = __atomic_load_n(&s->ready, __ATOMIC_ACQUIRE);
        for (int i = 0; ready > 0 && i < 20; i++) {
            x = x * UINT64_C(6364136223846793005) + 1;
            const record *rec = &s->blocks[i < 5 ? ready - 1 : (uint32_t)(x >> 33) % ready];
            uint8_t *bytes = make_bytes(rec->which, rec->len);
            if (lode_failed(lode_block_files_read_block(s->r.files, &buf, rec->file, rec->pos)) ||
                buf.len != rec->len || memcmp(buf.data, bytes, rec->len) != 0) {
                free(bytes);
                lode_buf_clear(&buf);
                return wrong_block;
            }
            free(bytes);
        }
    } while (ready < SHARED);
    lode_buf_clear(&buf);
    return NULL;
}

static void *sync_along(void *context)
{
    shared *s = context;

    while (__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE) < SHARED) {
        if (lode_failed(lode_block_files_sync(s->r.files)))
            return failed_sync;
    }
    return NULL;
}

static void readers_and_a_sync_run_beside_appends(void **state)
{
    static shared s;
    lode_env *memory = lode_memory_env_create();
    pthread_t threads[3];

    s.r = begin(memory, "/b", true);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < 2 ? read_along : sync_along, &s), 0);
    for (uint32_t i = 0; i < SHARED; i++) {
        assert_ok(append(&s.r, &s.blocks[i], i, 80 + i * 7919 % 60000));
        __atomic_store_n(&s.ready, i + 1, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < 3; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        if (wrong)
            fail_msg("%s", (char *)wrong);
    }
    end(&s.r);
    lode_memory_env_destroy(memory);
}

static void a_hundred_files_need_few_descriptors(void **state)
{
    char *path = test_directory_make();
    struct rlimit before, few = { 64, 64 };
    record blocks[100], undos[100];

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    room r = begin(lode_env_system(), path, false);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (uint32_t i = 0; i < 100; i++) {
        lode_block_index_file(r.index, (int32_t)i);
        assert_ok(append(&r, &blocks[i], i, 1000));
        assert_ok(append_undo(&r, &undos[i], (int32_t)i, i, 1000));
    }
    assert_ok(lode_block_files_sync(r.files));
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < 100; i++) {
            assert_int_equal(blocks[i].file, i);
            assert_block(&r, &blocks[i]);
            assert_undo(&r, &undos[i]);
        }
    }
    end(&r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    test_directory_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_and_undo_of_cores_is_read),
        cmocka_unit_test(appending_what_core_appended_makes_its_files),
        cmocka_unit_test(a_new_folder_gets_zeros_or_a_random_key_and_an_old_one_stays_plain),
        cmocka_unit_test(a_reader_creates_nothing),
        cmocka_unit_test(what_was_appended_is_read_from_memory_and_from_disk),
        cmocka_unit_test(parts_end_at_the_blocks_end),
        cmocka_unit_test(a_full_file_is_cut_and_the_next_begun),
        cmocka_unit_test(exactly_one_byte_below_the_limit_still_fits),
        cmocka_unit_test(undo_data_may_go_back_and_forth_between_files),
        cmocka_unit_test(sizes_that_fit_nowhere_are_refused),
        cmocka_unit_test(appends_go_on_behind_the_last_record_not_behind_a_sum_of_sizes),
        cmocka_unit_test(a_damaged_head_length_or_checksum_is_reported),
        cmocka_unit_test(a_missing_or_shortened_block_file_keeps_a_writer_out),
        cmocka_unit_test(a_failing_call_is_told_and_a_write_is_tried_again),
        cmocka_unit_test(after_a_power_cut_appends_go_on_where_the_index_says),
        cmocka_unit_test(a_full_disk_stops_cleanly_and_goes_on_with_room),
        cmocka_unit_test(a_small_disk_is_used_without_whole_chunks),
        cmocka_unit_test(readers_and_a_sync_run_beside_appends),
        cmocka_unit_test(a_hundred_files_need_few_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
