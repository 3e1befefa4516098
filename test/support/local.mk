# test/support/local.mk
SUPPORT_TESTS = \
	test/support/pool_test
check_PROGRAMS += $(SUPPORT_TESTS)
TESTS += $(SUPPORT_TESTS)

test_support_pool_test_SOURCES = test/support/pool_test.c
test_support_pool_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_pool_test_LDADD = libsupport.la $(TEST_LIBS)

# Read JSON files of given data; other folders' tests link it.
check_LTLIBRARIES += libtestsupport.la
libtestsupport_la_SOURCES = test/support/json.c test/support/json.h
libtestsupport_la_CPPFLAGS = $(TEST_CPPFLAGS)
