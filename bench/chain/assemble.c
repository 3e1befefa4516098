/* bench/chain/assemble.c: a signed plan becomes a block.
 *
 * Room:     the coinbase, the two merkle trees and the header around transactions that are made.
 * Touches:  the caller's buffer.
 * Threads:  one.
 * Promise:  unless asked to spoil it, the block is valid upon `prev` where its transactions are.
 */
#include "bench/chain/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "bench/chain/script_kind.h"
#include "primitives/encode.h"
#include "primitives/tx.h"
#include "validate/script/opcode.h"

#define REGTEST_BITS UINT32_C(0x207fffff)
#define BLOCK_VERSION INT32_C(0x20000000)
#define HALVING_INTERVAL 150
#define NO_SUCH_PARENT 0x77

typedef struct lode_coinbase {
    lode_buf base;  /* without witness */
    lode_buf whole; /* as it stands in the block */
    lode_txid txid;
} lode_coinbase;

static int64_t subsidy_at(uint32_t height)
{
    uint32_t halvings = height / HALVING_INTERVAL;
    return halvings < 64 ? (50 * LODE_COIN) >> halvings : 0;
}

static bool any_witness(const lode_block_plan *plan)
{
    for (size_t i = 0; i < plan->tx_count; i++) {
        if (plan->txs[i].has_witness)
            return true;
    }
    return false;
}

/* BIP 34's height, and the salt. */
static void put_coinbase_script(lode_buf *b, const lode_assembly *a)
{
    uint8_t script[101] = { 0 };
    uint32_t height = a->plan->height + (a->spoil == LODE_BLOCK_CB_HEIGHT);
    size_t len = lode_script_push_number(script, height);

    script[len] = 8;
    lode_write_le64(script + len + 1, a->salt);
    len += 9;
    if (a->spoil == LODE_BLOCK_CB_LENGTH)
        len = sizeof script;
    lode_buf_put_compact_size(b, len);
    lode_buf_append(b, script, len);
}

static void put_output(lode_buf *b, int64_t value, const uint8_t *script, size_t len)
{
    lode_buf_put_le64(b, (uint64_t)value);
    lode_buf_put_compact_size(b, len);
    lode_buf_append(b, script, len);
}

/* An output of one byte again and again. */
static void put_long_output(lode_buf *b, uint8_t byte, size_t len)
{
    uint8_t *script;

    lode_buf_put_le64(b, 0);
    lode_buf_put_compact_size(b, len);
    script = lode_buf_extend(b, len);
    if (script)
        memset(script, byte, len);
}

/* BIP 141: OP_RETURN, 36 bytes, a marker, and the hash of the witness root and the reserved value (zero). */
static void put_commitment(lode_buf *b, const lode_assembly *a, const uint8_t witness_root[32])
{
    uint8_t script[38] = { LODE_OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed };
    uint8_t pair[64] = { 0 };

    memcpy(pair, witness_root, 32);
    pair[0] ^= a->spoil == LODE_BLOCK_COMMITMENT;
    lode_sha256d_64(script + 6, pair, 1);
    put_output(b, 0, script, sizeof script);
}

static int64_t reward_of(const lode_assembly *a)
{
    int64_t fees = a->plan->fees > 0 ? a->plan->fees : 0;
    return subsidy_at(a->plan->height) + fees + (a->spoil == LODE_BLOCK_CB_AMOUNT);
}

static void put_coinbase_base(lode_buf *b, const lode_assembly *a, const uint8_t *witness_root)
{
    static const uint8_t null_prevout[36] = { [32] = 0xff, 0xff, 0xff, 0xff };
    uint8_t script[LODE_MADE_SCRIPT_MAX];
    bool is_big = a->spoil == LODE_BLOCK_SIGOPS || a->spoil == LODE_BLOCK_LENGTH;

    lode_buf_put_le32(b, 2);
    lode_buf_put_u8(b, 1);
    lode_buf_append(b, null_prevout, sizeof null_prevout);
    put_coinbase_script(b, a);
    lode_buf_put_le32(b, UINT32_C(0xffffffff));
    lode_buf_put_u8(b, (uint8_t)(1 + (witness_root != NULL) + is_big));
    put_output(b, reward_of(a), script, lode_script_output(script, a->ring, a->kind, a->key, a->plan->height, a->salt));
    if (witness_root)
        put_commitment(b, a, witness_root);
    if (a->spoil == LODE_BLOCK_SIGOPS)
        put_long_output(b, LODE_OP_CHECKSIG, 20001);
    if (a->spoil == LODE_BLOCK_LENGTH)
        put_long_output(b, LODE_OP_NOP, 1000000);
    lode_buf_put_le32(b, 0);
}

static void make_coinbase(lode_coinbase *cb, const lode_assembly *a, const uint8_t *witness_root)
{
    size_t nonce_len = a->spoil == LODE_BLOCK_NONCE_SIZE ? 31 : 32;
    uint8_t witness[34] = { 1, (uint8_t)nonce_len };
    static const uint8_t marker_and_flag[2] = { 0, 1 };

    put_coinbase_base(&cb->base, a, witness_root);
    if (!lode_buf_is_good(&cb->base))
        return;
    lode_sha256d(cb->txid.bytes, cb->base.data, cb->base.len);
    lode_buf_append(&cb->whole, cb->base.data, 4);
    if (witness_root)
        lode_buf_append(&cb->whole, marker_and_flag, 2);
    lode_buf_append(&cb->whole, cb->base.data + 4, cb->base.len - 8);
    if (witness_root)
        lode_buf_append(&cb->whole, witness, 2 + nonce_len);
    lode_buf_append(&cb->whole, cb->base.data + cb->base.len - 4, 4);
}

/* How often each transaction stands in the block: once, but for blocks that are wrong. */
static size_t count_copies(const lode_assembly *a)
{
    /* Two equal hashes at an even place and the one after it. */
    if (a->spoil != LODE_BLOCK_DUPLICATE || a->plan->tx_count == 0)
        return 0;
    return a->plan->tx_count % 2 ? 2 : 1;
}

static size_t count_coinbases(const lode_assembly *a)
{
    if (a->spoil == LODE_BLOCK_CB_MISSING)
        return 0;
    return a->spoil == LODE_BLOCK_CB_MULTIPLE ? 2 : 1;
}

static size_t count_txs(const lode_assembly *a)
{
    return count_coinbases(a) + a->plan->tx_count + count_copies(a);
}

/* What stands at a place of the block: NULL is the coinbase, first and, where there are two, last. */
static const lode_planned_tx *tx_at(const lode_assembly *a, size_t i)
{
    size_t coinbases = count_coinbases(a);
    size_t place = i - (coinbases > 0);

    if ((i == 0 && coinbases > 0) || (coinbases > 1 && i + 1 == count_txs(a)))
        return NULL;
    return &a->plan->txs[place < a->plan->tx_count ? place : a->plan->tx_count - 1];
}

static lode_status find_root(uint8_t root[32], const lode_assembly *a, const uint8_t *coinbase_hash, bool of_witnesses)
{
    size_t count = count_txs(a);
    uint8_t *leaves = (uint8_t *)malloc((count + 1) * 32);
    bool mutated;

    if (!leaves)
        return lode_fail(LODE_NO_MEMORY, "no memory for a merkle tree of %zu", count);
    for (size_t i = 0; i < count; i++) {
        const lode_planned_tx *tx = tx_at(a, i);
        const uint8_t *leaf = !tx ? coinbase_hash : of_witnesses ? tx->wtxid.bytes : tx->txid.bytes;
        memcpy(leaves + 32 * i, leaf, 32);
    }
    lode_merkle_root(root, &mutated, leaves, count);
    free(leaves);
    return lode_ok();
}

static uint32_t time_of(const lode_assembly *a)
{
    if (a->spoil == LODE_BLOCK_TIME_OLD)
        return lode_chain_maker_median_time(a->plan->height - 1);
    return a->spoil == LODE_BLOCK_TIME_NEW ? UINT32_C(0xfffffff0) : lode_chain_maker_time(a->plan->height);
}

/* Regtest's target begins with 7fffff: a hash whose first byte is less meets it, one of 80 and more does not. */
static bool is_wanted(const lode_block_hash *hash, bool good)
{
    return good ? hash->bytes[31] < 0x7f : hash->bytes[31] > 0x7f;
}

static void find_nonce(uint8_t raw[LODE_HEADER_SIZE], lode_block_hash *hash, lode_header *header, bool good)
{
    do {
        header->nonce++;
        lode_header_serialize(raw, header);
        lode_sha256d(hash->bytes, raw, LODE_HEADER_SIZE);
    } while (!is_wanted(hash, good));
}

static void make_header(uint8_t raw[LODE_HEADER_SIZE], lode_block_hash *hash, const lode_assembly *a,
                        const uint8_t root[32])
{
    lode_header header = {
        .version = a->spoil == LODE_BLOCK_VERSION ? 1 : BLOCK_VERSION,
        .prev = a->prev,
        .time = time_of(a),
        .bits = a->spoil == LODE_BLOCK_BITS ? REGTEST_BITS - 1 : REGTEST_BITS,
    };

    memcpy(header.merkle_root.bytes, root, 32);
    if (a->spoil == LODE_BLOCK_MERKLE)
        header.merkle_root.bytes[0] ^= 1;
    if (a->spoil == LODE_BLOCK_ORPHAN)
        memset(header.prev.bytes, NO_SUCH_PARENT, 32);
    find_nonce(raw, hash, &header, a->spoil != LODE_BLOCK_HIGH_HASH);
}

static void describe(lode_made_block *out, const lode_buf *raw, const lode_assembly *a, const lode_coinbase *cb)
{
    size_t count = count_txs(a);
    size_t base = LODE_HEADER_SIZE + lode_compact_size_length(count);

    for (size_t i = 0; i < count; i++)
        base += tx_at(a, i) ? tx_at(a, i)->base_size : cb->base.len;
    out->raw = raw->data;
    out->size = (uint32_t)raw->len;
    out->weight = (uint32_t)(3 * base + raw->len);
    out->height = a->plan->height;
    out->tx_count = (uint32_t)count;
    out->input_count = (uint32_t)a->plan->input_count;
    out->output_count = (uint32_t)(a->plan->output_count + cb->base.data[4 + 1 + 36 + 1 + cb->base.data[41] + 4]);
    out->signature_count = (uint32_t)a->plan->signatures;
    out->reject = NULL;
}

static lode_status write_block(lode_buf *raw, lode_made_block *out, const lode_assembly *a, const lode_coinbase *cb)
{
    uint8_t root[32], header[LODE_HEADER_SIZE];
    size_t count = count_txs(a);

    LODE_TRY(find_root(root, a, cb->txid.bytes, false));
    make_header(header, &out->hash, a, root);
    lode_buf_reset(raw);
    lode_buf_append(raw, header, sizeof header);
    lode_buf_put_compact_size(raw, count);
    for (size_t i = 0; i < count; i++) {
        const lode_planned_tx *tx = tx_at(a, i);
        lode_buf_append(raw, tx ? tx->raw : cb->whole.data, tx ? tx->size : cb->whole.len);
    }
    if (!lode_buf_is_good(raw))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block");
    describe(out, raw, a, cb);
    return lode_ok();
}

static lode_status make_block(lode_buf *raw, lode_made_block *out, lode_coinbase *cb, const lode_assembly *a)
{
    static const uint8_t zero[32];
    uint8_t witness_root[32];
    bool commits = any_witness(a->plan) && a->spoil != LODE_BLOCK_NO_COMMITMENT;

    if (commits)
        LODE_TRY(find_root(witness_root, a, zero, true));
    make_coinbase(cb, a, commits ? witness_root : NULL);
    if (!lode_buf_is_good(&cb->base) || !lode_buf_is_good(&cb->whole))
        return lode_fail(LODE_NO_MEMORY, "no memory for a coinbase");
    return write_block(raw, out, a, cb);
}

lode_status lode_assemble(lode_buf *raw, lode_made_block *out, lode_made_coin *coinbase, const lode_assembly *a)
{
    lode_coinbase cb = { LODE_BUF_EMPTY, LODE_BUF_EMPTY, { { 0 } } };
    lode_status s = make_block(raw, out, &cb, a);

    *coinbase = (lode_made_coin){
        .txid = cb.txid,
        .height = a->plan->height,
        .value = reward_of(a),
        .key = a->key,
        .kind = (uint8_t)a->kind,
        .is_coinbase = 1,
    };
    lode_buf_clear(&cb.base);
    lode_buf_clear(&cb.whole);
    return s;
}
