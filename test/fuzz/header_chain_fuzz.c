/* test/fuzz/header_chain_fuzz.c: trees of headers get the verdict of a slow, straightforward reading of the rules.
 *
 * Input:  rules u8 (1 easy blocks after 20 minutes, 2 no retargeting, 4 BIP 94, 8 a low limit)
 *         then steps of 8 bytes: parent u8 (back from the newest node) | time i16 LE (of 16 seconds, after the parent)
 *         | kind u8 (which target it claims; 0x80: a bad hash) | bits u24 LE | version u8 (signed)
 * An interval is 8 blocks, so that short inputs cross many. The hash is made up, since no one can mine here.
 */
#include "validate/rules/header.h"

#include "test/fuzz/fuzz.h"

#define MOST_NODES 300
#define INTERVAL 8
#define NOW INT64_C(1500000000)

/* ---- the slow reading: paths as arrays, numbers as 40 bytes, most significant first ---- */

typedef struct number {
    uint8_t bytes[40];
} number;

static int compare_numbers(const number *a, const number *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

/* The product is cut to 256 bits, which regtest's targets would exceed if regtest retargeted. */
static number scale(number a, uint32_t times, uint32_t over)
{
    uint64_t carry = 0, rest = 0;

    for (size_t i = sizeof a.bytes; i-- > 0;) {
        carry += (uint64_t)a.bytes[i] * times;
        a.bytes[i] = (uint8_t)carry;
        carry >>= 8;
    }
    memset(a.bytes, 0, 8);
    for (size_t i = 0; i < sizeof a.bytes; i++) {
        rest = rest << 8 | a.bytes[i];
        a.bytes[i] = (uint8_t)(rest / over);
        rest %= over;
    }
    return a;
}

/* False: negative, zero, or longer than 32 bytes. */
static bool read_target(number *out, uint32_t bits)
{
    int size = (int)(bits >> 24);
    bool any = false;

    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) { /* mantissa byte i has weight 256^(size - 1 - i) */
        uint8_t byte = (uint8_t)(bits >> (16 - 8 * i));
        int weight = size - 1 - i;
        if (i == 0)
            byte &= 0x7f;
        if (weight < 0 || byte == 0)
            continue;
        if (weight > 31)
            return false;
        out->bytes[sizeof out->bytes - 1 - (size_t)weight] = byte;
        any = true;
    }
    return any && !(bits & 0x00800000u);
}

static uint32_t write_target(const number *a)
{
    size_t first = 0;
    uint32_t mantissa, size;

    while (first < sizeof a->bytes && a->bytes[first] == 0)
        first++;
    size = (uint32_t)(sizeof a->bytes - first);
    if (size && a->bytes[first] & 0x80) {
        first--;
        size++;
    }
    mantissa = 0;
    for (size_t i = 0; i < 3; i++)
        mantissa = mantissa << 8 | (first + i < sizeof a->bytes ? a->bytes[first + i] : 0);
    return size << 24 | (size ? mantissa : 0);
}

typedef struct path {
    const lode_node *nodes[MOST_NODES + 1];
    int32_t height; /* of the last one */
} path;

static void read_path(path *p, const lode_node *tip)
{
    p->height = tip->height;
    for (const lode_node *at = tip; at; at = at->prev)
        p->nodes[at->height] = at;
}

static int compare_times(const void *a, const void *b)
{
    uint32_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

static uint32_t slow_median(const path *p)
{
    uint32_t times[11];
    size_t count = 0;

    for (int32_t h = p->height; h >= 0 && count < 11; h--)
        times[count++] = p->nodes[h]->header.time;
    qsort(times, count, sizeof *times, compare_times);
    return times[count / 2];
}

static uint32_t slow_bits(const path *p, uint32_t time, const lode_chain_params *params)
{
    const lode_header *last = &p->nodes[p->height]->header;
    const lode_header *first;
    int64_t took;
    number target, limit;

    if ((p->height + 1) % INTERVAL != 0) {
        int32_t h = p->height;
        if (!params->allow_min_difficulty)
            return last->bits;
        if ((int64_t)time - (int64_t)last->time > 1200)
            return params->pow_limit_bits;
        while (h > 0 && h % INTERVAL != 0 && p->nodes[h]->header.bits == params->pow_limit_bits)
            h--;
        return p->nodes[h]->header.bits;
    }
    if (params->no_retargeting)
        return last->bits;
    first = &p->nodes[p->height + 1 - INTERVAL]->header;
    took = (int64_t)last->time - (int64_t)first->time;
    took = took < 1200 ? 1200 : took > 19200 ? 19200 : took;
    read_target(&target, params->enforce_bip94 ? first->bits : last->bits);
    target = scale(target, (uint32_t)took, 4800);
    for (size_t i = 0; i < 32; i++)
        limit.bytes[i + 8] = (uint8_t)(params->pow_limit.limbs[3 - i / 8] >> (56 - 8 * (i % 8)));
    memset(limit.bytes, 0, 8);
    return write_target(compare_numbers(&target, &limit) > 0 ? &limit : &target);
}

static lode_reject slow_check(const path *p, const lode_header *h, bool has_good_hash, const lode_chain_params *params)
{
    const lode_header *last = &p->nodes[p->height]->header;
    int32_t height = p->height + 1;
    number target, limit;

    memset(&limit, 0, sizeof limit);
    for (size_t i = 0; i < 32; i++)
        limit.bytes[i + 8] = (uint8_t)(params->pow_limit.limbs[3 - i / 8] >> (56 - 8 * (i % 8)));
    if (!has_good_hash || !read_target(&target, h->bits) || compare_numbers(&target, &limit) > 0)
        return LODE_HIGH_HASH;
    if (h->bits != slow_bits(p, h->time, params))
        return LODE_BAD_DIFFBITS;
    if (h->time <= slow_median(p))
        return LODE_TIME_TOO_OLD;
    if (params->enforce_bip94 && height % INTERVAL == 0 && (int64_t)h->time + 600 < (int64_t)last->time)
        return LODE_TIME_TIMEWARP_ATTACK;
    if (h->time > NOW + 7200)
        return LODE_TIME_TOO_NEW;
    for (int v = 1; v <= 3; v++) {
        int32_t from = v == 1 ? params->bip34_height : v == 2 ? params->bip66_height : params->bip65_height;
        if (h->version <= v && height >= from)
            return LODE_BAD_VERSION;
    }
    return LODE_VALID;
}

/* ---- the run ---- */

static void check_ancestors(const path *p, const lode_node *tip)
{
    for (int32_t h = -1; h <= p->height + 1; h++) {
        const lode_node *found = lode_node_ancestor(tip, h);
        FUZZ_CHECK(found == (h < 0 || h > p->height ? NULL : p->nodes[h]));
    }
}

static void check_fork(lode_node *a, lode_node *b)
{
    const lode_node *x = a, *y = b;

    while (x != y) {
        if (x->height >= y->height)
            x = x->prev;
        else
            y = y->prev;
    }
    FUZZ_CHECK(lode_node_fork(a, b) == x);
}

static void init_params(lode_chain_params *params, uint8_t rules)
{
    lode_chain_params_init(params, LODE_CHAIN_REGTEST);
    params->target_timespan = INTERVAL * 600;
    params->allow_min_difficulty = rules & 1;
    params->no_retargeting = rules & 2;
    params->enforce_bip94 = rules & 4;
    params->bip34_height = 5;
    params->bip66_height = 9;
    params->bip65_height = 12;
    if (rules & 8) {
        params->pow_limit = lode_u256_shift_right(params->pow_limit, 31);
        params->pow_limit_bits = lode_u256_to_compact(&params->pow_limit);
    }
}

static void add_genesis(lode_node *node, const lode_chain_params *params)
{
    memset(node, 0, sizeof *node);
    node->header.version = 1;
    node->header.time = 1499000000;
    node->header.bits = params->pow_limit_bits;
    lode_node_link(node, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static lode_node nodes[MOST_NODES];
    static path p;
    lode_chain_params params;
    size_t count = 1;

    if (len < 1)
        return 0;
    init_params(&params, data[0]);
    add_genesis(&nodes[0], &params);
    for (data++, len--; len >= 8 && count < MOST_NODES; data += 8, len -= 8) {
        lode_node *prev = &nodes[count - 1 - data[0] % count], *node = &nodes[count];
        lode_header header = { .version = (int8_t)data[7] };
        lode_block_hash hash = { { 0 } };
        uint32_t claimed = (uint32_t)data[4] | (uint32_t)data[5] << 8 | (uint32_t)data[6] << 16;
        bool has_good_hash = !(data[3] & 0x80);
        lode_verdict verdict;

        header.time = prev->header.time + (uint32_t)((int16_t)lode_read_le16(data + 1) * 16);
        read_path(&p, prev);
        header.bits = slow_bits(&p, header.time, &params);
        FUZZ_CHECK(lode_header_next_bits(prev, &header, &params) == header.bits);
        if ((data[3] & 3) == 1)
            header.bits = claimed | (uint32_t)((data[3] >> 2 & 0x1f) + 4) << 24;
        if ((data[3] & 3) == 2)
            header.bits = params.pow_limit_bits;
        if (!has_good_hash)
            memset(hash.bytes, 0xff, 32);
        verdict = lode_header_check(&header, &hash, prev, NOW, &params);
        FUZZ_CHECK(verdict.reject == slow_check(&p, &header, has_good_hash, &params));
        FUZZ_CHECK(!verdict.is_mutated);
        if (verdict.reject != LODE_VALID)
            continue;
        memset(node, 0, sizeof *node);
        node->header = header;
        lode_node_link(node, prev);
        read_path(&p, node);
        FUZZ_CHECK(node->median_time == slow_median(&p));
        FUZZ_CHECK(lode_u256_compare(&node->chain_work, &prev->chain_work) > 0);
        check_fork(node, &nodes[data[4] % count]);
        count++;
    }
    read_path(&p, &nodes[count - 1]);
    check_ancestors(&p, &nodes[count - 1]);
    return 0;
}
