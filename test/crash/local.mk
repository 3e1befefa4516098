# test/crash/local.mk
# Failing calls, power cuts, full disks: whatever happens, the next run goes on.
CRASH_TESTS = \
	test/crash/crash_test \
	test/crash/given_replay_test
check_PROGRAMS += $(CRASH_TESTS)
TESTS += $(CRASH_TESTS)

test_crash_crash_test_SOURCES = \
	test/crash/crash_test.c \
	test/crash/look.c test/crash/look.h \
	test/crash/reference.c \
	test/crash/run_case.c test/crash/run_case.h \
	test/crash/scenario.c test/crash/scenario.h \
	test/crash/story.c test/crash/story.h \
	test/crash/world.c test/crash/world.h
test_crash_crash_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_crash_crash_test_LDFLAGS = $(LOADBLOCK_LINK)
test_crash_crash_test_LDADD = $(LOADBLOCK_TEST_LIBS)
test_crash_given_replay_test_SOURCES = test/crash/given_replay_test.c test/chainstate/given_directory.h
test_crash_given_replay_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_crash_given_replay_test_LDFLAGS = $(LOADBLOCK_LINK)
test_crash_given_replay_test_LDADD = $(LOADBLOCK_TEST_LIBS)

# The program itself, killed; with $BITCOIND also bitcoind on what is left.
EXTRA_DIST += test/crash/kill_test.py
TESTS += test/crash/kill_test.py
