/* primitives/encode.h: CompactSize, Core's VARINT, compressed amounts and scripts, coins and undo as stored. */
#ifndef LODE_PRIMITIVES_ENCODE_H
#define LODE_PRIMITIVES_ENCODE_H

#include "primitives/tx.h"
#include "support/bytes.h"

#define LODE_MAX_SIZE UINT64_C(0x02000000) /* Core's MAX_SIZE: the largest CompactSize that is a length */

/* CompactSize. Reading a non-canonical form makes the reader bad; so does a value above LODE_MAX_SIZE when
 * `is_length`. */
uint64_t lode_reader_compact_size(lode_reader *r, bool is_length);
size_t lode_compact_size_length(uint64_t v);
size_t lode_compact_size_write(uint8_t *out, uint64_t v); /* at most 9 bytes */
void lode_buf_put_compact_size(lode_buf *b, uint64_t v);

/* Core's VARINT (base 128, most significant first, each continuation adds one). Overflow makes the reader bad. */
uint64_t lode_reader_varint(lode_reader *r);
size_t lode_varint_length(uint64_t v);
size_t lode_varint_write(uint8_t *out, uint64_t v); /* at most 10 bytes */
void lode_buf_put_varint(lode_buf *b, uint64_t v);

/* Core's CompressAmount and its inverse. */
uint64_t lode_amount_compress(uint64_t sat);
uint64_t lode_amount_decompress(uint64_t x);

/* A script as Core's ScriptCompression stores it: VARINT kind (0 to 5) and 20 or 32 bytes, or VARINT(len + 6) and the
 * script. Appends to out, at most len + 10 bytes. Kinds 4 and 5 (uncompressed keys) need a point that is on the curve,
 * so libsecp256k1 is asked. */
size_t lode_script_compressed_length(const uint8_t *script, size_t len);
size_t lode_script_compress(uint8_t *out, const uint8_t *script, size_t len);
/* Reads one compressed script. `out` points at `scratch` (filled) or into the reader's bytes (lent).
 * A stored script over 10,000 bytes reads as a single OP_RETURN, as in Core. Kinds 4 and 5 that do not decode make
 * the reader bad. scratch holds 67 bytes. */
void lode_reader_script(lode_reader *r, lode_slice *out, uint8_t scratch[67]);
/* The same, but only steps over it. */
void lode_reader_skip_script(lode_reader *r);

/* A coin as stored in chainstate: VARINT(height * 2 + coinbase), VARINT(compressed amount), compressed script. */
typedef struct lode_coin {
    lode_amount value;
    uint32_t height;
    bool is_coinbase;
    lode_slice script; /* lent as the function that filled it says */
} lode_coin;
size_t lode_coin_encoded_length(const lode_coin *coin);
size_t lode_coin_encode(uint8_t *out, const lode_coin *coin);
bool lode_coin_decode(lode_coin *coin, uint8_t scratch[67], const uint8_t *data, size_t len);

/* Chainstate key: 'C', txid, VARINT(index). `out` holds 43 bytes; returns the length. prevout is 36 bytes. */
#define LODE_COIN_KEY_MAX 43
size_t lode_coin_key(uint8_t out[LODE_COIN_KEY_MAX], const uint8_t prevout[36]);
bool lode_coin_key_decode(uint8_t prevout[36], const uint8_t *key, size_t len);

/* Scripts that can never be spent are not stored: OP_RETURN first, or longer than 10,000 bytes. */
static inline bool lode_script_is_unspendable(const uint8_t *script, size_t len)
{
    return (len > 0 && script[0] == 0x6a) || len > 10000;
}

#endif
