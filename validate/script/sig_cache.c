/* validate/script/sig_cache.c: signatures that verified, remembered.
 *
 * Room:     a table of buckets of eight keys. A key is SHA-256 of a secret salt, the kind, and digest, public key and
 *           signature, or a whole transaction with what it spends, so nobody outside can aim at a bucket, and only true answers are ever stored.
 * Threads:  any number; each bucket belongs to one of 64 locks.
 */
#include "validate/script/sig_cache.h"

#include <stdlib.h>
#include <sys/random.h>

#include "primitives/hash.h"
#include "support/thread.h"
#include "validate/script/gather.h"

#define WAYS 8
#define LOCKS 64

typedef struct bucket {
    lode_sig_cache_key keys[WAYS];
    uint8_t used[WAYS];
    uint8_t next; /* the way that is overwritten when all are used */
} bucket;

struct lode_sig_cache {
    /* constant after create */
    lode_sha256_stream salted[3]; /* by kind: after salt and padding, one block */
    uint64_t bucket_count;
    /* guarded by locks[bucket % LOCKS] */
    bucket *buckets;
    lode_mutex locks[LOCKS];
};

static bool make_salts(lode_sig_cache *cache)
{
    uint8_t block[64] = { 0 };
    if (getrandom(block, 32, 0) != 32)
        return false;
    for (int kind = 0; kind < 3; kind++) {
        block[32] = (uint8_t)"EST"[kind];
        lode_sha256_begin(&cache->salted[kind]);
        lode_sha256_add(&cache->salted[kind], block, sizeof block);
    }
    return true;
}

lode_sig_cache *lode_sig_cache_create(size_t bytes)
{
    lode_sig_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->bucket_count = bytes / sizeof(bucket) ? bytes / sizeof(bucket) : 1;
    cache->buckets = calloc(cache->bucket_count, sizeof(bucket));
    if (!cache->buckets || !make_salts(cache)) {
        free(cache->buckets);
        free(cache);
        return NULL;
    }
    for (int i = 0; i < LOCKS; i++)
        lode_mutex_init(&cache->locks[i]);
    return cache;
}

void lode_sig_cache_destroy(lode_sig_cache *cache)
{
    if (!cache)
        return;
    for (int i = 0; i < LOCKS; i++)
        lode_mutex_clear(&cache->locks[i]);
    free(cache->buckets);
    free(cache);
}

void lode_sig_cache_make_key(lode_sig_cache_key *key, const lode_sig_cache *cache, bool is_schnorr,
                             const uint8_t digest[32], lode_slice pubkey, lode_slice sig)
{
    lode_sha256_stream s = cache->salted[is_schnorr];
    uint8_t length = (uint8_t)pubkey.len; /* a verified key is 32, 33 or 65 bytes */
    lode_sha256_add(&s, digest, 32);
    lode_sha256_add(&s, &length, 1);
    lode_sha256_add(&s, pubkey.data, pubkey.len);
    lode_sha256_add(&s, sig.data, sig.len);
    lode_sha256_end(&s, key->bytes);
}

void lode_sig_cache_make_tx_key(lode_sig_cache_key *key, const lode_sig_cache *cache, const lode_tx_hashes *hashes,
                                uint32_t flags)
{
    const lode_tx *tx = hashes->tx;
    lode_gather g;

    g.hash = cache->salted[2];
    g.len = 0;
    lode_gather_add(&g, tx->wtxid.bytes, 32);
    lode_gather_le32(&g, flags);
    lode_gather_le32(&g, tx->input_count);
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_gather_le64(&g, (uint64_t)hashes->spent[i].value.sat);
        lode_gather_script(&g, lode_slice_of(hashes->spent[i].script, hashes->spent[i].script_len));
    }
    lode_gather_end(&g, key->bytes);
}

static uint64_t find_bucket(const lode_sig_cache *cache, const lode_sig_cache_key *key)
{
    return lode_read_le64(key->bytes) % cache->bucket_count;
}

static int find_way(const bucket *b, const lode_sig_cache_key *key)
{
    for (int i = 0; i < WAYS; i++)
        if (b->used[i] && lode_bytes32_is_equal(b->keys[i].bytes, key->bytes))
            return i;
    return -1;
}

bool lode_sig_cache_has(lode_sig_cache *cache, const lode_sig_cache_key *key, bool take)
{
    uint64_t number = find_bucket(cache, key);
    lode_mutex *lock = &cache->locks[number % LOCKS];
    lode_mutex_lock(lock);
    bucket *b = &cache->buckets[number];
    int way = find_way(b, key);
    if (way >= 0 && take)
        b->used[way] = 0;
    lode_mutex_unlock(lock);
    return way >= 0;
}

void lode_sig_cache_add(lode_sig_cache *cache, const lode_sig_cache_key *key)
{
    uint64_t number = find_bucket(cache, key);
    lode_mutex *lock = &cache->locks[number % LOCKS];
    lode_mutex_lock(lock);
    bucket *b = &cache->buckets[number];
    if (find_way(b, key) < 0) {
        int way = 0;
        while (way < WAYS && b->used[way])
            way++;
        if (way == WAYS)
            way = b->next++ % WAYS;
        b->keys[way] = *key;
        b->used[way] = 1;
    }
    lode_mutex_unlock(lock);
}
