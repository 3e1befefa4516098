# test/loadblock/local.mk
# Imports through lode.h. Linked statically: tests look behind the header, too.
check_LTLIBRARIES += libimportbed.la
libimportbed_la_SOURCES = \
	test/loadblock/bed.c test/loadblock/bed.h \
	test/loadblock/made_blocks.c test/loadblock/made_blocks.h
libimportbed_la_CPPFLAGS = $(TEST_CPPFLAGS)

LOADBLOCK_TESTS = \
	test/loadblock/arguments_test \
	test/loadblock/backlog_test \
	test/loadblock/embed_test \
	test/loadblock/framing_test \
	test/loadblock/given_chains_test \
	test/loadblock/inputs_test \
	test/loadblock/order_test \
	test/loadblock/pressure_test \
	test/loadblock/reindex_test \
	test/loadblock/resume_test \
	test/loadblock/steps_test \
	test/loadblock/shared_library_test \
	test/loadblock/submit_test \
	test/loadblock/transactions_test
check_PROGRAMS += $(LOADBLOCK_TESTS)
TESTS += $(LOADBLOCK_TESTS)
LOADBLOCK_TEST_LIBS = libimportbed.la libtestsupport.la libchainmaker.la liblode.la $(TEST_LIBS)
LOADBLOCK_LINK = $(AM_LDFLAGS) -static

test_loadblock_arguments_test_SOURCES = test/loadblock/arguments_test.c
test_loadblock_arguments_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_arguments_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_arguments_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_backlog_test_SOURCES = test/loadblock/backlog_test.c
test_loadblock_backlog_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_backlog_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_backlog_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_embed_test_SOURCES = test/loadblock/embed_test.c
test_loadblock_embed_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_embed_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_embed_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_framing_test_SOURCES = test/loadblock/framing_test.c
test_loadblock_framing_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_framing_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_framing_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_given_chains_test_SOURCES = test/loadblock/given_chains_test.c
test_loadblock_given_chains_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_given_chains_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_given_chains_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_inputs_test_SOURCES = test/loadblock/inputs_test.c
test_loadblock_inputs_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_inputs_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_inputs_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_order_test_SOURCES = test/loadblock/order_test.c
test_loadblock_order_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_order_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_order_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_pressure_test_SOURCES = test/loadblock/pressure_test.c
test_loadblock_pressure_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_pressure_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_pressure_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_reindex_test_SOURCES = test/loadblock/reindex_test.c
test_loadblock_reindex_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_reindex_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_reindex_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_resume_test_SOURCES = test/loadblock/resume_test.c
test_loadblock_resume_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_resume_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_resume_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_steps_test_SOURCES = test/loadblock/steps_test.c
test_loadblock_steps_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_steps_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_steps_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_submit_test_SOURCES = test/loadblock/submit_test.c
test_loadblock_submit_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_submit_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_submit_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_transactions_test_SOURCES = test/loadblock/transactions_test.c
test_loadblock_transactions_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_transactions_test_LDFLAGS = $(LOADBLOCK_LINK)
test_loadblock_transactions_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_loadblock_shared_library_test_SOURCES = test/loadblock/shared_library_test.c
test_loadblock_shared_library_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_loadblock_shared_library_test_LDADD = libimportbed.la libtestsupport.la $(CHAINMAKER_LIBS) -ldl $(TEST_LIBS)

TESTS += test/loadblock/surface_test.sh
EXTRA_DIST += test/loadblock/surface_test.sh
