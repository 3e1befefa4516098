# Rules of headers, transactions and blocks.
RULES_TESTS = \
	test/validate/block_rules_test \
	test/validate/conformance_test \
	test/validate/header_test \
	test/validate/node_test \
	test/validate/params_test \
	test/validate/place_test \
	test/validate/real_blocks_test \
	test/validate/reject_test \
	test/validate/signet_test \
	test/validate/tx_rules_test \
	test/validate/u256_test
RULES_TEST_LIBS = librules.la libscript.la libprimitives.la libsupport.la $(TEST_LIBS)
check_PROGRAMS += $(RULES_TESTS)
TESTS += $(RULES_TESTS)

test_validate_block_rules_test_SOURCES = test/validate/block_rules_test.c test/validate/made_chain.h
test_validate_block_rules_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_block_rules_test_LDADD = $(RULES_TEST_LIBS)
test_validate_conformance_test_SOURCES = test/validate/conformance_test.c test/validate/made_chain.h test/given_data.h
test_validate_conformance_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_conformance_test_LDADD = libtestsupport.la $(RULES_TEST_LIBS)
test_validate_header_test_SOURCES = test/validate/header_test.c test/validate/made_chain.h
test_validate_header_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_header_test_LDADD = $(RULES_TEST_LIBS)
test_validate_node_test_SOURCES = test/validate/node_test.c test/validate/made_chain.h
test_validate_node_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_node_test_LDADD = $(RULES_TEST_LIBS)
test_validate_params_test_SOURCES = test/validate/params_test.c test/validate/made_chain.h
test_validate_params_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_params_test_LDADD = $(RULES_TEST_LIBS)
test_validate_place_test_SOURCES = test/validate/place_test.c test/validate/made_chain.h
test_validate_place_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_place_test_LDADD = $(RULES_TEST_LIBS)
test_validate_real_blocks_test_SOURCES = test/validate/real_blocks_test.c test/validate/made_chain.h test/given_data.h
test_validate_real_blocks_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_real_blocks_test_LDADD = $(RULES_TEST_LIBS)
test_validate_reject_test_SOURCES = test/validate/reject_test.c test/validate/made_chain.h
test_validate_reject_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_reject_test_LDADD = $(RULES_TEST_LIBS)
test_validate_signet_test_SOURCES = test/validate/signet_test.c test/validate/made_chain.h test/given_data.h
test_validate_signet_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_signet_test_LDADD = $(RULES_TEST_LIBS)
test_validate_tx_rules_test_SOURCES = test/validate/tx_rules_test.c test/validate/made_chain.h
test_validate_tx_rules_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_tx_rules_test_LDADD = $(RULES_TEST_LIBS)
test_validate_u256_test_SOURCES = test/validate/u256_test.c test/validate/made_chain.h
test_validate_u256_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_u256_test_LDADD = $(RULES_TEST_LIBS)
