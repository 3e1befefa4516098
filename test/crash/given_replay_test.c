/* test/crash/given_replay_test.c: a directory that bitcoind left when it was killed in the middle of a flush, replayed
 * in parts.
 *
 * The replay is asked to stop after a random number of calls, again and again; each time 'H' must name the block that
 * was reached, and less is left to do. In the end the coins must be those that bitcoind had. Where $BITCOIND and
 * $BITCOIN_CLI name Core's programs, bitcoind finishes what was left half done. Without given data there is nothing to
 * do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bench/chain/random.h"
#include "chainstate/utxo_stats.h"
#include "loadblock/import.h"
#include "test/chainstate/given_directory.h"
#include "test/support/fault_env.h"

/* As in expected/regtest-all.json. */
static const char expected_hash[] = "76d92289ee72336fdcddedbb5e92e17b8e3c1d8d37f647f60e85c68a3ee195a9";
enum { EXPECTED_HEIGHT = 265 };

static lode_random dice;
static lode_env *env;
static lode_chain *chain;

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("code %d: %s", s.code, s.text);
}

static void open_chain(const char *datadir)
{
    lode_chain_params params;
    lode_chain_options o = { .datadir = datadir,
                             .params = &params,
                             .env = env,
                             .txindex = true,
                             .check_scripts = true,
                             .threads = 2,
                             .cache_bytes = (size_t)4 << 20,
                             .geometry = { .coins_batch_most = lode_random_below(&dice, 2) ? 1 : 0 } };

    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    must(lode_chain_open(&chain, &o));
}

static void ask_to_stop(void *context)
{
    __atomic_store_n(&chain->interrupted, 1, __ATOMIC_RELAXED);
}

/* One run that is asked to stop at some call; true: it came to its end all the same. */
static bool replay_a_part(const char *datadir)
{
    lode_fault_plan plan = {
        .calls = LODE_FAULT_CHANGES, .skip = lode_random_below(&dice, 300), .times = 1, .hook = ask_to_stop
    };
    lode_import_options o = { .size = sizeof o };
    lode_import_result result = { .size = sizeof result };
    lode_status s;

    open_chain(datadir);
    chain->flush_interval_ns = lode_random_below(&dice, 4) ? 2000000 : 1;
    lode_fault_env_plan(env, &plan);
    s = lode_import_run(chain, &o, 0, &result);
    lode_fault_env_plan(env, NULL);
    if (s.code != LODE_CANCELLED)
        must(s);
    must(lode_chain_flush(chain, true));
    must(lode_chain_close(chain));
    return s.code == LODE_OK;
}

/* How far the replay is: blocks between the two that 'H' names; 0: it is done. */
static int32_t left_to_do(const char *datadir)
{
    lode_block_hash new_hash, old_hash;
    const lode_entry *new_head, *old_head;
    bool found;
    int32_t left = 0;

    open_chain(datadir);
    must(lode_coins_head_blocks(chain->coins, &found, &new_hash, &old_hash));
    if (found) {
        new_head = lode_block_index_find(chain->index, &new_hash);
        old_head = lode_block_index_find(chain->index, &old_hash);
        assert_non_null(new_head);
        left = new_head->node.height - (old_head ? old_head->node.height : 0);
        assert_in_range(left, 1, EXPECTED_HEIGHT);
    }
    must(lode_chain_close(chain));
    return left;
}

static void coins_must_be_right(const char *datadir)
{
    lode_utxo_stats stats;
    char hex[65];

    open_chain(datadir);
    must(lode_utxo_stats_compute(&stats, chain->coins, LODE_UTXO_HASH_SERIALIZED_3, 1, NULL));
    lode_hash_to_hex(hex, stats.hash_serialized_3);
    assert_string_equal(hex, expected_hash);
    assert_int_equal(chain->tip->node.height, EXPECTED_HEIGHT);
    must(lode_chain_close(chain));
}

static void wait_until_core_is_gone(const char *datadir)
{
    lode_env *system = lode_env_system();
    bool held = true;

    for (int tenths = 0; held && tenths < 600; tenths++) {
        must(system->is_locked(system, &held, test_path(datadir, "regtest/.lock")));
        if (held)
            usleep(100000);
    }
    assert_false(held);
}

static void core_must_finish(const char *datadir)
{
    const char *node = getenv("BITCOIND"), *cli = getenv("BITCOIN_CLI");
    char command[4096], answer[4096] = "";
    int port = 20000 + (int)getpid() % 12000;

    if (!node || !cli)
        return;
    snprintf(command, sizeof command,
             "'%s' -regtest -datadir='%s' -rpcport=%d -connect=0 -listen=0 -disablewallet -printtoconsole=0 "
             "-daemonwait >/dev/null && "
             "'%s' -regtest -datadir='%s' -rpcport=%d gettxoutsetinfo && '%s' -regtest -datadir='%s' -rpcport=%d stop "
             ">/dev/null",
             node, datadir, port, cli, datadir, port, cli, datadir, port);
    FILE *told = popen(command, "r");
    assert_non_null(told);
    size_t len = fread(answer, 1, sizeof answer - 1, told);
    answer[len] = '\0';
    assert_int_equal(pclose(told), 0);
    wait_until_core_is_gone(datadir);
    if (!strstr(answer, expected_hash))
        fail_msg("bitcoind, finishing what a stopped replay left, has %s", answer);
}

static void a_replay_in_parts_ends_with_the_coins_of_core(void **state)
{
    const char *given = getenv("LODE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    int rounds = getenv("LODE_LONG") ? 30 : 4, parts = 0, finished_by_core = 0;

    lode_random_init(&dice, seed);
    for (int round = 0; round < rounds; round++) {
        char *unpacked = given_directory_unpack("core-crash");
        if (!unpacked)
            return;
        char *datadir = lode_path_join(unpacked, "core-crash");
        int32_t left = EXPECTED_HEIGHT;
        env = lode_fault_env_create(lode_env_system());
        for (bool done = false; !done; parts++) {
            done = replay_a_part(datadir);
            int32_t now = left_to_do(datadir);
            if (now > left || (done && now))
                fail_msg("LODE_TEST_SEED=%llu round %d: %d blocks were left to replay, and then %d",
                         (unsigned long long)seed, round, left, now);
            left = now;
            if (left && lode_random_below(&dice, 3) == 0 && getenv("BITCOIND") && getenv("BITCOIN_CLI")) {
                core_must_finish(datadir);
                finished_by_core++;
                break;
            }
        }
        coins_must_be_right(datadir);
        lode_fault_env_destroy(env);
        free(datadir);
        test_directory_remove(unpacked);
    }
    printf("%d replays in %d parts, %d of them finished by bitcoind; LODE_TEST_SEED=%llu\n", rounds, parts,
           finished_by_core, (unsigned long long)seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_in_parts_ends_with_the_coins_of_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
