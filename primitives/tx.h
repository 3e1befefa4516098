/* primitives/tx.h: transactions and blocks as views into their raw bytes.
 *
 * Parsing copies nothing: scripts and witnesses are lent from the bytes that were parsed, the arrays from the arena.
 * Rules of form are Core's UnserializeTransaction: extended format (BIP 144), "Superfluous witness record" and
 * "Unknown transaction optional data" are refused, CompactSize must be canonical and at most MAX_SIZE (0x02000000).
 */
#ifndef LODE_PRIMITIVES_TX_H
#define LODE_PRIMITIVES_TX_H

#include "primitives/amount.h"
#include "primitives/hash.h"
#include "support/arena.h"
#include "support/bytes.h"

typedef struct lode_outpoint {
    lode_txid txid;
    uint32_t index; /* counts from 0; 0xffffffff with a zero txid is "null", a coinbase's */
} lode_outpoint;

typedef struct lode_txin {
    const uint8_t *prevout; /* 36 bytes as serialised: txid, index little endian */
    const uint8_t *script_sig;
    uint32_t script_sig_len;
    uint32_t sequence;
    const uint8_t *witness; /* serialised items, without their count; NULL when there are none */
    uint32_t witness_len;   /* bytes of `witness` */
    uint32_t witness_count; /* items */
} lode_txin;

typedef struct lode_txout {
    lode_amount value;
    const uint8_t *script;
    uint32_t script_len;
} lode_txout;

typedef struct lode_tx {
    const uint8_t *raw; /* lent from the block */
    uint32_t size;      /* bytes with witness */
    uint32_t base_size; /* bytes without marker, flag and witness */
    int32_t version;    /* as stored; compare as uint32_t for BIP 68, as Core does */
    uint32_t lock_time;
    uint32_t input_count;
    uint32_t output_count;
    lode_txin *inputs;
    lode_txout *outputs;
    bool has_witness;
    lode_txid txid;
    lode_wtxid wtxid; /* equals txid without witness; NOT all zero for a coinbase here */
} lode_tx;

#define LODE_HEADER_SIZE 80
typedef struct lode_header {
    int32_t version;
    lode_block_hash prev;
    lode_hash256 merkle_root;
    uint32_t time;
    uint32_t bits;
    uint32_t nonce;
} lode_header;

typedef struct lode_block {
    const uint8_t *raw; /* borrowed from the caller of the parser for the block's life */
    uint32_t size;      /* bytes of the whole block, which may be less than what was given to the parser */
    uint32_t base_size; /* bytes without any witness: header + count + sum of base_size */
    lode_header header;
    lode_block_hash hash;
    uint32_t tx_count;
    lode_tx *txs;
    uint64_t input_count;  /* sums over txs, coinbase included */
    uint64_t output_count;
} lode_block;

static inline bool lode_tx_is_coinbase(const lode_tx *tx)
{
    return tx->input_count == 1 && lode_read_le32(tx->inputs[0].prevout + 32) == 0xffffffffu &&
           lode_bytes32_is_zero(tx->inputs[0].prevout);
}

/* Why bytes are not a transaction; NULL text when they are. For messages only. */
typedef struct lode_parse_error {
    const char *what;  /* static text */
    size_t offset;     /* where reading stopped, from the start of the bytes given */
} lode_parse_error;

void lode_header_parse(lode_header *header, const uint8_t raw[LODE_HEADER_SIZE]);
void lode_header_serialize(uint8_t raw[LODE_HEADER_SIZE], const lode_header *header);

enum lode_parse_flags {
    LODE_PARSE_NO_HASHES = 1,  /* txid and wtxid are left unset */
    LODE_PARSE_ALLOW_TAIL = 2, /* bytes after the transaction or block are no error */
    LODE_PARSE_NO_WITNESS = 4, /* legacy format only, as SERIALIZE_TRANSACTION_NO_WITNESS */
    LODE_PARSE_NO_WTXIDS = 8,  /* wtxid is left unset where it differs from the txid */
};

/* False when the bytes are no transaction (error filled if not NULL) or memory is out (error->what says so).
 * On success arrays are lent from `arena`. */
bool lode_tx_parse(lode_tx *tx, lode_arena *arena, const uint8_t *raw, size_t len, int flags, lode_parse_error *error);
bool lode_block_parse(lode_block *block, lode_arena *arena, const uint8_t *raw, size_t len, int flags, lode_parse_error *error);

/* The transaction without its witness, appended to `out` (what txid hashes). */
void lode_tx_serialize_base(lode_buf *out, const lode_tx *tx);

/* Item `i` of an input's witness is found by walking; this steps through them in order:
 *     lode_reader r = lode_witness_reader(in); lode_slice item; while (lode_witness_next(&r, &item)) ... */
static inline lode_reader lode_witness_reader(const lode_txin *in)
{
    return lode_reader_of(in->witness, in->witness ? in->witness_len : 0);
}
bool lode_witness_next(lode_reader *r, lode_slice *item);

/* Merkle root of `count` leaves (32 bytes each, overwritten: the tree is built in place). *mutated when two equal
 * hashes met at an even position of any level (CVE-2012-2459), which is Core's ComputeMerkleRoot. Zero leaves: zero. */
void lode_merkle_root(uint8_t root[32], bool *mutated, uint8_t *leaves, size_t count);

#endif
