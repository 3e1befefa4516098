# test/snapshot/local.mk
SNAPSHOT_TESTS = \
	test/snapshot/check_test \
	test/snapshot/dump_test \
	test/snapshot/export_test \
	test/snapshot/foreign_test \
	test/snapshot/load_test \
	test/snapshot/verify_chain_test
check_PROGRAMS += $(SNAPSHOT_TESTS)
TESTS += $(SNAPSHOT_TESTS)

test_snapshot_check_test_SOURCES = test/snapshot/check_test.c test/snapshot/snapshot_helpers.h
test_snapshot_check_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_check_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_check_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_snapshot_dump_test_SOURCES = test/snapshot/dump_test.c test/snapshot/snapshot_helpers.h
test_snapshot_dump_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_dump_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_dump_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_snapshot_export_test_SOURCES = test/snapshot/export_test.c test/snapshot/snapshot_helpers.h
test_snapshot_export_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_export_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_export_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_snapshot_foreign_test_SOURCES = test/snapshot/foreign_test.c test/snapshot/snapshot_helpers.h
test_snapshot_foreign_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_foreign_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_foreign_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_snapshot_load_test_SOURCES = test/snapshot/load_test.c test/snapshot/snapshot_helpers.h
test_snapshot_load_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_load_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_load_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_snapshot_verify_chain_test_SOURCES = test/snapshot/verify_chain_test.c test/snapshot/snapshot_helpers.h
test_snapshot_verify_chain_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_snapshot_verify_chain_test_LDFLAGS = $(LOADBLOCK_LINK)
test_snapshot_verify_chain_test_LDADD = $(LOADBLOCK_TEST_LIBS)

# Beside bitcoind; without $BITCOIND it is skipped.
EXTRA_DIST += test/snapshot/beside_core.py test/snapshot/foreign_beside_core.py test/snapshot/load_beside_core.py
TESTS += test/snapshot/beside_core.py test/snapshot/foreign_beside_core.py test/snapshot/load_beside_core.py
