# test/api/local.mk
# The library as an embedder meets it: every function of lode.h, its memory of versions, and many threads.
API_TESTS = \
	test/api/soak_test
check_PROGRAMS += $(API_TESTS)
TESTS += $(API_TESTS)

test_api_soak_test_SOURCES = test/api/soak_test.c test/api/model.c test/api/model.h
test_api_soak_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_api_soak_test_LDFLAGS = $(LOADBLOCK_LINK)
test_api_soak_test_LDADD = $(LOADBLOCK_TEST_LIBS)
