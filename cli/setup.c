/* cli/setup.c: settings turned into what the library takes.
 *
 * Room:     meaning of options: units, defaults of the program, forms of hashes.
 */
#include "cli/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int processor_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

int lode_setup_thread_count(const lode_setup *setup)
{
    return setup->options.threads > 0 ? setup->options.threads : processor_count();
}

/* Up to 64 digits, "0x" before them or not, filled up with zeros on the left. */
static bool read_hex(char out[65], const char *text)
{
    size_t len;

    if (strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0)
        text += 2;
    len = strlen(text);
    if (len == 0 || len > 64 || strspn(text, "0123456789abcdefABCDEF") != len)
        return false;
    memset(out, '0', 64 - len);
    memcpy(out + 64 - len, text, len + 1);
    return true;
}

static bool set_assume_valid(lode_setup *setup, lode_settings *s)
{
    const char *text = lode_settings_text(s, "assumevalid");

    if (!text || strcmp(text, "0") == 0)
        return true;
    if (!read_hex(setup->assume_valid, text))
        return lode_settings_fail(s, "-assumevalid=%s: must be a block hash, up to 64 hexadecimal digits, or 0", text);
    if (strspn(setup->assume_valid, "0") < 64)
        setup->options.assume_valid = setup->assume_valid;
    return true;
}

static bool set_minimum_work(lode_setup *setup, lode_settings *s)
{
    const char *text = lode_settings_text(s, "minimumchainwork");
    char unused[65];

    if (text && !read_hex(unused, text))
        return lode_settings_fail(s, "-minimumchainwork=%s: must be up to 64 hexadecimal digits", text);
    setup->options.minimum_chain_work = text;
    return true;
}

static bool set_numbers(lode_setup *setup, lode_settings *s)
{
    int64_t threads, cache, stop;

    if (!lode_settings_integer(s, &threads, "par", 0, -1024, 1024) ||
        !lode_settings_integer(s, &cache, "dbcache", -1, INT32_MIN, 1 << 24) ||
        !lode_settings_integer(s, &stop, "stopatheight", 0, 0, INT32_MAX))
        return false;
    if (threads < 0)
        threads = processor_count() + threads < 1 ? 1 : processor_count() + threads;
    setup->options.threads = (int)threads;
    if (lode_settings_has(s, "dbcache"))
        setup->options.dbcache_bytes = (uint64_t)(cache < 4 ? 4 : cache) << 20; /* Core's smallest, too */
    setup->options.stop_at_height = (int32_t)stop;
    return true;
}

/* "name=value", one for each value of each chain option. */
static bool set_chain_options(lode_setup *setup, lode_settings *s)
{
    static const char *const names[] = { "testactivationheight", "test", "vbparams", "signetchallenge" };

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const char *value;
        for (size_t i = 0; (value = lode_settings_item(s, names[n], i)); i++) {
            char **bigger =
                realloc(setup->chain_options, (setup->chain_option_count + 1) * sizeof *setup->chain_options);
            if (!bigger)
                return lode_settings_fail(s, "out of memory");
            setup->chain_options = bigger;
            if (asprintf(&bigger[setup->chain_option_count], "%s=%s", names[n], value) < 0)
                return lode_settings_fail(s, "out of memory");
            setup->chain_option_count++;
        }
    }
    setup->options.chain_options = (const char *const *)setup->chain_options;
    setup->options.chain_option_count = setup->chain_option_count;
    return true;
}

static bool wants_debug(const lode_settings *s)
{
    const char *value;
    bool wanted = false;

    for (size_t i = 0; (value = lode_settings_item(s, "debug", i)); i++) {
        if (strcmp(value, "0") == 0 || strcmp(value, "none") == 0)
            return false;
        if (strcmp(value, "bench") == 0 || strcmp(value, "1") == 0 || strcmp(value, "all") == 0 || *value == '\0')
            wanted = true;
    }
    return wanted;
}

bool lode_setup_fill(lode_setup *setup, lode_settings *s, lode_console *console)
{
    lode_options *o = &setup->options;
    bool debug = wants_debug(s);
    bool show_log = lode_settings_bool(s, "printtoconsole", false) || debug;

    *setup = (lode_setup){ 0 };
    lode_options_init(o);
    o->datadir = lode_settings_text(s, "datadir");
    o->blocksdir = lode_settings_text(s, "blocksdir");
    o->blocks_from = lode_settings_text(s, "blocksfrom");
    o->chain = s->network;
    o->txindex = lode_settings_bool(s, "txindex", false);
    o->check_scripts = lode_settings_bool(s, "checksigs", true);
    o->random_xor_key = lode_settings_bool(s, "blocksxor", false);
    o->reindex = lode_settings_bool(s, "reindex", false);
    o->reindex_chainstate = lode_settings_bool(s, "reindex-chainstate", false);
    o->log = lode_console_log;
    o->log_context = console;
    o->log_level = debug ? 3 : show_log ? 2 : 1;
    return set_numbers(setup, s) && set_assume_valid(setup, s) && set_minimum_work(setup, s) &&
           set_chain_options(setup, s);
}

void lode_setup_clear(lode_setup *setup)
{
    for (size_t i = 0; i < setup->chain_option_count; i++)
        free(setup->chain_options[i]);
    free(setup->chain_options);
    *setup = (lode_setup){ 0 };
}
