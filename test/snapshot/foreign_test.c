/* test/snapshot/foreign_test.c: directories of other versions and settings of Bitcoin Core are told by name, and not a
 * byte in them changes; what can be tolerated is.
 *
 * Each is made from a directory of a small chain by adding, changing or removing what tells it apart.
 */
#include "test/snapshot/snapshot_helpers.h"

#include "lode/store.h"
#include "primitives/encode.h"

enum { RESERVED_BIT = 256 };

static made_chain chain; /* 120 blocks */

static int make_chain(void **state)
{
    made_chain_make(&chain, 77, 120, 5);
    return 0;
}

static int drop_chain(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

/* ---- making ---- */

static void make_directory(bed *b)
{
    bed_init(b, "regtest");
    b->options.txindex = 1;
    bed_import_chain(b, &chain, 0, chain.count);
    bed_close(b);
}

static lode_store *open_raw(bed *b, const char *name)
{
    char *path = lode_path_join(b->datadir, name);
    lode_store_options o;
    lode_store *store;

    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.compression = LODE_COMPRESSION_NONE;
    o.env = b->env;
    assert_ok(lode_env_make_path(b->env, path));
    assert_ok(lode_store_open(&store, path, &o));
    free(path);
    return store;
}

static void put_raw(bed *b, const char *name, const void *key, size_t key_len, const void *value, size_t len)
{
    lode_store *store = open_raw(b, name);

    assert_ok(lode_store_put(store, key, key_len, value, len, 1));
    assert_ok(lode_store_close(store));
}

/* Status bits of one block, set and cleared. */
static void change_status(bed *b, int32_t height, uint32_t set, uint32_t clear)
{
    lode_store *store = open_raw(b, "regtest/blocks/index");
    uint8_t key[33] = "b", value[256];
    lode_buf changed = LODE_BUF_EMPTY;
    size_t len;
    int found;

    memcpy(key + 1, chain.blocks[height].hash.bytes, 32);
    assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, key, sizeof key, NULL));
    assert_true(found);
    lode_reader r = lode_reader_of(value, len);
    lode_buf_put_varint(&changed, lode_reader_varint(&r));
    lode_buf_put_varint(&changed, lode_reader_varint(&r));
    uint64_t status = lode_reader_varint(&r);
    lode_buf_put_varint(&changed, (status | set) & ~(uint64_t)clear);
    lode_buf_put_varint(&changed, lode_reader_varint(&r));
    uint64_t file = lode_reader_varint(&r), data = lode_reader_varint(&r), undo = lode_reader_varint(&r);
    if (!(clear & 8)) {
        lode_buf_put_varint(&changed, file);
        lode_buf_put_varint(&changed, data);
        lode_buf_put_varint(&changed, undo);
    }
    lode_buf_append(&changed, r.at, lode_reader_left(&r));
    assert_ok(lode_store_put(store, key, sizeof key, changed.data, changed.len, 1));
    assert_ok(lode_store_close(store));
    lode_buf_clear(&changed);
}

static void move(bed *b, const char *from, const char *to)
{
    char *old = lode_path_join(b->datadir, from), *new = lode_path_join(b->datadir, to);

    assert_ok(b->env->rename(b->env, old, new));
    free(old);
    free(new);
}

/* ---- asserting ---- */

static void assert_told(bed *b, const char *word)
{
    lode *h;
    lode_status s = lode_open(&h, &b->options);
    size_t ends = 0;

    if (s.code != LODE_UNSUPPORTED || !strstr(s.text, word) || h)
        fail_msg("code %d, \"%s\" instead of one with \"%s\"", s.code, s.text, word);
    for (const char *c = s.text; *c; c++)
        ends += *c == '\n' || (c[0] == '.' && c[1] == ' ');
    assert_int_equal(ends, 0); /* one sentence */
}

/* By a reader, by a writer, and by one that rebuilds coins (if `rebuilds` says that it helps nothing). */
static void assert_declined(bed *b, const char *word, bool also_rebuilding)
{
    folder_sum before = sum_folder(b);

    b->options.read_only = 1;
    assert_told(b, word);
    assert_same_folder(b, &before);
    b->options.read_only = 0;
    for (int i = 0; i < (also_rebuilding ? 2 : 1); i++) {
        b->options.reindex_chainstate = i;
        assert_told(b, word);
        assert_same_folder(b, &before);
    }
    b->options.reindex_chainstate = 0;
}

static void assert_good_again(bed *b)
{
    b->options.read_only = 0;
    bed_open(b);
    bed_assert_tip(b, &chain.blocks[chain.count - 1]);
    bed_close(b);
}

/* ---- the layouts ---- */

static void a_pruned_directory_is_declined(void **state)
{
    bed b;

    make_directory(&b);
    move(&b, "regtest/blocks/blk00000.dat", "regtest/blocks/blk00007.dat");
    move(&b, "regtest/blocks/rev00000.dat", "regtest/blocks/rev00007.dat");
    put_raw(&b, "regtest/blocks/index", "F\x10prunedblockfiles", 18, "1", 1);
    assert_declined(&b, "pruned", true);

    folder_sum before = sum_folder(&b); /* the files alone tell it: no index is looked at */
    b.options.reindex = 1;
    assert_told(&b, "pruned");
    assert_same_folder(&b, &before);
    b.options.reindex = 0;
    bed_clear(&b);
}

static void pruned_files_are_declined_as_another_nodes_blocks(void **state)
{
    bed b;
    char from[300];

    make_directory(&b);
    move(&b, "regtest/blocks/blk00000.dat", "regtest/blocks/blk00003.dat");
    snprintf(from, sizeof from, "%s/regtest/blocks", b.datadir);
    folder_sum before = sum_folder(&b);
    lode_options o = b.options;
    lode *h;
    char other[300];
    snprintf(other, sizeof other, "%s/other", b.root);
    o.datadir = other;
    o.blocks_from = from;
    lode_status s = lode_open(&h, &o);
    assert_int_equal(s.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "pruned"));
    assert_same_folder(&b, &before);
    bed_clear(&b);
}

static void a_block_that_is_known_and_not_stored_is_declined(void **state)
{
    bed b;

    make_directory(&b);
    change_status(&b, 5, 0, 8 | 16);
    assert_declined(&b, "height 5", true);
    bed_clear(&b);
}

/* load_test.c has one that is whole. */
static void a_chainstate_from_a_snapshot_is_not_written_to(void **state)
{
    bed b;

    make_directory(&b);
    char *folder = lode_path_join(b.datadir, "regtest/chainstate_snapshot");
    assert_ok(lode_env_make_path(b.env, folder));
    assert_declined(&b, "snapshot", true); /* without base_blockhash readers decline it, too */
    char *base = lode_path_join(folder, "base_blockhash");
    assert_ok(lode_env_write_file_atomically(b.env, base, chain.blocks[110].hash.bytes, 32));
    folder_sum before = sum_folder(&b);
    for (int i = 0; i < 3; i++) {
        b.options.reindex = i == 1;
        b.options.reindex_chainstate = i == 2;
        assert_told(&b, "bitcoind goes on from them");
    }
    b.options.reindex_chainstate = 0;
    assert_same_folder(&b, &before);
    assert_ok(lode_env_remove_tree(b.env, folder));
    assert_good_again(&b);
    free(folder);
    free(base);
    bed_clear(&b);
}

static void coins_by_transaction_are_declined_and_can_be_rebuilt(void **state)
{
    uint8_t key[33] = "c";
    bed b;

    make_directory(&b);
    memset(key + 1, 7, 32);
    put_raw(&b, "regtest/chainstate", key, sizeof key, "\1\2\3", 3);
    assert_declined(&b, "before Core 0.15", false);
    b.options.reindex_chainstate = 1;
    assert_ok(bed_import(&b, NULL, 0));
    bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
    bed_clear(&b);
}

static void coins_of_a_later_version_are_declined(void **state)
{
    bed b;

    make_directory(&b);
    put_raw(&b, "regtest/chainstate", "\xf0version", 8, "2", 1);
    assert_declined(&b, "later version", false);
    bed_clear(&b);
}

static void a_hashed_transaction_index_is_declined_where_it_is_needed(void **state)
{
    bed b;
    char txid[65];

    make_directory(&b);
    char *path = lode_path_join(b.datadir, "regtest/indexes/txindex");
    assert_ok(lode_env_remove_tree(b.env, path));
    put_raw(&b, "regtest/indexes/txindex", "\x0etxid_hash_salt", 15, "0123456789abcdef", 16);
    put_raw(&b, "regtest/indexes/txindex", "tabcdef", 7, "x", 1);
    folder_sum before = sum_folder(&b);
    assert_told(&b, "hashed keys"); /* a writer that is to keep it up */
    assert_same_folder(&b, &before);

    b.options.read_only = 1; /* a reader answers all else */
    bed_open(&b);
    assert_answer(&b, "120", "getblockcount", NULL, NULL);
    memset(txid, 'a', 64);
    txid[64] = 0;
    said s = ask(&b, "getrawtransaction", txid, NULL, NULL);
    assert_int_equal(s.status.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.status.text, "hashed keys"));
    said_clear(&s);
    bed_close(&b);
    assert_same_folder(&b, &before);

    b.options.read_only = 0; /* without -txindex it is nobody's business */
    b.options.txindex = 0;
    lode_store *store;
    assert_good_again(&b);
    store = open_raw(&b, "regtest/indexes/txindex");
    uint8_t value[32];
    size_t len;
    int found;
    assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, "tabcdef", 7, NULL));
    assert_true(found);
    assert_ok(lode_store_close(store));
    free(path);
    bed_clear(&b);
}

static void status_bits_of_a_newer_version_are_declined(void **state)
{
    for (int bit = 9; bit < 32; bit += 11) {
        bed b;
        make_directory(&b);
        change_status(&b, 60, 1u << bit, 0);
        assert_declined(&b, "status bits", true);
        bed_clear(&b);
    }
}

static void blocks_stored_without_witnesses_are_not_written_upon(void **state)
{
    bed b;

    make_directory(&b);
    change_status(&b, 60, 0, 128);
    assert_told(&b, "height 60");
    b.options.read_only = 1; /* to read them is no harm */
    bed_open(&b);
    bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
    bed_close(&b);
    b.options.read_only = 0;
    b.options.reindex = 1;
    assert_ok(bed_import(&b, NULL, 0));
    bed_close(&b);
    b.options.reindex = 0;
    assert_good_again(&b);
    bed_clear(&b);
}

/* Bit 256 marked blocks below a snapshot in versions 24 to 27, and means nothing any more. */
static void the_bit_of_older_snapshots_is_tolerated(void **state)
{
    bed b;

    make_directory(&b);
    change_status(&b, 60, RESERVED_BIT, 0);
    assert_good_again(&b);
    bed_clear(&b);
}

static void another_networks_directory_is_declined_whatever_the_network(void **state)
{
    static const char *const networks[] = { "main", "test", "testnet4", "signet" };
    static const char *const folders[] = { "", "/testnet3", "/testnet4", "/signet" };

    for (size_t i = 0; i < 4; i++) {
        bed b;
        make_directory(&b);
        char *own = lode_path_join(b.datadir, "regtest"), other[300];
        snprintf(other, sizeof other, "%s/wrong%s", b.root, folders[i]);
        char *parent = lode_path_join(b.root, "wrong");
        assert_ok(b.env->make_directory(b.env, i ? parent : b.root));
        assert_ok(b.env->rename(b.env, own, other));
        snprintf(b.datadir, sizeof b.datadir, "%s/wrong", b.root);
        b.options.datadir = b.datadir;
        b.options.chain = networks[i];
        assert_declined(&b, "network", true);
        free(own);
        free(parent);
        bed_clear(&b);
    }
}

static void other_indexes_stay_untouched_while_the_chain_goes_on(void **state)
{
    static const char *const names[] = { "coinstatsindex/db", "txospenderindex/db", "blockfilter/basic/db" };
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 100);
    bed_close(&b);
    for (size_t i = 0; i < 3; i++) {
        char name[100];
        snprintf(name, sizeof name, "regtest/indexes/%s", names[i]);
        put_raw(&b, name, "B", 1, "anything", 8);
    }
    char *indexes = lode_path_join(b.datadir, "regtest/indexes");
    folder_sum before = { .env = b.env, .path = indexes }, after = before;
    assert_ok(b.env->list(b.env, indexes, add_to_sum, &before));
    bed_import_chain(&b, &chain, 100, chain.count);
    bed_close(&b);
    assert_ok(b.env->list(b.env, indexes, add_to_sum, &after));
    assert_int_equal(after.files, before.files);
    assert_memory_equal(after.sum, before.sum, 32);
    assert_good_again(&b);
    free(indexes);
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pruned_directory_is_declined),
        cmocka_unit_test(pruned_files_are_declined_as_another_nodes_blocks),
        cmocka_unit_test(a_block_that_is_known_and_not_stored_is_declined),
        cmocka_unit_test(a_chainstate_from_a_snapshot_is_not_written_to),
        cmocka_unit_test(coins_by_transaction_are_declined_and_can_be_rebuilt),
        cmocka_unit_test(coins_of_a_later_version_are_declined),
        cmocka_unit_test(a_hashed_transaction_index_is_declined_where_it_is_needed),
        cmocka_unit_test(status_bits_of_a_newer_version_are_declined),
        cmocka_unit_test(blocks_stored_without_witnesses_are_not_written_upon),
        cmocka_unit_test(the_bit_of_older_snapshots_is_tolerated),
        cmocka_unit_test(another_networks_directory_is_declined_whatever_the_network),
        cmocka_unit_test(other_indexes_stay_untouched_while_the_chain_goes_on),
    };
    return cmocka_run_group_tests(tests, make_chain, drop_chain);
}
