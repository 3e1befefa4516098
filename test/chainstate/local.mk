# test/chainstate/local.mk
CHAINSTATE_TEST_LIBS = libtestsupport.la libchainstate.la libtxindex.la librules.la libscript.la libprimitives.la libstorage.la libsupport.la $(TEST_LIBS)
CHAINSTATE_TESTS = \
	test/chainstate/block_crash_test \
	test/chainstate/block_files_core_test \
	test/chainstate/block_files_disk_test \
	test/chainstate/block_files_test \
	test/chainstate/block_files_threads_test \
	test/chainstate/block_index_test \
	test/chainstate/block_index_tree_test \
	test/chainstate/coins_flush_test \
	test/chainstate/coins_model_test \
	test/chainstate/coins_open_test \
	test/chainstate/coins_threads_test \
	test/chainstate/directory_test \
	test/chainstate/txindex_test \
	test/chainstate/undo_test \
	test/chainstate/utxo_stats_test
check_PROGRAMS += $(CHAINSTATE_TESTS)
TESTS += $(CHAINSTATE_TESTS)

test_chainstate_block_crash_test_SOURCES = test/chainstate/block_crash_test.c test/chainstate/index_helpers.h
test_chainstate_block_crash_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_crash_test_LDADD = $(CHAINSTATE_TEST_LIBS)
BLOCK_FILES_HELPERS = test/chainstate/block_files_helpers.h test/chainstate/given_directory.h test/chainstate/index_helpers.h
test_chainstate_block_files_core_test_SOURCES = test/chainstate/block_files_core_test.c $(BLOCK_FILES_HELPERS)
test_chainstate_block_files_core_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_files_core_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_block_files_disk_test_SOURCES = test/chainstate/block_files_disk_test.c $(BLOCK_FILES_HELPERS)
test_chainstate_block_files_disk_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_files_disk_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_block_files_test_SOURCES = test/chainstate/block_files_test.c $(BLOCK_FILES_HELPERS)
test_chainstate_block_files_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_files_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_block_files_threads_test_SOURCES = test/chainstate/block_files_threads_test.c $(BLOCK_FILES_HELPERS)
test_chainstate_block_files_threads_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_files_threads_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_block_index_test_SOURCES = test/chainstate/block_index_test.c test/chainstate/given_directory.h \
	test/chainstate/index_helpers.h
test_chainstate_block_index_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_index_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_block_index_tree_test_SOURCES = test/chainstate/block_index_tree_test.c test/chainstate/index_helpers.h
test_chainstate_block_index_tree_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_block_index_tree_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_directory_test_SOURCES = test/chainstate/directory_test.c test/chainstate/given_directory.h
test_chainstate_directory_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_directory_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_coins_flush_test_SOURCES = test/chainstate/coins_flush_test.c
test_chainstate_coins_flush_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_coins_flush_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_coins_model_test_SOURCES = test/chainstate/coins_model_test.c
test_chainstate_coins_model_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_coins_model_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_coins_open_test_SOURCES = test/chainstate/coins_open_test.c test/chainstate/given_directory.h
test_chainstate_coins_open_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_coins_open_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_coins_threads_test_SOURCES = test/chainstate/coins_threads_test.c
test_chainstate_coins_threads_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_coins_threads_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_txindex_test_SOURCES = test/chainstate/txindex_test.c test/chainstate/given_directory.h
test_chainstate_txindex_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_txindex_test_LDADD = $(CHAINSTATE_TEST_LIBS)
test_chainstate_txindex_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=aligned_alloc
test_chainstate_undo_test_SOURCES = test/chainstate/undo_test.c
test_chainstate_undo_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_undo_test_LDADD = $(CHAINSTATE_TEST_LIBS)

# bitcoind on what lode wrote; without $BITCOIND it is skipped.
EXTRA_DIST += test/chainstate/core_goes_on.py
TESTS += test/chainstate/core_goes_on.py
test_chainstate_utxo_stats_test_SOURCES = test/chainstate/utxo_stats_test.c
test_chainstate_utxo_stats_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_utxo_stats_test_LDADD = $(CHAINSTATE_TEST_LIBS)

# One directory between bitcoind and lode; without $BITCOIND it is skipped.
check_PROGRAMS += test/chainstate/print_directory
test_chainstate_print_directory_SOURCES = test/chainstate/print_directory.c
test_chainstate_print_directory_CPPFLAGS = $(TEST_CPPFLAGS)
test_chainstate_print_directory_LDADD = $(CHAINSTATE_TEST_LIBS)
EXTRA_DIST += test/chainstate/round_trip.py
TESTS += test/chainstate/round_trip.py
