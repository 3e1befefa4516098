/* chainstate/coins_record.h: coins in the cache's own form: one record for the outputs of a transaction.
 *
 * Outputs are kept in parts of 16 neighbours, so that no record is long to search: a record belongs to a txid, a part
 * and a height. (A part has a second record when its outputs differ in height, as repeated coinbases can, or when their
 * scripts do not fit into one.)
 *
 * Record, aligned to 4:  meta u32 | code u32 | txid 32 | entries, in order of index       native byte order
 *   meta  bits 0-12 length in units of 4 bytes, 13-17 number of entries, 18-31 part; no entries: a free block
 *   code  height * 2 + coinbase; in a free block the offset of the next one
 * Entry:  tag u8 | VARINT(compressed amount) | script                                     a spent one is its tag alone
 *   tag   bits 0-3 index within the part, 4-5 state, 6-7 form of the script
 *     output 1, fresh, 50 BTC to P2WPKH:  41 32 and 20 bytes of key hash
 */
#ifndef LODE_CHAINSTATE_COINS_RECORD_H
#define LODE_CHAINSTATE_COINS_RECORD_H

#include "support/bytes.h"

#define LODE_COINS_PART_OUTPUTS 16u
#define LODE_COINS_MAX_INDEX                                                                                           \
    (LODE_COINS_PART_OUTPUTS << 14) /* first index that no record can hold; no valid block has it */

/* What the cache knows of an output. */
enum lode_coins_state {
    LODE_COINS_FRESH = 0, /* unspent, and certainly not in the database: spending it leaves no trace */
    LODE_COINS_DIRTY = 1, /* unspent, the database may have an older one */
    LODE_COINS_SPENT = 2, /* a deletion the database needs */
};

/* How the script stands in an entry. */
enum lode_coins_form {
    LODE_COINS_STORED = 0, /* as Core stores it: VARINT, bytes */
    LODE_COINS_P2WPKH = 1, /* 20 bytes */
    LODE_COINS_P2WSH = 2,  /* 32 bytes */
    LODE_COINS_P2TR = 3,   /* 32 bytes */
};

typedef struct lode_coins_record {
    uint32_t meta;
    uint32_t code;
    uint8_t txid[32];
    uint8_t entries[];
} lode_coins_record;

#define LODE_COINS_UNIT 4u
#define LODE_COINS_MIN_UNITS 11u /* a record with one spent output */
#define LODE_COINS_MAX_UNITS 4096u
/* The first unit of a shard's first chunk is left free. */
#define LODE_COINS_MAX_ENTRIES_BYTES ((LODE_COINS_MAX_UNITS - 1) * LODE_COINS_UNIT - sizeof(lode_coins_record))
/* Longest script in stored form: 10,000 bytes behind a VARINT of two. */
#define LODE_COINS_MAX_STORED_SCRIPT 10002u
#define LODE_COINS_MAX_ENTRY (1u + 10u + LODE_COINS_MAX_STORED_SCRIPT)

static inline uint32_t lode_coins_meta(uint32_t units, uint32_t count, uint32_t part)
{
    return units | count << 13 | part << 18;
}
static inline uint32_t lode_coins_record_units(const lode_coins_record *r)
{
    return r->meta & 0x1fff;
}
static inline uint32_t lode_coins_record_count(const lode_coins_record *r)
{
    return r->meta >> 13 & 31;
}
static inline uint32_t lode_coins_record_part(const lode_coins_record *r)
{
    return r->meta >> 18;
}
static inline uint32_t lode_coins_units_for(size_t entries_bytes)
{
    return (uint32_t)((sizeof(lode_coins_record) + entries_bytes + LODE_COINS_UNIT - 1) / LODE_COINS_UNIT);
}

static inline unsigned lode_coins_entry_index(const uint8_t *entry)
{
    return entry[0] & 15;
}
static inline unsigned lode_coins_entry_state(const uint8_t *entry)
{
    return entry[0] >> 4 & 3;
}
static inline uint8_t lode_coins_tag(unsigned index, unsigned state, unsigned form)
{
    return (uint8_t)(index | state << 4 | form << 6);
}
static inline void lode_coins_entry_set_state(uint8_t *entry, unsigned state)
{
    entry[0] = (uint8_t)((entry[0] & 0xcf) | state << 4);
}

size_t lode_coins_entry_length(const uint8_t *entry);
/* The entry of this index, or NULL. *left: entries from it on. */
const uint8_t *lode_coins_record_find(const lode_coins_record *record, unsigned index, uint32_t *left);
/* Bytes of so many entries. */
size_t lode_coins_entries_length(const uint8_t *entries, uint32_t count);
/* Bytes of all entries. */
static inline size_t lode_coins_record_entries_bytes(const lode_coins_record *record)
{
    return lode_coins_entries_length(record->entries, lode_coins_record_count(record));
}

/* Writes an entry; script is in stored form and well formed. At most LODE_COINS_MAX_ENTRY bytes; returns the length. */
size_t lode_coins_entry_write(uint8_t *out, unsigned index, unsigned state, uint64_t compressed_amount,
                              lode_slice script);
/* Reads an unspent one. *script, in stored form, lies in `scratch`, which holds LODE_COINS_MAX_STORED_SCRIPT bytes. */
void lode_coins_entry_read(const uint8_t *entry, uint64_t *compressed_amount, lode_slice *script, uint8_t *scratch);

/* Is this exactly one script in stored form? *too_long: well formed, but over 10,000 bytes, which Core reads as one
 * OP_RETURN. */
bool lode_coins_is_stored_script(lode_slice script, bool *too_long);

/* What lode_coins_pack makes: groups of  part u16 | bytes u16 | count u8 | entries  (little endian), each a record. */
#define LODE_COINS_GROUP_HEADER 5u

#endif
