# test/support/local.mk
# For every folder's tests: given data, JSON files, a lode_env in memory that loses power, one that fails chosen calls.
# In LDADD it stands before libsupport.la.
check_LTLIBRARIES += libtestsupport.la
libtestsupport_la_SOURCES = \
	test/given_data.h \
	test/support/fault_env.c test/support/fault_env.h \
	test/support/json.c test/support/json.h \
	test/support/memory_env.c test/support/memory_env.h \
	test/support/memory_tree.c test/support/memory_tree.h
libtestsupport_la_CPPFLAGS = $(TEST_CPPFLAGS)

# For scripts beside bitcoind.
EXTRA_DIST += test/support/core_node.py

# For a program whose allocations are to fail: its sources and its LDFLAGS.
FAILING_MEMORY = test/support/failing_memory.c test/support/failing_memory.h
FAILING_MEMORY_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc -Wl,--wrap=strdup

SUPPORT_TESTS = \
	test/support/env_alone_test \
	test/support/env_direct_test \
	test/support/env_test \
	test/support/pool_test \
	test/support/support_test
check_PROGRAMS += $(SUPPORT_TESTS)
TESTS += $(SUPPORT_TESTS)

test_support_pool_test_SOURCES = test/support/pool_test.c
test_support_pool_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_pool_test_LDADD = libsupport.la $(TEST_LIBS)
test_support_env_direct_test_SOURCES = test/support/env_direct_test.c test/support/env_calls.h
test_support_env_direct_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_env_direct_test_LDADD = libsupport.la $(TEST_LIBS)
test_support_env_alone_test_SOURCES = test/support/env_alone_test.c test/support/env_calls.h
test_support_env_alone_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_env_alone_test_LDADD = libtestsupport.la libsupport.la $(TEST_LIBS)
test_support_env_test_SOURCES = test/support/env_test.c test/support/env_calls.h
test_support_env_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_env_test_LDADD = libtestsupport.la libsupport.la $(TEST_LIBS)
test_support_support_test_SOURCES = test/support/support_test.c
test_support_support_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_support_support_test_LDADD = libsupport.la $(TEST_LIBS)
