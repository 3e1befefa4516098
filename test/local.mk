# Tests: each program proves one part through its header. The folder's own local.mk adds to check_PROGRAMS and TESTS.
TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/test
TEST_LIBS = $(CMOCKA_LIBS) $(EXTERNAL_LIBS)
if HAVE_CMOCKA
include test/support/local.mk
include test/primitives/local.mk
include test/storage/local.mk
include test/validate/local.mk
include test/chainstate/local.mk
include test/loadblock/local.mk
include test/api/local.mk
include test/crash/local.mk
include test/cli/local.mk
include test/snapshot/local.mk
include test/bench/local.mk
endif
include test/leveldb/local.mk
include test/differential/local.mk
include test/fuzz/local.mk
