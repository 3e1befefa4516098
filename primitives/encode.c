/* primitives/encode.c: CompactSize, VARINT, amounts and coins.
 *
 * Room:     small integers as bytes, both ways.
 * Source:   Core's serialize.h and compressor.cpp.
 */
#include "primitives/encode.h"

uint64_t lode_reader_compact_size(lode_reader *r, bool is_length)
{
    uint8_t first = lode_reader_u8(r);
    uint64_t v = first, least = 0;

    if (first == 253) {
        v = lode_reader_u16(r);
        least = 253;
    } else if (first == 254) {
        v = lode_reader_u32(r);
        least = UINT64_C(0x10000);
    } else if (first == 255) {
        v = lode_reader_u64(r);
        least = UINT64_C(0x100000000);
    }
    if (v < least || (is_length && v > LODE_MAX_SIZE))
        r->bad = true;
    return r->bad ? 0 : v;
}

size_t lode_compact_size_length(uint64_t v)
{
    return v < 253 ? 1 : v <= UINT16_MAX ? 3 : v <= UINT32_MAX ? 5 : 9;
}

size_t lode_compact_size_write(uint8_t *out, uint64_t v)
{
    size_t len = lode_compact_size_length(v);

    if (len == 1) {
        out[0] = (uint8_t)v;
    } else if (len == 3) {
        out[0] = 253;
        lode_write_le16(out + 1, (uint16_t)v);
    } else if (len == 5) {
        out[0] = 254;
        lode_write_le32(out + 1, (uint32_t)v);
    } else {
        out[0] = 255;
        lode_write_le64(out + 1, v);
    }
    return len;
}

void lode_buf_put_compact_size(lode_buf *b, uint64_t v)
{
    uint8_t bytes[9];

    lode_buf_append(b, bytes, lode_compact_size_write(bytes, v));
}

/* VARINT: base 128, most significant digit first; every byte but the last has its top bit set, and one is added for
 * each, so that every number has one form only.
 *     0: 00   127: 7f   128: 8000   255: 807f   16511: ff7f   65535: 82fe7f
 */
uint64_t lode_reader_varint(lode_reader *r)
{
    uint64_t v = 0;

    for (;;) {
        uint8_t byte = lode_reader_u8(r);
        if (r->bad || v > UINT64_MAX >> 7)
            break;
        v = v << 7 | (byte & 0x7f);
        if (!(byte & 0x80))
            return v;
        if (v == UINT64_MAX)
            break;
        v++;
    }
    r->bad = true;
    return 0;
}

size_t lode_varint_length(uint64_t v)
{
    size_t len = 1;

    for (; v > 0x7f; v = (v >> 7) - 1)
        len++;
    return len;
}

size_t lode_varint_write(uint8_t *out, uint64_t v)
{
    size_t len = lode_varint_length(v);

    out[len - 1] = v & 0x7f;
    for (size_t i = len - 1; i > 0; i--) {
        v = (v >> 7) - 1;
        out[i - 1] = (uint8_t)(0x80 | (v & 0x7f));
    }
    return len;
}

void lode_buf_put_varint(lode_buf *b, uint64_t v)
{
    uint8_t bytes[10];

    lode_buf_append(b, bytes, lode_varint_write(bytes, v));
}

/* sat = m * 10^e with e as large as can be, up to 9. Below 9 the last digit d of m is 1 to 9, n the digits before:
 *     0 -> 0     e < 9 -> 1 + 10 * (9 * n + d - 1) + e     e = 9 -> 1 + 10 * (m - 1) + 9
 * Sums wrap as Core's do; amounts that are money never reach that far. */
uint64_t lode_amount_compress(uint64_t sat)
{
    uint64_t m = sat, e = 0;

    if (sat == 0)
        return 0;
    for (; e < 9 && m % 10 == 0; e++)
        m /= 10;
    if (e == 9)
        return 1 + 10 * (m - 1) + 9;
    return 1 + 10 * (9 * (m / 10) + m % 10 - 1) + e;
}

uint64_t lode_amount_decompress(uint64_t x)
{
    if (x == 0)
        return 0;
    uint64_t e = (x - 1) % 10;
    uint64_t rest = (x - 1) / 10;
    uint64_t sat = e == 9 ? rest + 1 : rest / 9 * 10 + rest % 9 + 1;
    for (; e > 0; e--)
        sat *= 10;
    return sat;
}

static uint64_t coin_code(const lode_coin *coin)
{
    return (uint64_t)coin->height * 2 + coin->is_coinbase;
}

size_t lode_coin_encoded_length(const lode_coin *coin)
{
    return lode_varint_length(coin_code(coin)) + lode_varint_length(lode_amount_compress((uint64_t)coin->value.sat)) +
           lode_script_compressed_length(coin->script.data, coin->script.len);
}

size_t lode_coin_encode(uint8_t *out, const lode_coin *coin)
{
    uint8_t *p = out;

    p += lode_varint_write(p, coin_code(coin));
    p += lode_varint_write(p, lode_amount_compress((uint64_t)coin->value.sat));
    p += lode_script_compress(p, coin->script.data, coin->script.len);
    return (size_t)(p - out);
}

bool lode_coin_decode(lode_coin *coin, uint8_t scratch[67], const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len);
    lode_coin decoded;
    uint64_t code = lode_reader_varint(&r);

    if (code > UINT32_MAX)
        return false;
    decoded.height = (uint32_t)(code >> 1);
    decoded.is_coinbase = code & 1;
    decoded.value.sat = (int64_t)lode_amount_decompress(lode_reader_varint(&r));
    lode_reader_script(&r, &decoded.script, scratch);
    if (!lode_reader_is_done(&r))
        return false;
    *coin = decoded;
    return true;
}

size_t lode_coin_key(uint8_t out[LODE_COIN_KEY_MAX], const uint8_t prevout[36])
{
    out[0] = 'C';
    memcpy(out + 1, prevout, 32);
    return 33 + lode_varint_write(out + 33, lode_read_le32(prevout + 32));
}

bool lode_coin_key_decode(uint8_t prevout[36], const uint8_t *key, size_t len)
{
    lode_reader r = lode_reader_of(key, len);
    uint8_t kind = lode_reader_u8(&r);
    const uint8_t *txid = lode_reader_take(&r, 32);
    uint64_t index = lode_reader_varint(&r);

    if (!lode_reader_is_done(&r) || kind != 'C' || index > UINT32_MAX)
        return false;
    memcpy(prevout, txid, 32);
    lode_write_le32(prevout + 32, (uint32_t)index);
    return true;
}
