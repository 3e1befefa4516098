# test/cli/local.mk
CLI_TESTS = \
	test/cli/json_test \
	test/cli/progress_test \
	test/cli/script_text_test \
	test/cli/settings_test
check_PROGRAMS += $(CLI_TESTS)
TESTS += $(CLI_TESTS)

test_cli_json_test_SOURCES = test/cli/json_test.c query/json.c query/arguments.c
test_cli_json_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_cli_json_test_LDADD = libprimitives.la libsupport.la $(TEST_LIBS)
test_cli_progress_test_SOURCES = test/cli/progress_test.c
test_cli_progress_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_cli_progress_test_LDADD = libcli.la $(TEST_LIBS)
test_cli_script_text_test_SOURCES = test/cli/script_text_test.c query/descriptor.c query/json.c query/script_asm.c query/script_class.c
test_cli_script_text_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_cli_script_text_test_LDADD = librules.la libscript.la libprimitives.la libsupport.la $(TEST_LIBS)
test_cli_settings_test_SOURCES = test/cli/settings_test.c
test_cli_settings_test_CPPFLAGS = $(TEST_CPPFLAGS)
test_cli_settings_test_LDADD = libcli.la $(TEST_LIBS)

# These run the program itself.
PROGRAM_TESTS = \
	test/cli/beside_core.py \
	test/cli/damage.py \
	test/cli/exit_status.sh \
	test/cli/given_answers.py \
	test/cli/limits.py \
	test/conformance.sh
EXTRA_DIST += $(PROGRAM_TESTS)
TESTS += $(PROGRAM_TESTS)
