/* leveldb/custom.c: a caller's comparators and filter policies.
 *
 * Touches:  memory only.
 * Threads:  the caller's functions are called by whoever reads, writes or compacts, also at once.
 * Promise:  they never see a NULL for an empty key.
 */
#include <limits.h>
#include <stdlib.h>

#include "leveldb/internal.h"

static const char *text_of(const void *data)
{
    return data ? data : "";
}

/* ---- comparators ---- */

leveldb_comparator_t *leveldb_comparator_create(void *state, void (*destructor)(void *state),
                                                int (*compare)(void *state, const char *a, size_t a_len, const char *b,
                                                               size_t b_len),
                                                const char *(*name)(void *state))
{
    leveldb_comparator_t *c = malloc(sizeof *c);
    if (c)
        *c = (leveldb_comparator_t){ state, destructor, compare, name };
    return c;
}

void leveldb_comparator_destroy(leveldb_comparator_t *comparator)
{
    if (comparator && comparator->destructor)
        comparator->destructor(comparator->state);
    free(comparator);
}

static int compare(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    const leveldb_comparator_t *c = context;
    return c->compare(c->state, text_of(a), a_len, text_of(b), b_len);
}

/* ---- filter policies ---- */

leveldb_filterpolicy_t *leveldb_filterpolicy_create(
    void *state, void (*destructor)(void *state),
    char *(*create_filter)(void *state, const char *const *keys, const size_t *key_lens, int count, size_t *filter_len),
    uint8_t (*key_may_match)(void *state, const char *key, size_t key_len, const char *filter, size_t filter_len),
    const char *(*name)(void *state))
{
    leveldb_filterpolicy_t *p = malloc(sizeof *p);
    if (p)
        *p = (leveldb_filterpolicy_t){ state, destructor, create_filter, key_may_match, name, 0 };
    return p;
}

leveldb_filterpolicy_t *leveldb_filterpolicy_create_bloom(int bits_per_key)
{
    leveldb_filterpolicy_t *p = calloc(1, sizeof *p);
    if (p)
        p->bloom_bits = bits_per_key < 1 ? 1 : bits_per_key;
    return p;
}

void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t *policy)
{
    if (policy && policy->destructor)
        policy->destructor(policy->state);
    free(policy);
}

static void *create_filter(void *context, const lode_bytes *keys, size_t count, size_t *filter_len)
{
    const leveldb_filterpolicy_t *p = context;
    if (count > INT_MAX)
        return NULL;
    const char **data = malloc(count * sizeof *data);
    size_t *lens = malloc(count * sizeof *lens);
    char *filter = NULL;
    for (size_t i = 0; data && lens && i < count; i++) {
        data[i] = text_of(keys[i].data);
        lens[i] = keys[i].len;
    }
    if (data && lens)
        filter = p->create_filter(p->state, data, lens, (int)count, filter_len);
    free(data);
    free(lens);
    return filter;
}

static int may_match(void *context, const void *key, size_t key_len, const void *filter, size_t filter_len)
{
    const leveldb_filterpolicy_t *p = context;
    return p->key_may_match(p->state, text_of(key), key_len, filter, filter_len);
}

/* ---- */

void lode_leveldb_set_custom(lode_store_options *out, lode_leveldb_custom *custom,
                             const leveldb_comparator_t *comparator, const leveldb_filterpolicy_t *policy)
{
    if (comparator) {
        custom->comparator = *comparator;
        custom->store_comparator = (lode_comparator){ .context = &custom->comparator,
                                                      .name = comparator->name(comparator->state),
                                                      .compare = compare };
        out->comparator = &custom->store_comparator;
    }
    if (policy && policy->bloom_bits) {
        out->bloom_bits_per_key = policy->bloom_bits;
    } else if (policy) {
        custom->policy = *policy;
        custom->store_policy = (lode_filter_policy){ .context = &custom->policy,
                                                     .name = policy->name(policy->state),
                                                     .create = create_filter,
                                                     .may_match = may_match };
        out->filter_policy = &custom->store_policy;
    }
}
