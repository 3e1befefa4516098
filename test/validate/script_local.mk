# test/validate/script_local.mk: tests of validate/script/.
SCRIPT_TESTS = \
	test/validate/script_differential_test \
	test/validate/script_limits_test \
	test/validate/script_rules_test \
	test/validate/script_vectors_test \
	test/validate/sighash_vectors_test \
	test/validate/signature_rules_test \
	test/validate/taproot_rules_test \
	test/validate/tx_vectors_test
SCRIPT_TEST_LIBS = libtestscript.la librules.la libscript.la libprimitives.la libtestsupport.la libsupport.la $(TEST_LIBS)
check_PROGRAMS += $(SCRIPT_TESTS)
TESTS += $(SCRIPT_TESTS)

# What the tests of scripts share.
check_LTLIBRARIES += libtestscript.la
libtestscript_la_SOURCES = \
	test/validate/script_keys.c test/validate/script_keys.h \
	test/validate/script_maker.c test/validate/script_maker.h \
	test/validate/script_phrases.c test/validate/script_phrases.h \
	test/validate/script_spend.c test/validate/script_spend.h \
	test/validate/script_words.c test/validate/script_words.h \
	test/validate/sighash_slow.c test/validate/sighash_slow.h
libtestscript_la_CPPFLAGS = $(TEST_CPPFLAGS)

test_validate_script_vectors_test_SOURCES = test/validate/script_vectors_test.c
test_validate_script_vectors_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_script_vectors_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_sighash_vectors_test_SOURCES = test/validate/sighash_vectors_test.c
test_validate_sighash_vectors_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_sighash_vectors_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_tx_vectors_test_SOURCES = test/validate/tx_vectors_test.c
test_validate_tx_vectors_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_tx_vectors_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_script_differential_test_SOURCES = test/validate/script_differential_test.c
test_validate_script_differential_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_script_differential_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_script_limits_test_SOURCES = test/validate/script_limits_test.c
test_validate_script_limits_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_script_limits_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_script_rules_test_SOURCES = test/validate/script_rules_test.c
test_validate_script_rules_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_script_rules_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_signature_rules_test_SOURCES = test/validate/signature_rules_test.c
test_validate_signature_rules_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_signature_rules_test_LDADD = $(SCRIPT_TEST_LIBS)
test_validate_taproot_rules_test_SOURCES = test/validate/taproot_rules_test.c
test_validate_taproot_rules_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_validate_taproot_rules_test_LDADD = $(SCRIPT_TEST_LIBS)
