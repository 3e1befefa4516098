/* test/primitives/tx_test.c: real blocks parse, hash and re-serialise; each rule of form refuses what Core refuses. */
#include "primitives/tx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "given_data.h"
#include "primitives/encode.h"

/* The whole transaction from its fields, as the wire has it. */
static void serialize_fields(lode_buf *out, const lode_tx *tx, bool with_witness)
{
    lode_buf_put_le32(out, (uint32_t)tx->version);
    if (with_witness) {
        lode_buf_put_u8(out, 0);
        lode_buf_put_u8(out, 1);
    }
    lode_buf_put_compact_size(out, tx->input_count);
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_buf_append(out, tx->inputs[i].prevout, 36);
        lode_buf_put_compact_size(out, tx->inputs[i].script_sig_len);
        lode_buf_append(out, tx->inputs[i].script_sig, tx->inputs[i].script_sig_len);
        lode_buf_put_le32(out, tx->inputs[i].sequence);
    }
    lode_buf_put_compact_size(out, tx->output_count);
    for (uint32_t i = 0; i < tx->output_count; i++) {
        lode_buf_put_le64(out, (uint64_t)tx->outputs[i].value.sat);
        lode_buf_put_compact_size(out, tx->outputs[i].script_len);
        lode_buf_append(out, tx->outputs[i].script, tx->outputs[i].script_len);
    }
    for (uint32_t i = 0; with_witness && i < tx->input_count; i++) {
        lode_reader r = lode_witness_reader(&tx->inputs[i]);
        lode_slice item;
        uint32_t items = 0;

        lode_buf_put_compact_size(out, tx->inputs[i].witness_count);
        for (; lode_witness_next(&r, &item); items++) {
            lode_buf_put_compact_size(out, item.len);
            lode_buf_append(out, item.data, item.len);
        }
        assert_int_equal(items, tx->inputs[i].witness_count);
        assert_true(lode_reader_is_done(&r));
    }
    lode_buf_put_le32(out, tx->lock_time);
}

static void assert_tx_is_whole(const lode_tx *tx)
{
    lode_buf fields = LODE_BUF_EMPTY, base = LODE_BUF_EMPTY;
    uint8_t hash[32];

    serialize_fields(&fields, tx, tx->has_witness);
    assert_int_equal(fields.len, tx->size);
    assert_memory_equal(fields.data, tx->raw, tx->size);
    lode_sha256d(hash, fields.data, fields.len);
    assert_memory_equal(hash, tx->wtxid.bytes, 32);
    lode_buf_reset(&fields);
    serialize_fields(&fields, tx, false);
    lode_tx_serialize_base(&base, tx);
    assert_int_equal(base.len, fields.len);
    assert_int_equal(base.len, tx->base_size);
    assert_memory_equal(base.data, fields.data, fields.len);
    lode_sha256d(hash, base.data, base.len);
    assert_memory_equal(hash, tx->txid.bytes, 32);
    lode_buf_clear(&fields);
    lode_buf_clear(&base);
}

static void assert_block_is_whole(const lode_block *block, lode_arena *arena)
{
    uint8_t *leaves = lode_arena_take_array(arena, block->tx_count, 32);
    uint8_t root[32], header[LODE_HEADER_SIZE];
    uint64_t inputs = 0, outputs = 0;
    size_t base = LODE_HEADER_SIZE + lode_compact_size_length(block->tx_count);
    bool mutated;

    assert_non_null(leaves);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        assert_tx_is_whole(&block->txs[i]);
        memcpy(leaves + 32 * i, block->txs[i].txid.bytes, 32);
        inputs += block->txs[i].input_count;
        outputs += block->txs[i].output_count;
        base += block->txs[i].base_size;
        assert_int_equal(lode_tx_is_coinbase(&block->txs[i]), i == 0);
    }
    lode_merkle_root(root, &mutated, leaves, block->tx_count);
    assert_false(mutated);
    assert_memory_equal(root, block->header.merkle_root.bytes, 32);
    assert_int_equal(block->input_count, inputs);
    assert_int_equal(block->output_count, outputs);
    assert_int_equal(block->base_size, base);
    lode_header_serialize(header, &block->header);
    assert_memory_equal(header, block->raw, LODE_HEADER_SIZE);
}

/* Returns how many blocks were there; *transactions counts theirs. */
static unsigned check_block_file(const char *name, unsigned *transactions, char last_hash[65])
{
    size_t len, at = 0, size;
    uint8_t *file = given_data_read(name, &len);
    lode_arena arena = LODE_ARENA_EMPTY;
    const uint8_t *raw;
    unsigned blocks = 0;

    *transactions = 0;
    while (file && given_data_next_block(file, len, &at, &raw, &size)) {
        lode_block block;
        lode_parse_error error;

        assert_true(lode_block_parse(&block, &arena, raw, size, 0, &error));
        assert_null(error.what);
        assert_int_equal(block.size, size);
        assert_block_is_whole(&block, &arena);
        *transactions += block.tx_count;
        lode_hash_to_hex(last_hash, block.hash.bytes);
        lode_arena_reset(&arena);
        blocks++;
    }
    lode_arena_clear(&arena);
    free(file);
    return blocks;
}

static void the_first_mainnet_blocks_parse(void **state)
{
    char hash[65];
    unsigned transactions, blocks = check_block_file("blocks/mainnet-0-2100.dat", &transactions, hash);

    if (blocks)
        assert_int_equal(blocks, 2101);
}

static void the_first_testnet3_blocks_parse(void **state)
{
    char hash[65];
    unsigned transactions, blocks = check_block_file("blocks/testnet3-0-2100.dat", &transactions, hash);

    if (blocks)
        assert_int_equal(blocks, 2101);
}

/* The given data's README: 266 blocks, 15,851 transactions. */
static void a_chain_with_every_common_script_parses(void **state)
{
    char hash[65];
    unsigned transactions, blocks = check_block_file("blocks/regtest-all.dat", &transactions, hash);

    if (!blocks)
        return;
    assert_in_range(blocks, 266, 267); /* genesis may stand first */
    assert_in_range(transactions, 15851, 15852);
}

static void a_full_block_has_the_root_that_its_header_names(void **state)
{
    size_t len;
    uint8_t *raw = given_data_read("blocks/mainnet-413567.raw", &len);
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;

    if (!raw)
        return;
    assert_true(lode_block_parse(&block, &arena, raw, len, 0, NULL));
    assert_block_is_whole(&block, &arena);
    lode_arena_clear(&arena);
    free(raw);
}

/* Every network's first transaction, written out; the hashes are those of mainnet. */
static const char genesis_hex[] =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
    "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c0101000000010000000000000000000000000000000000000000000000000000"
    "000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e2062"
    "72696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe554827"
    "1967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f"
    "ac00000000";

#define GENESIS_SIZE ((sizeof genesis_hex - 1) / 2)

static void genesis_has_its_published_hashes(void **state)
{
    uint8_t raw[GENESIS_SIZE];
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    char hex[65];

    assert_true(lode_hex_decode(raw, sizeof raw, genesis_hex));
    assert_true(lode_block_parse(&block, &arena, raw, sizeof raw, 0, NULL));
    lode_hash_to_hex(hex, block.hash.bytes);
    assert_string_equal(hex, "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    lode_hash_to_hex(hex, block.txs[0].txid.bytes);
    assert_string_equal(hex, "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
    assert_int_equal(block.header.time, 1231006505);
    assert_int_equal(block.header.bits, 0x1d00ffff);
    assert_int_equal(block.header.nonce, 2083236893);
    assert_int_equal(block.txs[0].outputs[0].value.sat, 50 * LODE_COIN);
    assert_block_is_whole(&block, &arena);
    lode_arena_clear(&arena);
}

static void no_cut_block_parses_and_a_tail_is_seen(void **state)
{
    uint8_t raw[GENESIS_SIZE + 1] = { 0 };
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_parse_error error;
    lode_block block;

    assert_true(lode_hex_decode(raw, GENESIS_SIZE, genesis_hex));
    for (size_t len = 0; len < GENESIS_SIZE; len++) {
        uint8_t *exact = malloc(len + 1);
        memcpy(exact, raw, len);
        assert_false(lode_block_parse(&block, &arena, exact, len, LODE_PARSE_ALLOW_TAIL, &error));
        assert_string_equal(error.what, "end of data");
        assert_true(error.offset <= len);
        lode_arena_reset(&arena);
        free(exact);
    }
    assert_false(lode_block_parse(&block, &arena, raw, sizeof raw, 0, &error));
    assert_string_equal(error.what, "bytes after the end");
    assert_int_equal(error.offset, GENESIS_SIZE);
    assert_true(lode_block_parse(&block, &arena, raw, sizeof raw, LODE_PARSE_ALLOW_TAIL, &error));
    assert_int_equal(block.size, GENESIS_SIZE);
    lode_arena_clear(&arena);
}

#define INPUT                                                                                                          \
    "1111111111111111111111111111111111111111111111111111111111111111"                                                 \
    "02000000"                                                                                                         \
    "00"                                                                                                               \
    "ffffffff"
#define OUTPUT                                                                                                         \
    "0100000000000000"                                                                                                 \
    "0151"

static void forms_are_accepted_as_core_accepts_them(void **state)
{
    static const struct {
        const char *hex;
        int flags;
        const char *refused; /* NULL: accepted */
    } table[] = {
        { "01000000"
          "01" INPUT "01" OUTPUT "00000000",
          0, NULL },
        { "01000000"
          "01" INPUT "00"
          "00000000",
          0, NULL },
        /* no inputs, no outputs: the flag is a count of zero */
        { "01000000"
          "00"
          "00"
          "00000000",
          0, NULL },
        { "01000000"
          "00"
          "00"
          "00000000",
          LODE_PARSE_NO_WITNESS, NULL },
        /* no inputs but outputs is for the legacy format alone; here 01 is the flag */
        { "01000000"
          "00"
          "01" OUTPUT "00000000",
          LODE_PARSE_NO_WITNESS, NULL },
        { "01000000"
          "00"
          "01" OUTPUT "00000000",
          0, "end of data" },
        { "01000000"
          "0001"
          "01" INPUT "01" OUTPUT "0101aa"
          "00000000",
          0, NULL },
        { "01000000"
          "0001"
          "01" INPUT "01" OUTPUT "0100"
          "00000000",
          0, NULL }, /* one empty item is a witness */
        { "01000000"
          "0001"
          "01" INPUT "01" OUTPUT "00"
          "00000000",
          0, "Superfluous witness record" },
        { "01000000"
          "0001"
          "00"
          "00"
          "00000000",
          0, "Superfluous witness record" },
        { "01000000"
          "0001"
          "02" INPUT INPUT "00"
          "00"
          "0101aa"
          "00000000",
          0, NULL },
        { "01000000"
          "0002"
          "01" INPUT "01" OUTPUT "00000000",
          0, "Unknown transaction optional data" },
        { "01000000"
          "0003"
          "01" INPUT "01" OUTPUT "0101aa"
          "00000000",
          0, "Unknown transaction optional data" },
        { "01000000"
          "0001"
          "01" INPUT "01" OUTPUT "0102aa"
          "00000000",
          0, "end of data" },
        { "01000000"
          "0001"
          "01" INPUT "01" OUTPUT "fd0100"
          "01aa"
          "00000000",
          0, "non-canonical CompactSize" },
        { "01000000"
          "fd0100" INPUT "01" OUTPUT "00000000",
          0, "non-canonical CompactSize" },
        { "01000000"
          "fe01000000" INPUT "01" OUTPUT "00000000",
          0, "non-canonical CompactSize" },
        { "01000000"
          "ff0100000000000000" INPUT "01" OUTPUT "00000000",
          0, "non-canonical CompactSize" },
        { "01000000"
          "ffffffffffffffffff" INPUT "01" OUTPUT "00000000",
          0, "size too large" },
        { "01000000"
          "fe01000002" INPUT "01" OUTPUT "00000000",
          0, "size too large" },
        { "01000000"
          "fe00000002" INPUT "01" OUTPUT "00000000",
          0, "end of data" },
        { "01000000"
          "02" INPUT "01" OUTPUT "00000000",
          0, "end of data" },
        { "01000000"
          "01" INPUT "01" OUTPUT "000000",
          0, "end of data" },
        { "01000000"
          "01" INPUT "01" OUTPUT "0000000000",
          0, "bytes after the end" },
        { "", 0, "end of data" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len = strlen(table[i].hex) / 2;
        uint8_t *raw = malloc(len + 1);
        lode_arena arena = LODE_ARENA_EMPTY;
        lode_parse_error error;
        lode_tx tx;

        assert_true(lode_hex_decode(raw, len, table[i].hex));
        bool parsed = lode_tx_parse(&tx, &arena, raw, len, table[i].flags, &error);
        assert_int_equal(parsed, table[i].refused == NULL);
        if (parsed) {
            assert_null(error.what);
            assert_tx_is_whole(&tx);
        } else {
            assert_string_equal(error.what, table[i].refused);
        }
        lode_arena_clear(&arena);
        free(raw);
    }
}

static void hashes_are_left_out_when_not_wanted(void **state)
{
    uint8_t raw[64];
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx tx;
    size_t len = strlen("01000000"
                        "01" INPUT "01" OUTPUT "00000000") /
                 2;

    assert_true(lode_hex_decode(raw, len,
                                "01000000"
                                "01" INPUT "01" OUTPUT "00000000"));
    assert_true(lode_tx_parse(&tx, &arena, raw, len, LODE_PARSE_NO_HASHES, NULL));
    assert_true(lode_bytes32_is_zero(tx.txid.bytes));
    lode_arena_clear(&arena);
}

static void wtxids_are_left_out_when_not_wanted(void **state)
{
    static const char hex[] = "010000000001"
                              "01" INPUT "01" OUTPUT "0101aa00000000";
    uint8_t raw[128];
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx whole, tx;
    size_t len = strlen(hex) / 2;

    assert_true(len <= sizeof raw && lode_hex_decode(raw, len, hex));
    assert_true(lode_tx_parse(&whole, &arena, raw, len, 0, NULL));
    assert_true(lode_tx_parse(&tx, &arena, raw, len, LODE_PARSE_NO_WTXIDS, NULL));
    assert_true(tx.has_witness && lode_bytes32_is_zero(tx.wtxid.bytes));
    assert_memory_equal(tx.txid.bytes, whole.txid.bytes, 32);
    lode_arena_clear(&arena);
}

/* A count takes memory only as far as the bytes that follow could bear it out. */
static void claimed_counts_do_not_take_memory(void **state)
{
    uint8_t raw[LODE_HEADER_SIZE + 5 + 4] = { 0 };
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;

    lode_compact_size_write(raw + LODE_HEADER_SIZE, LODE_MAX_SIZE);
    assert_false(lode_block_parse(&block, &arena, raw, sizeof raw, 0, NULL));
    assert_true(arena.total_bytes <= 64 * 1024);
    lode_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(genesis_has_its_published_hashes),
        cmocka_unit_test(no_cut_block_parses_and_a_tail_is_seen),
        cmocka_unit_test(forms_are_accepted_as_core_accepts_them),
        cmocka_unit_test(hashes_are_left_out_when_not_wanted),
        cmocka_unit_test(wtxids_are_left_out_when_not_wanted),
        cmocka_unit_test(claimed_counts_do_not_take_memory),
        cmocka_unit_test(the_first_mainnet_blocks_parse),
        cmocka_unit_test(the_first_testnet3_blocks_parse),
        cmocka_unit_test(a_chain_with_every_common_script_parses),
        cmocka_unit_test(a_full_block_has_the_root_that_its_header_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
