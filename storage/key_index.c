/* storage/key_index.c: searching among numbers: a guess, a gallop, and a binary search of what is left.
 *
 * Touches:  memory only.
 * Threads:  any, after init.
 *
 * Keys that are hashes are spread evenly, so the guess is a few dozen positions off, and the search stays within a few
 * cache lines where a binary search of the whole would miss at every step. For other keys the gallop costs a few steps.
 */
#include "storage/key_index.h"

#include <stdlib.h>

static size_t common_length(lode_slice a, lode_slice b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.data[i] == b.data[i])
        i++;
    return i;
}

bool lode_key_index_init(lode_key_index *x, size_t count, lode_slice (*key)(const void *context, size_t i),
                         const void *context)
{
    *x = (lode_key_index){ .count = count };
    if (!count)
        return true;
    x->prefixes = malloc(count * sizeof *x->prefixes);
    if (!x->prefixes)
        return false;
    lode_slice first = key(context, 0);
    x->common = lode_slice_of(first.data, common_length(first, key(context, count - 1)));
    for (size_t i = 0; i < count; i++) {
        lode_slice k = key(context, i);
        size_t skip = k.len < x->common.len ? k.len : x->common.len;
        x->prefixes[i] = lode_key_prefix(k.data + skip, k.len - skip);
    }
    uint64_t span = x->prefixes[count - 1] - x->prefixes[0];
    x->scale = span ? (double)(count - 1) / (double)span : 0;
    return true;
}

void lode_key_index_clear(lode_key_index *x)
{
    free(x->prefixes);
    *x = (lode_key_index){ 0 };
}

/* The first position in [low, high) whose number is not below `prefix`, or high. */
static size_t search_between(const uint64_t *p, size_t low, size_t high, uint64_t prefix)
{
    const uint64_t *base = p + low;
    size_t n = high - low;
    if (!n)
        return low;
    while (n > 1) {
        size_t half = n / 2;
        base += base[half - 1] < prefix ? half : 0;
        n -= half;
    }
    return (size_t)(base - p) + (*base < prefix);
}

static size_t first_not_below(const lode_key_index *x, uint64_t prefix)
{
    enum { SMALL = 32, FIRST_STEP = 8 };
    const uint64_t *p = x->prefixes;
    size_t n = x->count;
    if (prefix <= p[0])
        return 0;
    if (prefix > p[n - 1])
        return n;
    if (n <= SMALL)
        return search_between(p, 0, n, prefix);
    size_t guess = (size_t)((double)(prefix - p[0]) * x->scale), step = FIRST_STEP;
    if (guess >= n)
        guess = n - 1;
    if (p[guess] < prefix) { /* to the right */
        size_t low = guess + 1;
        while (low + step < n && p[low + step] < prefix) {
            low += step + 1;
            step *= 2;
        }
        return search_between(p, low, low + step < n ? low + step : n, prefix);
    }
    size_t high = guess;
    while (high > step && p[high - step] >= prefix) {
        high -= step;
        step *= 2;
    }
    return search_between(p, high > step ? high - step : 0, high, prefix);
}

void lode_key_index_search(const lode_key_index *x, size_t *low, size_t *high, lode_slice user_key)
{
    *low = 0;
    *high = x->count;
    if (!x->prefixes)
        return;
    size_t most = user_key.len < x->common.len ? user_key.len : x->common.len;
    int c = most ? memcmp(user_key.data, x->common.data, most) : 0;
    if (c < 0 || (c == 0 && most < x->common.len)) {
        *high = 0;
        return;
    }
    if (c > 0) {
        *low = x->count;
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
