# test/fuzz/local.mk: with --enable-fuzz (clang) libFuzzer programs, else each target replays its corpus in make check.
FUZZ_TARGETS = \
	test/fuzz/block_examine_fuzz \
	test/fuzz/block_index_fuzz \
	test/fuzz/block_parse_fuzz \
	test/fuzz/coins_fuzz \
	test/fuzz/encode_fuzz \
	test/fuzz/header_chain_fuzz \
	test/fuzz/script_fuzz \
	test/fuzz/script_text_fuzz \
	test/fuzz/sighash_fuzz \
	test/fuzz/store_log_fuzz \
	test/fuzz/store_manifest_fuzz \
	test/fuzz/store_table_fuzz \
	test/fuzz/text_input_fuzz
if ENABLE_FUZZ
FUZZ_DRIVER =
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
else
FUZZ_DRIVER = test/fuzz/replay.c
FUZZ_LINK = $(AM_LDFLAGS)
TESTS += $(FUZZ_TARGETS)
endif
check_PROGRAMS += $(FUZZ_TARGETS)
EXTRA_DIST += test/fuzz/corpus test/fuzz/replay.c

test_fuzz_block_parse_fuzz_SOURCES = test/fuzz/block_parse_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_block_parse_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_block_parse_fuzz_LDADD = libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_encode_fuzz_SOURCES = test/fuzz/encode_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_encode_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_encode_fuzz_LDADD = libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_script_fuzz_SOURCES = test/fuzz/script_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_script_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_script_fuzz_LDADD = libtestscript.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_sighash_fuzz_SOURCES = test/fuzz/sighash_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_sighash_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_sighash_fuzz_LDADD = libtestscript.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_header_chain_fuzz_SOURCES = test/fuzz/header_chain_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_header_chain_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_header_chain_fuzz_LDADD = librules.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_block_examine_fuzz_SOURCES = test/fuzz/block_examine_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_block_examine_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_block_examine_fuzz_LDADD = librules.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_block_index_fuzz_SOURCES = test/fuzz/block_index_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_block_index_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_block_index_fuzz_LDADD = libchainstate.la libtxindex.la librules.la libscript.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_script_text_fuzz_SOURCES = test/fuzz/script_text_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_script_text_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_script_text_fuzz_LDADD = libquery.la librules.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_text_input_fuzz_SOURCES = test/fuzz/text_input_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_text_input_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_text_input_fuzz_LDADD = libcli.la libquery.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_coins_fuzz_SOURCES = test/fuzz/coins_fuzz.c test/fuzz/fuzz.h $(FUZZ_DRIVER)
test_fuzz_coins_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_coins_fuzz_LDADD = libchainstate.la libtxindex.la librules.la libscript.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_store_log_fuzz_SOURCES = test/fuzz/store_log_fuzz.c test/fuzz/fuzz.h test/storage/one_file_env.h $(FUZZ_DRIVER)
test_fuzz_store_log_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_store_log_fuzz_LDADD = libstorage.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_store_manifest_fuzz_SOURCES = test/fuzz/store_manifest_fuzz.c test/fuzz/fuzz.h test/storage/one_file_env.h $(FUZZ_DRIVER)
test_fuzz_store_manifest_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_store_manifest_fuzz_LDADD = libstorage.la libsupport.la $(EXTERNAL_LIBS)
test_fuzz_store_table_fuzz_SOURCES = test/fuzz/store_table_fuzz.c test/fuzz/fuzz.h test/storage/one_file_env.h $(FUZZ_DRIVER)
test_fuzz_store_table_fuzz_LDFLAGS = $(FUZZ_LINK)
test_fuzz_store_table_fuzz_LDADD = libstorage.la libsupport.la $(EXTERNAL_LIBS)
