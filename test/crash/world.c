/* test/crash/world.c: see world.h. */
#include "test/crash/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/chain/random.h"
#include "loadblock/import.h"
#include "primitives/hash.h"
#include "query/export.h"
#include "snapshot/coin_file.h"

static const char *const part_paths[STORY_PARTS] = { "/input/blk00000.dat", "/input/blk00001.dat",
                                                     "/input/blk00002.dat" };

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("code %d: %s", s.code, s.text);
}

static void write_file(world *w, const char *path, const lode_buf *content)
{
    lode_file *file;

    must(w->memory->open(w->memory, &file, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE));
    if (content->len)
        must(w->memory->pwrite(w->memory, file, content->data, content->len, 0));
    must(w->memory->sync(w->memory, file));
    w->memory->close(w->memory, file);
}

/* Without the genesis block, which everybody has. */
static void write_input(world *w)
{
    lode_buf file = LODE_BUF_EMPTY;

    must(lode_env_make_path(w->memory, "/input"));
    for (size_t part = 0, i = 1; part < STORY_PARTS; part++) {
        for (; i < w->story->ends[part]; i++) {
            const made_block *b = &w->story->blocks.blocks[i];
            lode_buf_append(&file, w->params.magic, 4);
            lode_buf_put_le32(&file, b->size);
            lode_buf_append(&file, b->raw, b->size);
        }
        write_file(w, part_paths[part], &file);
        lode_buf_reset(&file);
    }
    must(w->memory->sync_directory(w->memory, "/input"));
    lode_buf_clear(&file);
}

void world_init(world *w, const story *s)
{
    memset(w, 0, sizeof *w);
    w->memory = lode_memory_env_create();
    assert_non_null(w->memory);
    w->env = lode_fault_env_create(w->memory);
    assert_non_null(w->env);
    w->story = s;
    w->flush_every = 1;
    w->geometry =
        (lode_chain_geometry){ .block_file_bytes = 40000, .block_chunk_bytes = 16384, .undo_chunk_bytes = 4096 };
    lode_chain_params_init(&w->params, LODE_CHAIN_REGTEST);
    lode_mutex_init(&w->lock);
    write_input(w);
}

void world_clear(world *w)
{
    lode_mutex_clear(&w->lock);
    lode_fault_env_destroy(w->env);
    lode_memory_env_destroy(w->memory);
}

void world_settle(world *w)
{
    lode_memory_env_power_off(w->memory);
    lode_memory_env_power_on(w->memory, LODE_KEEP_ALL, 0);
}

typedef struct digesting {
    world *w;
    const char *directory;
    uint8_t *sum;
} digesting;

/* Names come in any order, so what is hashed of each is added up. */
static lode_status digest_entry(void *context, const char *name)
{
    digesting *g = context;
    lode_env *env = g->w->memory;
    char *path = lode_path_join(g->directory, name);
    lode_buf content = LODE_BUF_EMPTY;
    lode_file_info info;
    uint8_t hash[32];
    bool exists;

    lode_buf_append(&content, path, strlen(path) + 1);
    must(env->path_info(env, &exists, &info, path));
    if (info.is_directory)
        must(env->list(env, path, digest_entry, &(digesting){ g->w, path, g->sum }));
    else
        must(lode_env_read_file(env, &content, path, SIZE_MAX));
    lode_sha256(hash, content.data, content.len);
    for (size_t i = 0; i < sizeof hash; i++)
        g->sum[i] = (uint8_t)(g->sum[i] + hash[i]);
    lode_buf_clear(&content);
    free(path);
    return lode_ok();
}

void world_digest(world *w, uint8_t out[32])
{
    memset(out, 0, 32);
    must(w->memory->list(w->memory, "/", digest_entry, &(digesting){ w, "/", out }));
}

/* ---- sessions ---- */

void world_stop(world *w)
{
    lode_mutex_lock(&w->lock);
    w->is_stopped = true;
    if (w->chain)
        __atomic_store_n(&w->chain->interrupted, 1, __ATOMIC_RELAXED);
    lode_mutex_unlock(&w->lock);
}

/* Asked for every header, by the chain's thread: now and then the next flush is due. */
static int64_t tell_time(void *context)
{
    world *w = context;

    if (w->chain)
        w->chain->flush_interval_ns = ++w->headers % w->flush_every == 0 ? 1 : UINT64_MAX;
    return lode_chain_maker_time(1000);
}

/* Nobody reads it; but that there is a log must not matter. */
static void take_line(void *context, lode_log_level level, const char *line)
{
    if (getenv("LODE_TEST_TALK"))
        fprintf(stderr, "%d %s\n", (int)level, line);
}

static const lode_logger logger = { take_line, NULL, LODE_LOG_DEBUG };

static void show_chain(world *w, lode_chain *chain)
{
    lode_mutex_lock(&w->lock);
    w->chain = chain;
    if (chain && w->is_stopped)
        __atomic_store_n(&chain->interrupted, 1, __ATOMIC_RELAXED);
    lode_mutex_unlock(&w->lock);
}

lode_status world_session(world *w, unsigned flags, world_act act)
{
    lode_chain_options o = { .datadir = WORLD_DATADIR,
                             .blocks_from = flags & WORLD_FROM_NODE ? WORLD_NODE "/regtest/blocks" : NULL,
                             .params = &w->params,
                             .env = w->env,
                             .logger = &logger,
                             .create_if_missing = true,
                             .reindex = flags & WORLD_REINDEX,
                             .reindex_chainstate = flags & WORLD_REINDEX_CHAINSTATE,
                             .txindex = flags & WORLD_TXINDEX,
                             .check_scripts = true,
                             .threads = 2,
                             .cache_bytes = (size_t)4 << 20,
                             .clock = tell_time,
                             .clock_context = w,
                             .geometry = w->geometry };
    lode_chain *chain;
    lode_status s, flushed = lode_ok();

    s = lode_chain_open(&chain, &o);
    if (lode_failed(s))
        return s;
    chain->flush_interval_ns = 1;
    show_chain(w, chain);
    s = act(w);
    show_chain(w, NULL);
    if (chain->tip && !chain->in_doubt)
        flushed = lode_chain_flush(chain, true);
    if (!lode_failed(s))
        s = flushed;
    flushed = lode_chain_close(chain);
    return lode_failed(s) ? s : flushed;
}

/* ---- acts ---- */

static lode_status import(world *w, const char *const *paths, size_t count, bool txindex_only)
{
    lode_import_options o = { .size = sizeof o, .paths = paths, .path_count = count, .txindex_only = txindex_only };
    lode_import_result result = { .size = sizeof result };

    return lode_import_run(w->chain, &o, 0, &result);
}

lode_status world_import_part_1(world *w)
{
    return import(w, part_paths, 1, false);
}

lode_status world_import_part_2(world *w)
{
    return import(w, part_paths + 1, 1, false);
}

lode_status world_import_part_3(world *w)
{
    return import(w, part_paths + 2, 1, false);
}

lode_status world_import_all(world *w)
{
    return import(w, part_paths, STORY_PARTS, false);
}

lode_status world_import_nothing(world *w)
{
    return import(w, NULL, 0, false);
}

lode_status world_build_txindex(world *w)
{
    return import(w, NULL, 0, true);
}

static lode_status submit(world *w, size_t i)
{
    const made_block *b = &w->story->blocks.blocks[i];
    lode_submit_result result = { .size = sizeof result };

    return lode_import_one(w->chain, &result, b->raw, b->size);
}

lode_status world_submit_all(world *w)
{
    for (size_t i = 0; i < w->story->blocks.count; i++) {
        if (lode_chain_is_interrupted(w->chain))
            return lode_fail(LODE_CANCELLED, "stopped");
        LODE_TRY(submit(w, i));
    }
    return lode_ok();
}

static lode_status find_to_blame(world *w, lode_entry **entry)
{
    const lode_block_hash *hash = &w->story->blocks.blocks[w->story->to_blame].hash;

    *entry = lode_block_index_find(w->chain->index, hash);
    return *entry ? lode_ok() : lode_fail(LODE_BUG, "the block to blame is not in the index");
}

lode_status world_blame(world *w)
{
    lode_entry *e;

    LODE_TRY(find_to_blame(w, &e));
    return lode_import_invalidate(w->chain, e);
}

lode_status world_forgive(world *w)
{
    lode_entry *e;

    LODE_TRY(find_to_blame(w, &e));
    return lode_import_reconsider(w->chain, e);
}

lode_status world_dump(world *w)
{
    lode_dump_info info;
    lode_entry *e;
    bool exists;

    LODE_TRY(find_to_blame(w, &e));
    LODE_TRY(w->env->path_info(w->env, &exists, NULL, WORLD_DUMP));
    return exists ? lode_ok() : lode_coins_dump(&info, w->chain, e, WORLD_DUMP);
}

lode_status world_export(world *w)
{
    uint64_t count;
    lode_entry *e;
    bool exists;

    LODE_TRY(find_to_blame(w, &e));
    LODE_TRY(w->env->path_info(w->env, &exists, NULL, WORLD_DUMP));
    return exists ? lode_ok() : lode_coins_export(&count, w->chain, e, LODE_EXPORT_CSV, WORLD_DUMP);
}

/* ---- files ---- */

typedef struct copying {
    world *w;
    const char *to, *from;
} copying;

static lode_status copy_entry(void *context, const char *name)
{
    copying *c = context;
    char *to = lode_path_join(c->to, name), *from = lode_path_join(c->from, name);
    lode_buf content = LODE_BUF_EMPTY;
    lode_file_info info;
    bool exists;

    must(c->w->memory->path_info(c->w->memory, &exists, &info, from));
    if (info.is_directory) {
        world_copy_tree(c->w, to, from);
    } else {
        must(lode_env_read_file(c->w->memory, &content, from, SIZE_MAX));
        write_file(c->w, to, &content);
    }
    lode_buf_clear(&content);
    free(to);
    free(from);
    return lode_ok();
}

void world_copy_tree(world *w, const char *to, const char *from)
{
    copying c = { w, to, from };

    must(lode_env_make_path(w->memory, to));
    must(w->memory->list(w->memory, from, copy_entry, &c));
    must(w->memory->sync_directory(w->memory, to));
}

/* ---- a flush that Core did not finish ---- */

typedef struct cutting {
    lode_store *old, *new;
    lode_batch *batch;
    lode_random random;
} cutting;

static lode_store *open_store(world *w, const char *path)
{
    lode_store_options o;
    lode_store *store;

    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.compression = LODE_COMPRESSION_NONE;
    o.env = w->memory;
    must(lode_store_open(&store, path, &o));
    return store;
}

static bool is_coin(lode_bytes key)
{
    return key.len > 1 && *(const uint8_t *)key.data == 'C';
}

/* Half of what is in `from` and not alike in the other one: put, or taken away. */
static void take_half(cutting *c, lode_store *from, lode_store *other, bool put)
{
    lode_iterator *it;

    must(lode_iterator_create(&it, from, NULL));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it), value = lode_iterator_value(it);
        void *there;
        size_t len;
        int found;
        if (!is_coin(key))
            continue;
        must(lode_store_get(other, &found, &there, &len, key.data, key.len, NULL));
        bool is_alike = found && (!put || (len == value.len && memcmp(there, value.data, len) == 0));
        lode_store_free(there);
        if (is_alike || lode_random_below(&c->random, 2))
            continue;
        if (put)
            lode_batch_put(c->batch, key.data, key.len, value.data, value.len);
        else
            lode_batch_delete(c->batch, key.data, key.len);
    }
    must(lode_iterator_status(it));
    lode_iterator_destroy(it);
}

static void put_heads(cutting *c, const lode_block_hash *new_tip, const lode_block_hash *old_tip)
{
    static const char name[] = "\x0e\0obfuscate_key";
    uint8_t key[9] = { 0 }, heads[65] = { 2 };
    size_t len;
    int found;

    must(lode_store_get_into(c->old, &found, key, sizeof key, &len, name, sizeof name - 1, NULL));
    if (!found) {
        must(lode_store_get_into(c->new, &found, key, sizeof key, &len, name, sizeof name - 1, NULL));
        lode_batch_put(c->batch, name, sizeof name - 1, key, sizeof key);
    }
    memcpy(heads + 1, new_tip->bytes, 32);
    if (old_tip)
        memcpy(heads + 33, old_tip->bytes, 32);
    for (size_t i = 0; i < sizeof heads; i++)
        heads[i] ^= key[1 + i % 8];
    lode_batch_put(c->batch, "H", 1, heads, sizeof heads);
    lode_batch_delete(c->batch, "B", 1);
}

void world_cut_off_flush(world *w, const char *old, const lode_block_hash *old_tip, uint64_t seed)
{
    cutting c = { .batch = lode_batch_create() };
    const char *from = old ? old : "/empty";

    c.old = open_store(w, from);
    c.new = open_store(w, WORLD_CHAINSTATE);
    lode_random_init(&c.random, seed);
    put_heads(&c, &w->story->blocks.blocks[w->story->tip].hash, old_tip);
    take_half(&c, c.new, c.old, true);
    take_half(&c, c.old, c.new, false);
    must(lode_store_write(c.old, c.batch, 1));
    lode_batch_destroy(c.batch);
    must(lode_store_close(c.old));
    must(lode_store_close(c.new));
    must(lode_env_remove_tree(w->memory, WORLD_CHAINSTATE));
    world_copy_tree(w, WORLD_CHAINSTATE, from);
    must(lode_env_remove_tree(w->memory, from));
}
