/* chainstate/coins_record.c: entries of the coins cache, and packing a transaction's outputs.
 *
 * Room:     bytes in, bytes out.
 * Touches:  nothing but its arguments.
 * Threads:  any.
 */
#include "chainstate/coins_record.h"

#include "chainstate/coins.h"

/* Bytes behind the kinds of Core's script compression: key hash, script hash, four kinds of public key. */
static const uint8_t kind_bytes[6] = { 20, 20, 32, 32, 32, 32 };

static inline const uint8_t *skip_varint(const uint8_t *p)
{
    while (*p++ & 0x80) {
    }
    return p;
}

static inline const uint8_t *read_varint(const uint8_t *p, uint64_t *value)
{
    uint64_t v = 0;

    for (;;) {
        uint8_t b = *p++;
        v = v << 7 | (b & 0x7f);
        if (!(b & 0x80))
            break;
        v++;
    }
    *value = v;
    return p;
}

/* Of a script that stands in stored form. */
static inline size_t stored_script_length(const uint8_t *script)
{
    uint64_t n;
    const uint8_t *p = read_varint(script, &n);

    return (size_t)(p - script) + (n < 6 ? kind_bytes[n] : (size_t)n - 6);
}

size_t lode_coins_entry_length(const uint8_t *entry)
{
    const uint8_t *p;

    if (lode_coins_entry_state(entry) == LODE_COINS_SPENT)
        return 1;
    p = skip_varint(entry + 1);
    switch ((enum lode_coins_form)(entry[0] >> 6)) {
    case LODE_COINS_STORED:
        p += stored_script_length(p);
        break;
    case LODE_COINS_P2WPKH:
        p += 20;
        break;
    case LODE_COINS_P2WSH:
    case LODE_COINS_P2TR:
        p += 32;
        break;
    }
    return (size_t)(p - entry);
}

const uint8_t *lode_coins_record_find(const lode_coins_record *record, unsigned index, uint32_t *left)
{
    const uint8_t *p = record->entries;

    for (*left = lode_coins_record_count(record); *left > 0; --*left) {
        unsigned at = lode_coins_entry_index(p);
        if (at >= index)
            return at == index ? p : NULL;
        p += lode_coins_entry_length(p);
    }
    return NULL;
}

size_t lode_coins_entries_length(const uint8_t *entries, uint32_t count)
{
    const uint8_t *p = entries;

    for (; count > 0; count--)
        p += lode_coins_entry_length(p);
    return (size_t)(p - entries);
}

/* The form of a script in stored form: VARINT(len + 6) of 22 and 34 bytes is 28 and 40. */
static unsigned form_of_stored(lode_slice s)
{
    if (s.len == 23 && s.data[0] == 28 && s.data[1] == 0x00 && s.data[2] == 0x14)
        return LODE_COINS_P2WPKH;
    if (s.len == 35 && s.data[0] == 40 && s.data[2] == 0x20)
        return s.data[1] == 0x00 ? LODE_COINS_P2WSH : s.data[1] == 0x51 ? LODE_COINS_P2TR : LODE_COINS_STORED;
    return LODE_COINS_STORED;
}

static unsigned form_of_script(const uint8_t *script, size_t len)
{
    if (len == 22 && script[0] == 0x00 && script[1] == 0x14)
        return LODE_COINS_P2WPKH;
    if (len == 34 && script[1] == 0x20)
        return script[0] == 0x00 ? LODE_COINS_P2WSH : script[0] == 0x51 ? LODE_COINS_P2TR : LODE_COINS_STORED;
    return LODE_COINS_STORED;
}

size_t lode_coins_entry_write(uint8_t *out, unsigned index, unsigned state, uint64_t compressed_amount,
                              lode_slice script)
{
    unsigned form = form_of_stored(script);
    size_t skip = form == LODE_COINS_STORED ? 0 : 3;
    size_t n = 1 + lode_varint_write(out + 1, compressed_amount);

    out[0] = lode_coins_tag(index, state, form);
    memcpy(out + n, script.data + skip, script.len - skip);
    return n + script.len - skip;
}

void lode_coins_entry_read(const uint8_t *entry, uint64_t *compressed_amount, lode_slice *script, uint8_t *scratch)
{
    const uint8_t *p = read_varint(entry + 1, compressed_amount);
    size_t len = 0;

    switch ((enum lode_coins_form)(entry[0] >> 6)) {
    case LODE_COINS_STORED:
        len = stored_script_length(p);
        memcpy(scratch, p, len);
        break;
    case LODE_COINS_P2WPKH:
        memcpy(scratch, "\x1c\x00\x14", 3);
        memcpy(scratch + 3, p, 20);
        len = 23;
        break;
    case LODE_COINS_P2WSH:
        memcpy(scratch, "\x28\x00\x20", 3);
        memcpy(scratch + 3, p, 32);
        len = 35;
        break;
    case LODE_COINS_P2TR:
        memcpy(scratch, "\x28\x51\x20", 3);
        memcpy(scratch + 3, p, 32);
        len = 35;
        break;
    }
    *script = lode_slice_of(scratch, len);
}

bool lode_coins_is_stored_script(lode_slice script, bool *too_long)
{
    lode_reader r = lode_reader_of(script.data, script.len);
    uint64_t n = lode_reader_varint(&r);

    *too_long = !r.bad && n > 10000 + 6;
    lode_reader_take(&r, n < 6 ? kind_bytes[n] : (size_t)(n - 6));
    return lode_reader_is_done(&r);
}

/* One output as a fresh entry. */
static size_t pack_output(uint8_t *out, unsigned index, const lode_txout *o)
{
    unsigned form = form_of_script(o->script, o->script_len);
    size_t n = 1 + lode_varint_write(out + 1, lode_amount_compress((uint64_t)o->value.sat));

    out[0] = lode_coins_tag(index, LODE_COINS_FRESH, form);
    if (form == LODE_COINS_STORED)
        return n + lode_script_compress(out + n, o->script, o->script_len);
    memcpy(out + n, o->script + 2, o->script_len - 2);
    return n + o->script_len - 2;
}

/* Room for every spendable output, each perhaps with a group of its own. */
static bool packed_bound(size_t *bound, const lode_tx *tx)
{
    size_t total = 0;

    for (uint32_t i = 0; i < tx->output_count; i++) {
        const lode_txout *o = &tx->outputs[i];
        if (lode_script_is_unspendable(o->script, o->script_len))
            continue;
        total += LODE_COINS_GROUP_HEADER + 1 + 10 + 10 + o->script_len;
    }
    *bound = total;
    return tx->output_count <= LODE_COINS_MAX_INDEX;
}

bool lode_coins_pack(lode_packed_tx *packed, const lode_tx *tx, lode_arena *arena)
{
    size_t bound;
    uint8_t *bytes, *at, *group = NULL;
    uint32_t count = 0;

    *packed = (lode_packed_tx){ NULL, 0, 0 };
    if (!packed_bound(&bound, tx) || bound > UINT32_MAX)
        return false;
    if (bound == 0)
        return true;
    bytes = at = lode_arena_take(arena, bound);
    if (!bytes)
        return false;
    for (uint32_t i = 0; i < tx->output_count; i++) {
        const lode_txout *o = &tx->outputs[i];
        uint32_t part = i / LODE_COINS_PART_OUTPUTS;
        size_t room = o->script_len + 21;
        if (lode_script_is_unspendable(o->script, o->script_len))
            continue;
        if (!group || lode_read_le16(group) != part ||
            (size_t)(at - group) - LODE_COINS_GROUP_HEADER + room > LODE_COINS_MAX_ENTRIES_BYTES) {
            group = at;
            lode_write_le16(group, (uint16_t)part);
            group[4] = 0;
            at += LODE_COINS_GROUP_HEADER;
        }
        at += pack_output(at, i % LODE_COINS_PART_OUTPUTS, o);
        group[4]++;
        lode_write_le16(group + 2, (uint16_t)((size_t)(at - group) - LODE_COINS_GROUP_HEADER));
        count++;
    }
    *packed = (lode_packed_tx){ bytes, (uint32_t)(at - bytes), count };
    return true;
}
