/* storage/key_index.c: searching among numbers: first among every sixteenth of them, then among the sixteen.
 *
 * Touches:  memory only.
 * Threads:  any, after init.
 *
 * The samples of a table are a few cache lines that stay warm, and the sixteen are two more. The processor mispredicts
 * nothing, as neither half branches on what it compares. (A guess from the key's value and a gallop from there were
 * tried: keys of decimal digits are not spread evenly as numbers, and each step of the gallop was a misprediction.)
 */
#include "storage/key_index.h"

#include <stdlib.h>

static size_t common_length(lode_slice a, lode_slice b)
{
    return lode_common_bytes(a.data, b.data, a.len < b.len ? a.len : b.len);
}

enum { STEP = 16 }; /* two cache lines of numbers to a sample */

bool lode_key_index_init(lode_key_index *x, size_t count, lode_slice (*key)(const void *context, size_t i),
                         const void *context)
{
    *x = (lode_key_index){ .count = count };
    if (!count)
        return true;
    size_t samples = (count - 1) / STEP;
    x->prefixes = malloc((count + samples) * sizeof *x->prefixes);
    if (!x->prefixes)
        return false;
    x->samples = x->prefixes + count;
    x->sample_count = samples;
    lode_slice first = key(context, 0);
    x->common = lode_slice_of(first.data, common_length(first, key(context, count > 2 ? count - 2 : count - 1)));
    x->last_is_odd = common_length(x->common, key(context, count - 1)) < x->common.len;
    for (size_t i = 0; i < count - x->last_is_odd; i++) {
        lode_slice k = key(context, i);
        size_t skip = k.len < x->common.len ? k.len : x->common.len; /* damaged tables have any keys */
        x->prefixes[i] = lode_key_prefix(k.data + skip, k.len - skip);
    }
    if (x->last_is_odd)
        x->prefixes[count - 1] = UINT64_MAX;
    for (size_t i = 0; i < samples; i++)
        x->samples[i] = x->prefixes[(i + 1) * STEP - 1];
    return true;
}

void lode_key_index_clear(lode_key_index *x)
{
    free(x->prefixes);
    *x = (lode_key_index){ 0 };
}

/* The first position of n > 0 whose number is not below `prefix`, or n. No branch depends on what is compared. */
static inline size_t search_all(const uint64_t *p, size_t n, uint64_t prefix)
{
    const uint64_t *base = p;
    while (n > 1) {
        size_t half = n / 2;
        base += base[half - 1] < prefix ? half : 0;
        n -= half;
    }
    return (size_t)(base - p) + (*base < prefix);
}

static inline size_t first_not_below(const lode_key_index *x, uint64_t prefix)
{
    size_t at = x->sample_count ? search_all(x->samples, x->sample_count, prefix) * STEP : 0;
    size_t n = x->count - at < STEP ? x->count - at : STEP, below = 0;
    for (size_t i = 0; i < n; i++)
        below += x->prefixes[at + i] < prefix;
    return at + below;
}

void lode_key_index_search(const lode_key_index *x, size_t *low, size_t *high, lode_slice user_key)
{
    *low = 0;
    *high = x->count;
    if (!x->prefixes)
        return;
    size_t most = user_key.len < x->common.len ? user_key.len : x->common.len;
    int c = lode_compare_bytes(lode_slice_of(user_key.data, most), x->common);
    if (c) {
        *(c < 0 ? high : low) = c < 0 ? 0 : x->count - x->last_is_odd;
        return;
    }
    uint64_t prefix = lode_key_prefix(user_key.data + most, user_key.len - most);
    *low = first_not_below(x, prefix);
    if (*low == x->count || x->prefixes[*low] != prefix) {
        *high = *low;
        return;
    }
    size_t end = *low + 1; /* as a rule few keys agree in all of it */
    for (size_t step = 1; end < x->count && x->prefixes[end] == prefix; step *= 2)
        end = end + step < x->count ? end + step : x->count;
    *high = end;
}
