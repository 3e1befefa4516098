/* test/loadblock/shared_library_test.c: liblode.so is all a program needs: it is loaded at run time and used through
 * the names of lode.h.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lode.h"
#include "test/loadblock/made_blocks.h"

static void *library;

/* A function of the library, by its name. */
static void *named(const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        fail_msg("liblode.so has no %s", name);
    return symbol;
}
#define CALL(name) ((__typeof__(&name))named(#name))

static void assert_ok(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("code %d: %s", s.code, s.text);
}

static void a_program_that_loads_the_library_works_through_names_alone(void **state)
{
    char folder[] = "/tmp/lode-test-XXXXXX", command[64];
    made_chain chain;
    lode_options options;
    lode *h = NULL;
    lode_tip tip = { .size = sizeof tip };
    lode_set_info set = { .size = sizeof set };

    library = dlopen(".libs/liblode.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("skipped: %s\n", dlerror());
        return;
    }
    assert_non_null(mkdtemp(folder));
    made_chain_make(&chain, 81, 105, 8);
    CALL(lode_options_init)(&options);
    options.datadir = folder;
    options.chain = "regtest";
    options.threads = 2;
    assert_ok(CALL(lode_open)(&h, &options));
    for (size_t i = 0; i < chain.count; i++) {
        lode_submit_result r = { .size = sizeof r };
        assert_ok(CALL(lode_submit_block)(h, &r, chain.blocks[i].raw, chain.blocks[i].size));
        assert_true(r.accepted && r.in_best_chain);
    }
    assert_ok(CALL(lode_get_tip)(h, &tip));
    assert_int_equal(tip.height, 105);
    assert_memory_equal(tip.hash, chain.blocks[105].hash.bytes, 32);
    assert_ok(CALL(lode_get_set_info)(h, &set, LODE_HASH_SERIALIZED_3 | LODE_HASH_MUHASH));
    assert_int_equal(set.height, 105);
    uint8_t *raw;
    size_t len;
    int found;
    assert_ok(CALL(lode_get_block_at)(h, &found, &raw, &len, 105));
    assert_int_equal(found, 1);
    assert_int_equal(len, chain.blocks[105].size);
    assert_memory_equal(raw, chain.blocks[105].raw, len);
    CALL(lode_free)(raw);
    lode_coin_walk *walk;
    lode_coin_id id;
    lode_coin_info coin = { .size = sizeof coin };
    uint64_t coins = 0;
    assert_ok(CALL(lode_coin_walk_open)(&walk, h, NULL, NULL));
    for (;;) {
        assert_ok(CALL(lode_coin_walk_next)(walk, &found, &id, &coin));
        if (!found)
            break;
        coins++;
    }
    CALL(lode_coin_walk_close)(walk);
    assert_int_equal(coins, set.txouts);
    lode_import_job *job;
    assert_ok(CALL(lode_import_start)(&job, h, NULL));
    assert_ok(CALL(lode_import_end)(job, NULL));
    assert_ok(CALL(lode_close)(h));
    assert_string_equal(CALL(lode_version)(), "0.1.0");
    made_chain_clear(&chain);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_program_that_loads_the_library_works_through_names_alone) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
