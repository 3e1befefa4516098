/* test/cli/settings_test.c: options and bitcoin.conf count as Core lets them count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/config_file.h"

enum { WORDS_MAX = 16 };

/* A command line in words with a space between. */
static bool parse(lode_settings *s, const char *line)
{
    static char copy[512]; /* lent to the settings */
    char *argv[WORDS_MAX + 1] = { (char *)(uintptr_t) "lode" };
    int argc = 1;

    lode_settings_init(s);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    return lode_settings_parse(s, argc, argv);
}

static bool add_file(lode_settings *s, const char *text)
{
    char *copy = strdup(text);
    bool good = lode_config_parse(s, "test.conf", copy, NULL, NULL);

    free(copy);
    return good && lode_settings_choose_network(s);
}

static void options_stand_before_or_after_the_command_with_one_dash_or_two(void **state)
{
    lode_settings s;

    assert_true(parse(&s, "-datadir=D import --txindex a.dat -par=3 b.dat"));
    assert_int_equal(s.word_count, 3);
    assert_string_equal(s.words[0], "import");
    assert_string_equal(s.words[2], "b.dat");
    assert_string_equal(lode_settings_text(&s, "datadir"), "D");
    assert_true(lode_settings_bool(&s, "txindex", false));
    lode_settings_clear(&s);
}

static void what_lode_does_not_keep_is_declined_by_name(void **state)
{
    static const char *const asked[] = { "-prune=550", "-prune", "--coinstatsindex", "-coinstatsindex=1", "-txospenderindex", "-blockfilterindex=basic" };
    static const char *const not_asked[] = { "-prune=0", "-noprune", "-nocoinstatsindex", "-txospenderindex=0", "-noblockfilterindex" };
    lode_settings s;

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_false(parse(&s, asked[i]));
        assert_non_null(strstr(s.error, asked[i]));
        assert_non_null(strstr(s.error, "Lode"));
        lode_settings_clear(&s);
    }
    for (size_t i = 0; i < sizeof not_asked / sizeof *not_asked; i++) {
        assert_true(parse(&s, not_asked[i]));
        lode_settings_clear(&s);
    }
    assert_false(parse(&s, "-prunes=1"));
    assert_non_null(strstr(s.error, "unknown option"));
    lode_settings_clear(&s);
}

static void dashes_alone_and_negative_numbers_are_words(void **state)
{
    lode_settings s;

    assert_true(parse(&s, "gettxout - -1 -- -txindex"));
    assert_int_equal(s.word_count, 4);
    assert_string_equal(s.words[1], "-");
    assert_string_equal(s.words[2], "-1");
    assert_string_equal(s.words[3], "-txindex");
    lode_settings_clear(&s);
}

static void switches_are_read_as_core_reads_them(void **state)
{
    static const struct {
        const char *line;
        bool value;
    } rows[] = { { "-txindex", true },
                 { "-txindex=1", true },
                 { "-txindex=0", false },
                 { "-notxindex", false },
                 { "-notxindex=1", false },
                 { "-notxindex=0", true },
                 { "-txindex -txindex=0", false },
                 { "-txindex=0 -txindex", true },
                 { "-txindex=2", true } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lode_settings s;
        assert_true(parse(&s, rows[i].line));
        assert_int_equal(lode_settings_bool(&s, "txindex", !rows[i].value), rows[i].value);
        lode_settings_clear(&s);
    }
}

static void what_is_no_option_is_refused_by_name(void **state)
{
    static const char *const lines[] = { "-bogus", "--bogus=1", "-nobogus", "-dbcache", "-par=x", "-par=1.5" };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lode_settings s;
        int64_t value;
        bool good = parse(&s, lines[i]) && lode_settings_integer(&s, &value, "par", 0, -10, 10);
        assert_false(good);
        assert_true(s.error[0] != '\0');
        lode_settings_clear(&s);
    }
}

static void the_command_line_comes_before_the_section_and_the_section_before_the_rest(void **state)
{
    lode_settings s;
    int64_t value;

    assert_true(parse(&s, "-regtest"));
    assert_true(add_file(&s, "par=1\npar=2\ndbcache=5\n[regtest]\npar=3\npar=4\n[main]\ndbcache=6\n"));
    assert_true(lode_settings_integer(&s, &value, "par", 0, 0, 99));
    assert_int_equal(value, 3);
    assert_true(lode_settings_integer(&s, &value, "dbcache", 0, 0, 99));
    assert_int_equal(value, 5);
    lode_settings_clear(&s);

    assert_true(parse(&s, "-regtest -par=7"));
    assert_true(add_file(&s, "regtest.par=3\n"));
    assert_true(lode_settings_integer(&s, &value, "par", 0, 0, 99));
    assert_int_equal(value, 7);
    lode_settings_clear(&s);
}

static void lists_join_what_both_places_give_and_no_takes_it_back(void **state)
{
    lode_settings s;

    assert_true(parse(&s, "-loadblock=a -loadblock=b"));
    assert_true(add_file(&s, "loadblock=c\n"));
    assert_string_equal(lode_settings_item(&s, "loadblock", 0), "a");
    assert_string_equal(lode_settings_item(&s, "loadblock", 2), "c");
    assert_null(lode_settings_item(&s, "loadblock", 3));
    lode_settings_clear(&s);

    assert_true(parse(&s, "-loadblock=a -noloadblock -loadblock=b"));
    assert_true(add_file(&s, "loadblock=c\n"));
    assert_string_equal(lode_settings_item(&s, "loadblock", 0), "b");
    assert_null(lode_settings_item(&s, "loadblock", 1));
    lode_settings_clear(&s);
}

static void the_network_is_named_once(void **state)
{
    static const struct {
        const char *line, *file, *network; /* NULL: contradiction */
    } rows[] = { { "", "", "main" },
                 { "-regtest", "", "regtest" },
                 { "-chain=test", "", "test" },
                 { "-testnet", "", "test" },
                 { "-testnet4=1", "", "testnet4" },
                 { "", "signet=1\n", "signet" },
                 { "-nosignet", "signet=1\n", "main" },
                 { "", "[regtest]\nregtest=1\n", "main" },
                 { "-regtest -signet", "", NULL },
                 { "-chain=main -regtest", "", NULL },
                 { "-chain=moon", "", NULL } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lode_settings s;
        assert_true(parse(&s, rows[i].line));
        assert_int_equal(add_file(&s, rows[i].file), rows[i].network != NULL);
        if (rows[i].network)
            assert_string_equal(s.network, rows[i].network);
        lode_settings_clear(&s);
    }
}

static void a_file_may_hold_comments_spaces_and_keys_of_others(void **state)
{
    lode_settings s;

    assert_true(parse(&s, ""));
    assert_true(add_file(&s, "# a comment\r\n  txindex = 1 # and one more\n\nrpcuser=u\nnolisten=1\n[other]\nx=y"));
    assert_true(lode_settings_bool(&s, "txindex", false));
    lode_settings_clear(&s);
}

static void lines_that_are_no_setting_are_told_with_their_number(void **state)
{
    static const char *const texts[] = { "txindex=1\ngarbage\n", "\n-txindex=1\n" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lode_settings s;
        assert_true(parse(&s, ""));
        assert_false(add_file(&s, texts[i]));
        assert_non_null(strstr(s.error, "test.conf, line 2"));
        lode_settings_clear(&s);
    }
}

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *directory, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

static void bitcoin_conf_in_the_directory_is_read_with_what_it_includes(void **state)
{
    char directory[] = "/tmp/lode-settings-XXXXXX";
    char line[128];
    lode_settings s;

    assert_non_null(mkdtemp(directory));
    write_file(directory, "bitcoin.conf", "regtest=1\nincludeconf=more.conf\n");
    write_file(directory, "more.conf", "[regtest]\nblocksdir=elsewhere\n");
    snprintf(line, sizeof line, "-datadir=%s", directory);
    assert_true(parse(&s, line));
    assert_true(lode_config_read(&s));
    assert_string_equal(s.network, "regtest");
    assert_string_equal(lode_settings_text(&s, "blocksdir"), "elsewhere");
    lode_settings_clear(&s);

    snprintf(line, sizeof line, "-datadir=%s -noconf", directory);
    assert_true(parse(&s, line));
    assert_true(lode_config_read(&s));
    assert_string_equal(s.network, "main");
    lode_settings_clear(&s);

    snprintf(line, sizeof line, "-datadir=%s -conf=absent.conf", directory);
    assert_true(parse(&s, line));
    assert_false(lode_config_read(&s));
    assert_non_null(strstr(s.error, "absent.conf"));
    lode_settings_clear(&s);

    remove_file(directory, "bitcoin.conf");
    remove_file(directory, "more.conf");
    snprintf(line, sizeof line, "-datadir=%s", directory);
    assert_true(parse(&s, line));
    assert_true(lode_config_read(&s)); /* no file: nothing to read */
    lode_settings_clear(&s);
    rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_stand_before_or_after_the_command_with_one_dash_or_two),
        cmocka_unit_test(what_lode_does_not_keep_is_declined_by_name),
        cmocka_unit_test(dashes_alone_and_negative_numbers_are_words),
        cmocka_unit_test(switches_are_read_as_core_reads_them),
        cmocka_unit_test(what_is_no_option_is_refused_by_name),
        cmocka_unit_test(the_command_line_comes_before_the_section_and_the_section_before_the_rest),
        cmocka_unit_test(lists_join_what_both_places_give_and_no_takes_it_back),
        cmocka_unit_test(the_network_is_named_once),
        cmocka_unit_test(a_file_may_hold_comments_spaces_and_keys_of_others),
        cmocka_unit_test(lines_that_are_no_setting_are_told_with_their_number),
        cmocka_unit_test(bitcoin_conf_in_the_directory_is_read_with_what_it_includes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
