# test/primitives/local.mk
PRIMITIVES_TESTS = \
	test/primitives/address_test \
	test/primitives/encode_test \
	test/primitives/hash_test \
	test/primitives/muhash_test \
	test/primitives/tx_test
PRIMITIVES_TEST_LIBS = libprimitives.la libsupport.la $(TEST_LIBS)
check_PROGRAMS += $(PRIMITIVES_TESTS)
TESTS += $(PRIMITIVES_TESTS)

test_primitives_hash_test_SOURCES = test/primitives/hash_test.c
test_primitives_hash_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_primitives_hash_test_LDADD = $(PRIMITIVES_TEST_LIBS)
test_primitives_tx_test_SOURCES = test/primitives/tx_test.c test/given_data.h
test_primitives_tx_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_primitives_tx_test_LDADD = $(PRIMITIVES_TEST_LIBS)
test_primitives_muhash_test_SOURCES = test/primitives/muhash_test.c
test_primitives_muhash_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_primitives_muhash_test_LDADD = $(PRIMITIVES_TEST_LIBS)
test_primitives_encode_test_SOURCES = test/primitives/encode_test.c
test_primitives_encode_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_primitives_encode_test_LDADD = $(PRIMITIVES_TEST_LIBS)
test_primitives_address_test_SOURCES = test/primitives/address_test.c
test_primitives_address_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_primitives_address_test_LDADD = $(PRIMITIVES_TEST_LIBS)
