# test/storage/local.mk
STORAGE_TESTS = \
	test/storage/arguments_test \
	test/storage/ask_ahead_test \
	test/storage/crash_test \
	test/storage/format_test \
	test/storage/limits_test \
	test/storage/log_test \
	test/storage/memory_test \
	test/storage/model_test \
	test/storage/reports_test \
	test/storage/table_test \
	test/storage/threads_test \
	test/storage/unpack_test \
	test/storage/upkeep_test
check_PROGRAMS += $(STORAGE_TESTS)
TESTS += $(STORAGE_TESTS)
STORAGE_TEST_LIBS = libtestsupport.la libstorage.la libsupport.la $(TEST_LIBS)

test_storage_arguments_test_SOURCES = test/storage/arguments_test.c test/storage/store_test.h
test_storage_arguments_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_arguments_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_ask_ahead_test_SOURCES = test/storage/ask_ahead_test.c test/storage/store_test.h
test_storage_ask_ahead_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_ask_ahead_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_reports_test_SOURCES = test/storage/reports_test.c test/storage/store_test.h
test_storage_reports_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_reports_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_memory_test_SOURCES = test/storage/memory_test.c test/storage/store_test.h $(FAILING_MEMORY)
test_storage_memory_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_memory_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_memory_test_LDFLAGS = $(AM_LDFLAGS) $(FAILING_MEMORY_LDFLAGS)
test_storage_model_test_SOURCES = test/storage/model_test.c test/storage/store_test.h
test_storage_model_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_model_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_crash_test_SOURCES = test/storage/crash_test.c test/storage/store_test.h
test_storage_crash_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_crash_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_threads_test_SOURCES = test/storage/threads_test.c test/storage/store_test.h
test_storage_threads_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_threads_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_format_test_SOURCES = test/storage/format_test.c test/storage/store_test.h test/storage/one_file_env.h
test_storage_format_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_format_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_log_test_SOURCES = test/storage/log_test.c test/storage/store_test.h test/storage/one_file_env.h
test_storage_log_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_log_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_table_test_SOURCES = test/storage/table_test.c test/storage/store_test.h test/storage/one_file_env.h
test_storage_table_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_table_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_limits_test_SOURCES = test/storage/limits_test.c test/storage/store_test.h
test_storage_limits_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_limits_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_unpack_test_SOURCES = test/storage/unpack_test.c test/storage/store_test.h
test_storage_unpack_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_unpack_test_LDADD = $(STORAGE_TEST_LIBS)
test_storage_upkeep_test_SOURCES = test/storage/upkeep_test.c test/storage/store_test.h
test_storage_upkeep_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_upkeep_test_LDADD = $(STORAGE_TEST_LIBS)

if HAVE_LEVELDB
check_PROGRAMS += test/storage/leveldb_test
TESTS += test/storage/leveldb_test
test_storage_leveldb_test_SOURCES = test/storage/leveldb_test.c test/storage/store_test.h
test_storage_leveldb_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_storage_leveldb_test_LDADD = $(STORAGE_TEST_LIBS) $(LEVELDB_LIBS)
endif
