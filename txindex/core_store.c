/* txindex/core_store.c: what Core's databases have in common.
 *
 * Touches:  the store at a path.
 * Source:   Core's dbwrapper.cpp.
 */
#include "txindex/core_store.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

/* Key and value of the record that names the obfuscation: a string and a vector with their lengths. */
static const char key_record[] = "\x0e\0obfuscate_key";
enum { KEY_RECORD_LEN = sizeof key_record - 1 };

void lode_core_store_options(lode_store_options *o, lode_env *env, bool read_only)
{
    lode_store_options_init(o);
    o->create_if_missing = !read_only;
    o->read_only = read_only;
    o->compression = LODE_COMPRESSION_NONE; /* Core's LevelDB has no snappy */
    o->bloom_bits_per_key = 10;
    o->table_bytes = 32 * MIB;
    o->env = env;
}

lode_status lode_core_store_open(lode_store **out, const char *path, const lode_store_options *o, bool wipe)
{
    if (!o->read_only) {
        if (wipe)
            LODE_TRY(lode_store_destroy(path, o));
        LODE_TRY(lode_env_make_path(o->env, path));
    }
    return lode_store_open(out, path, o);
}

lode_status lode_core_store_look(const char *path, lode_env *env,
                                 lode_status (*check)(const char *path, lode_store *store))
{
    lode_store_options o;
    lode_store *store;
    lode_status s;

    lode_core_store_options(&o, env, true);
    o.cache_bytes = MIB;
    s = lode_store_open(&store, path, &o);
    if (s.code == LODE_MISSING || s.code == LODE_CORRUPT)
        return lode_ok();
    LODE_TRY(s);
    s = check(path, store);
    lode_ignore(lode_store_close(store)); /* it was only read */
    return s.code == LODE_CORRUPT ? lode_ok() : s;
}

lode_status lode_core_store_load_key(lode_store *store, const char *path, bool *found, uint8_t key[LODE_CORE_KEY_BYTES])
{
    uint8_t value[1 + LODE_CORE_KEY_BYTES];
    size_t len;
    int there;

    LODE_TRY(lode_store_get_into(store, &there, value, sizeof value, &len, key_record, KEY_RECORD_LEN, NULL));
    *found = there;
    if (!there)
        return lode_ok();
    if (len != sizeof value || value[0] != LODE_CORE_KEY_BYTES)
        return lode_fail(LODE_CORRUPT, "%s: an obfuscation key of %zu bytes, 9 expected", path, len);
    memcpy(key, value + 1, LODE_CORE_KEY_BYTES);
    return lode_ok();
}

lode_status lode_core_store_write_key(lode_store *store, const uint8_t key[LODE_CORE_KEY_BYTES])
{
    uint8_t value[1 + LODE_CORE_KEY_BYTES] = { LODE_CORE_KEY_BYTES };

    memcpy(value + 1, key, LODE_CORE_KEY_BYTES);
    return lode_store_put(store, key_record, KEY_RECORD_LEN, value, sizeof value, 1);
}

bool lode_core_store_is_key_record(lode_bytes key)
{
    return key.len == KEY_RECORD_LEN && memcmp(key.data, key_record, KEY_RECORD_LEN) == 0;
}
