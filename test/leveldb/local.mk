# test/leveldb/local.mk: one program, built with our library and with LevelDB's own.
LEVELDB_CALLS = \
	test/leveldb/calls.c test/leveldb/calls.h \
	test/leveldb/calls_basics.c \
	test/leveldb/calls_custom.c \
	test/leveldb/calls_iterators.c \
	test/leveldb/calls_random.c \
	test/leveldb/calls_upkeep.c
check_PROGRAMS += test/leveldb/calls
test_leveldb_calls_SOURCES = $(LEVELDB_CALLS)
test_leveldb_calls_CPPFLAGS = $(TEST_CPPFLAGS)
test_leveldb_calls_LDADD = liblode-leveldb.la
TESTS += test/leveldb/transcript_test.sh test/leveldb/surface_test.sh
EXTRA_DIST += \
	test/leveldb/cross.txt \
	test/leveldb/surface_test.sh \
	test/leveldb/transcript.txt \
	test/leveldb/transcript_test.sh

if HAVE_CMOCKA
LEVELDB_TESTS = test/leveldb/files_test test/leveldb/memory_test test/leveldb/misuse_test
check_PROGRAMS += $(LEVELDB_TESTS)
TESTS += $(LEVELDB_TESTS)
# Not the shared library, whose calls are bound already.
test_leveldb_memory_test_SOURCES = test/leveldb/memory_test.c test/leveldb/bed.h $(FAILING_MEMORY) $(liblode_leveldb_la_SOURCES)
test_leveldb_memory_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_leveldb_memory_test_LDADD = $(liblode_leveldb_la_LIBADD) $(CMOCKA_LIBS)
test_leveldb_memory_test_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY_LDFLAGS)
test_leveldb_files_test_SOURCES = test/leveldb/files_test.c test/leveldb/bed.h
test_leveldb_files_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_leveldb_files_test_LDADD = liblode-leveldb.la $(CMOCKA_LIBS)
test_leveldb_misuse_test_SOURCES = test/leveldb/misuse_test.c test/leveldb/bed.h
test_leveldb_misuse_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_leveldb_misuse_test_LDADD = liblode-leveldb.la $(CMOCKA_LIBS)
endif

if HAVE_LEVELDB
check_PROGRAMS += test/leveldb/calls_rival test/leveldb/agreement_test
test_leveldb_calls_rival_SOURCES = $(LEVELDB_CALLS)
test_leveldb_calls_rival_CPPFLAGS = $(TEST_CPPFLAGS)
test_leveldb_calls_rival_LDADD = $(LEVELDB_LIBS)
TESTS += test/leveldb/agreement_test
test_leveldb_agreement_test_SOURCES = test/leveldb/agreement_test.c
test_leveldb_agreement_test_CPPFLAGS = $(TEST_CPPFLAGS)
endif
