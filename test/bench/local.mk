# The chain maker's tests.
BENCH_TESTS = \
	test/bench/chain_maker_test
check_PROGRAMS += $(BENCH_TESTS)
TESTS += $(BENCH_TESTS) test/bench/genchain_test.sh test/bench/import_bench_test.sh test/bench/lode_bench_test.sh
dist_check_SCRIPTS = test/bench/genchain_test.sh test/bench/import_bench_test.sh test/bench/lode_bench_test.sh

test_bench_chain_maker_test_SOURCES = test/bench/chain_maker_test.c test/bench/replay.c test/bench/replay.h
test_bench_chain_maker_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_bench_chain_maker_test_LDADD = $(CHAINMAKER_LIBS) $(TEST_LIBS)

# lode-sync.
TESTS += test/bench/sync_test.sh
dist_check_SCRIPTS += test/bench/sync_test.sh
if HAVE_LINKER_WRAP
check_PROGRAMS += test/bench/sync_row_test
TESTS += test/bench/sync_row_test
test_bench_sync_row_test_SOURCES = test/bench/sync_row_test.c
test_bench_sync_row_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_bench_sync_row_test_LDADD = libchainmaker.la $(SYNC_LIBS) $(RIVAL_LIBS) $(TEST_LIBS)
test_bench_sync_row_test_LDFLAGS = $(AM_LDFLAGS) $(STORE_WRAPS)
endif
