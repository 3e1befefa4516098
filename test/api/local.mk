# test/api/local.mk
# The library as an embedder meets it: every function of lode.h, its memory of versions, and many threads.
API_TESTS = \
	test/api/arguments_test \
	test/api/background_test \
	test/api/reader_test \
	test/api/soak_test \
	test/api/transaction_test \
	test/api/versions_test \
	test/api/writer_test
check_PROGRAMS += $(API_TESTS)
TESTS += $(API_TESTS)
API_BED = test/api/api_bed.c test/api/api_bed.h

test_api_arguments_test_SOURCES = test/api/arguments_test.c $(API_BED)
test_api_arguments_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_arguments_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_arguments_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_background_test_SOURCES = test/api/background_test.c $(API_BED)
test_api_background_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_background_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_background_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_reader_test_SOURCES = test/api/reader_test.c $(API_BED) test/api/model.c test/api/model.h
test_api_reader_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_reader_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_reader_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_soak_test_SOURCES = test/api/soak_test.c test/api/model.c test/api/model.h
test_api_soak_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_soak_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_soak_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_transaction_test_SOURCES = test/api/transaction_test.c $(API_BED)
test_api_transaction_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_transaction_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_transaction_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_versions_test_SOURCES = test/api/versions_test.c $(API_BED)
test_api_versions_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_versions_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_versions_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_api_writer_test_SOURCES = test/api/writer_test.c $(API_BED)
test_api_writer_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_writer_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_writer_test_LDADD = $(LOADBLOCK_TEST_LIBS)

TESTS += test/api/every_function_test.sh test/api/watch_test.py
EXTRA_DIST += test/api/every_function_test.sh test/api/watch_test.py
