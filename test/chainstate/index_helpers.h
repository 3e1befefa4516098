/* test/chainstate/index_helpers.h: opening block indexes, looking at raw records, and made headers. */
#ifndef LODE_TEST_INDEX_HELPERS_H
#define LODE_TEST_INDEX_HELPERS_H

#include "validate/made_chain.h"

#include "chainstate/block_index.h"
#include "chainstate/given_directory.h"

static inline void assert_code(lode_status s, lode_code code)
{
    if (s.code != (int32_t)code)
        fail_msg("status %d instead of %d: %s", (int)s.code, (int)code, s.text);
}
#define assert_ok(call) assert_code(call, LODE_OK)

static inline const lode_chain_params *regtest(void)
{
    static lode_chain_params params;

    if (!params.name)
        lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    return &params;
}

static inline lode_status try_index(lode_block_index **out, lode_env *env, const char *path)
{
    lode_block_index_options o = { .path = path, .params = regtest(), .env = env };

    return lode_block_index_open(out, &o);
}

static inline lode_block_index *open_index(lode_env *env, const char *path)
{
    lode_block_index *index;

    assert_ok(try_index(&index, env, path));
    return index;
}

/* ---- raw records ---- */

static inline lode_store *open_raw(lode_env *env, const char *path)
{
    lode_store_options o;
    lode_store *store;

    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.compression = LODE_COMPRESSION_NONE;
    o.env = env;
    assert_ok(lode_store_open(&store, path, &o));
    return store;
}

/* All records, each as u32 key length, key, u32 value length, value. Given: lode_buf_clear. */
static inline lode_buf dump_raw(lode_env *env, const char *path)
{
    lode_store *store = open_raw(env, path);
    lode_buf all = LODE_BUF_EMPTY;
    lode_iterator_options o;
    lode_iterator *it;

    lode_iterator_options_init(&o);
    assert_ok(lode_iterator_create(&it, store, &o));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it), value = lode_iterator_value(it);
        lode_buf_put_le32(&all, (uint32_t)key.len);
        lode_buf_append(&all, key.data, key.len);
        lode_buf_put_le32(&all, (uint32_t)value.len);
        lode_buf_append(&all, value.data, value.len);
    }
    assert_ok(lode_iterator_status(it));
    lode_iterator_destroy(it);
    assert_ok(lode_store_close(store));
    assert_true(lode_buf_is_good(&all));
    return all;
}

/* NULL value: the record is removed. */
static inline void put_raw(lode_env *env, const char *path, const void *key, size_t key_len, const void *value,
                           size_t len)
{
    lode_store *store = open_raw(env, path);

    assert_ok(value ? lode_store_put(store, key, key_len, value, len, 1) : lode_store_delete(store, key, key_len, 1));
    assert_ok(lode_store_close(store));
}

/* The value of a record of at most 256 bytes; its length, or -1. */
static inline int get_raw(lode_env *env, const char *path, uint8_t value[256], const void *key, size_t key_len)
{
    lode_store *store = open_raw(env, path);
    size_t len;
    int found;

    assert_ok(lode_store_get_into(store, &found, value, 256, &len, key, key_len, NULL));
    assert_ok(lode_store_close(store));
    return found ? (int)len : -1;
}

/* ---- made trees ---- */

static inline lode_entry *add_genesis(lode_block_index *index)
{
    lode_header header;

    lode_header_parse(&header, regtest()->genesis_raw);
    lode_entry *e = lode_block_index_add(index, &header, &regtest()->genesis_hash, NULL);
    assert_non_null(e);
    return e;
}

/* A mined header below prev; `salt` makes it different from others. */
static inline lode_header make_header(const lode_entry *prev, uint32_t salt, lode_block_hash *hash)
{
    lode_header h = {
        .version = 0x20000000, .prev = prev->node.hash, .time = prev->node.header.time + 600, .bits = 0x207fffff
    };

    lode_write_le32(h.merkle_root.bytes, salt);
    *hash = mine(&h, true);
    return h;
}

static inline lode_entry *add_made(lode_block_index *index, lode_entry *prev, uint32_t salt)
{
    lode_block_hash hash;
    lode_header h = make_header(prev, salt, &hash);

    lode_entry *e = lode_block_index_add(index, &h, &hash, prev);
    assert_non_null(e);
    return e;
}

/* Stored one behind the other in file 0, a hundred bytes each. */
static inline void receive(lode_block_index *index, lode_entry *e)
{
    lode_block_file_info *info = lode_block_index_file(index, 0);
    uint32_t height = (uint32_t)e->node.height;

    if (info->blocks == 0 || height < info->height_first)
        info->height_first = height;
    if (height > info->height_last)
        info->height_last = height;
    info->blocks++;
    info->size += 108;
    lode_block_index_mark_file_dirty(index, 0);
    lode_block_index_received(index, e, 1 + height % 3, 0, info->size - 100);
}

#endif
