/* validate/rules/signet.c: a signet block carries a solution to its network's challenge.
 *
 * Room:     BIP 325: two transactions are made from the block, and the second must be able to spend the first.
 *           Source: BIP 325; Core's signet.cpp.
 * Touches:  scratch in the arena; the interpreter.
 */
#include "validate/rules/block.h"

#include "primitives/encode.h"
#include "validate/rules/commitment.h"
#include "validate/script/sigcheck.h"

#define SIGNET_FLAGS (LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_DERSIG | LODE_VERIFY_NULLDUMMY)
#define HEADER_SIZE 4

static const uint8_t signet_header[HEADER_SIZE] = { 0xec, 0xc7, 0xda, 0xa2 };

/* Made from a block. Lent from the block and the arena. */
typedef struct solution {
    lode_slice bytes;      /* after the header of the push; empty when there is none */
    lode_slice commitment; /* the commitment's script without the solution */
    lode_slice script_sig;
    lode_slice witness; /* serialised items */
    uint64_t witness_count;
} solution;

/* As CScript's << writes a push: by length alone, never as a number. */
static size_t write_push(uint8_t *out, lode_slice data)
{
    size_t at = 0;

    if (data.len < 0x4c) {
        out[at++] = (uint8_t)data.len;
    } else if (data.len <= 0xff) {
        out[at++] = 0x4c;
        out[at++] = (uint8_t)data.len;
    } else if (data.len <= 0xffff) {
        out[at++] = 0x4d;
        lode_write_le16(out + at, (uint16_t)data.len);
        at += 2;
    } else {
        out[at++] = 0x4e;
        lode_write_le32(out + at, (uint32_t)data.len);
        at += 4;
    }
    memcpy(out + at, data.data, data.len);
    return at + data.len;
}

/* The first push that starts with the header and has more loses that more: this is the solution. The script is then
 * written anew opcode by opcode, which shortens lazy pushes, turns an empty OP_PUSHDATA into the bare opcode, and ends
 * at a push that runs out. Without such a push the script stays as it is. */
static bool split_commitment(solution *s, lode_slice script, lode_arena *arena)
{
    uint8_t *out = lode_arena_take(arena, script.len);
    size_t at = 0, len = 0;
    uint8_t opcode;
    lode_slice data;
    bool found = false;

    if (!out)
        return false;
    while (lode_script_next(script, &at, &opcode, &data)) {
        if (data.len == 0) {
            out[len++] = opcode;
            continue;
        }
        if (!found && data.len > HEADER_SIZE && memcmp(data.data, signet_header, HEADER_SIZE) == 0) {
            s->bytes = lode_slice_of(data.data + HEADER_SIZE, data.len - HEADER_SIZE);
            data.len = HEADER_SIZE;
            found = true;
        }
        len += write_push(out + len, data);
    }
    s->commitment = found ? lode_slice_of(out, len) : script;
    return true;
}

/* A solution is a script and a witness stack, and nothing after them. No solution: both empty. */
static bool parse_solution(solution *s)
{
    lode_reader r = lode_reader_of(s->bytes.data, s->bytes.len);

    if (s->bytes.len == 0)
        return true;
    s->script_sig.len = (size_t)lode_reader_compact_size(&r, true);
    s->script_sig.data = lode_reader_take(&r, s->script_sig.len);
    s->witness_count = lode_reader_compact_size(&r, true);
    s->witness.data = r.at;
    for (uint64_t i = 0; i < s->witness_count && !r.bad; i++)
        (void)lode_reader_take(&r, (size_t)lode_reader_compact_size(&r, true));
    if (!lode_reader_is_done(&r))
        return false;
    s->witness.len = (size_t)(r.at - s->witness.data);
    return true;
}

/* The coinbase's txid with the commitment's script replaced. */
static void hash_changed_coinbase(uint8_t txid[32], const lode_tx *coinbase, const lode_txout *commitment,
                                  lode_slice script)
{
    lode_sha256_stream stream;
    uint8_t number[9];

    lode_sha256_begin(&stream);
    lode_write_le32(number, (uint32_t)coinbase->version);
    lode_sha256_add(&stream, number, 4);
    lode_sha256_add(&stream, number, lode_compact_size_write(number, coinbase->input_count));
    for (uint32_t i = 0; i < coinbase->input_count; i++) {
        const lode_txin *in = &coinbase->inputs[i];
        lode_sha256_add(&stream, in->prevout, 36);
        lode_sha256_add(&stream, number, lode_compact_size_write(number, in->script_sig_len));
        lode_sha256_add(&stream, in->script_sig, in->script_sig_len);
        lode_write_le32(number, in->sequence);
        lode_sha256_add(&stream, number, 4);
    }
    lode_sha256_add(&stream, number, lode_compact_size_write(number, coinbase->output_count));
    for (uint32_t i = 0; i < coinbase->output_count; i++) {
        const lode_txout *out = &coinbase->outputs[i];
        lode_slice s = out == commitment ? script : lode_slice_of(out->script, out->script_len);
        lode_write_le64(number, (uint64_t)out->value.sat);
        lode_sha256_add(&stream, number, 8);
        lode_sha256_add(&stream, number, lode_compact_size_write(number, s.len));
        lode_sha256_add(&stream, s.data, s.len);
    }
    lode_write_le32(number, coinbase->lock_time);
    lode_sha256_add(&stream, number, 4);
    lode_sha256d_end(&stream, txid);
}

static bool find_changed_root(uint8_t root[32], const lode_block *block, const uint8_t coinbase_txid[32],
                              lode_arena *arena)
{
    uint8_t *leaves = lode_arena_take_array(arena, (size_t)block->tx_count + 1, 32);
    bool ignored;

    if (!leaves)
        return false;
    memcpy(leaves, coinbase_txid, 32);
    for (uint32_t i = 1; i < block->tx_count; i++)
        memcpy(leaves + 32 * (size_t)i, block->txs[i].txid.bytes, 32);
    lode_merkle_root(root, &ignored, leaves, block->tx_count);
    return true;
}

/* The transaction to be spent, hashed as it is written:
 *   version 0 | one input: no prevout, script { OP_0, push of what the solution signs }, sequence 0
 *   | one output: value 0, the challenge | lock time 0
 * Signed are version, parent, changed root and time of the block: the solution cannot sign itself, nor the nonce. */
static void hash_to_spend(uint8_t txid[32], const lode_header *header, const uint8_t root[32],
                          const lode_chain_params *params)
{
    uint8_t fixed[4 + 1 + 36 + 3 + 72 + 4 + 1 + 8] = { 0 };
    uint8_t number[9];
    uint8_t *at = fixed + 4;
    lode_sha256_stream stream;

    *at++ = 1;
    memset(at + 32, 0xff, 4);
    at += 36;
    *at++ = 74;
    *at++ = 0x00;
    *at++ = 72;
    lode_write_le32(at, (uint32_t)header->version);
    memcpy(at + 4, header->prev.bytes, 32);
    memcpy(at + 36, root, 32);
    lode_write_le32(at + 68, header->time);
    at += 72 + 4;
    *at++ = 1;
    lode_sha256_begin(&stream);
    lode_sha256_add(&stream, fixed, sizeof fixed);
    lode_sha256_add(&stream, number, lode_compact_size_write(number, params->signet_challenge_len));
    lode_sha256_add(&stream, params->signet_challenge, params->signet_challenge_len);
    lode_write_le32(number, 0);
    lode_sha256_add(&stream, number, 4);
    lode_sha256d_end(&stream, txid);
}

/* The transaction that spends it, as bytes, so that everything else sees an ordinary one:
 *   version 0 | marker and flag if there is a witness | one input: that output, the solution's script, sequence 0
 *   | one output: value 0, OP_RETURN | the witness | lock time 0
 */
static bool make_spending(lode_tx *tx, const uint8_t txid[32], const solution *s, lode_arena *arena)
{
    static const uint8_t end_of_input_and_output[] = { 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x6a };
    uint8_t *raw = lode_arena_take(arena, 128 + s->script_sig.len + s->witness.len);
    uint8_t *at = raw;

    if (!raw)
        return false;
    memset(at, 0, 4);
    at += 4;
    if (s->witness_count) {
        *at++ = 0;
        *at++ = 1;
    }
    *at++ = 1;
    memcpy(at, txid, 32);
    memset(at + 32, 0, 4);
    at += 36;
    at += lode_compact_size_write(at, s->script_sig.len);
    if (s->script_sig.len)
        memcpy(at, s->script_sig.data, s->script_sig.len);
    at += s->script_sig.len;
    memcpy(at, end_of_input_and_output, sizeof end_of_input_and_output);
    at += sizeof end_of_input_and_output;
    if (s->witness_count) {
        at += lode_compact_size_write(at, s->witness_count);
        memcpy(at, s->witness.data, s->witness.len);
        at += s->witness.len;
    }
    memset(at, 0, 4);
    at += 4;
    return lode_tx_parse(tx, arena, raw, (size_t)(at - raw), 0, NULL);
}

lode_reject lode_signet_check(const lode_block *block, lode_arena *arena, const lode_chain_params *params)
{
    lode_txout *commitment;
    solution s = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, 0 };
    uint8_t hash[32], root[32];
    lode_txout challenge = { { 0 }, params->signet_challenge, params->signet_challenge_len };
    lode_tx spending;
    lode_tx_hashes hashes;
    lode_script_error error;
    uint32_t failed_input;

    if (lode_block_hash_is_equal(&block->hash, &params->genesis_hash))
        return LODE_VALID;
    commitment = block->tx_count ? lode_find_commitment(&block->txs[0]) : NULL;
    if (!commitment)
        return LODE_BAD_SIGNET_BLKSIG;
    if (!split_commitment(&s, lode_slice_of(commitment->script, commitment->script_len), arena))
        return LODE_REJECT_COUNT;
    if (!parse_solution(&s))
        return LODE_BAD_SIGNET_BLKSIG;
    hash_changed_coinbase(hash, &block->txs[0], commitment, s.commitment);
    if (!find_changed_root(root, block, hash, arena))
        return LODE_REJECT_COUNT;
    hash_to_spend(hash, &block->header, root, params);
    if (!make_spending(&spending, hash, &s, arena))
        return LODE_REJECT_COUNT;
    lode_tx_hashes_init(&hashes, &spending, &challenge, false);
    return lode_tx_check_scripts(&error, &failed_input, &hashes, 0, 1, SIGNET_FLAGS, NULL) ? LODE_VALID
                                                                                           : LODE_BAD_SIGNET_BLKSIG;
}
