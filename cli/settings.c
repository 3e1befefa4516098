/* cli/settings.c: values of options by Core's order of precedence.
 *
 * Room:     what was given, and which of several counts.
 * Source:   Core's ArgsManager.
 */
#include "cli/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lode_settings_init(lode_settings *s)
{
    *s = (lode_settings){ .network = "main" };
}

void lode_settings_clear(lode_settings *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].value);
    free(s->list);
    free(s->words);
    lode_settings_init(s);
}

bool lode_settings_fail(lode_settings *s, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(s->error, sizeof s->error, format, arguments);
    va_end(arguments);
    return false;
}

static bool append(lode_settings *s, const lode_option *option, bool is_negated, const char *section, const char *value)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 16;
        lode_setting *bigger = realloc(s->list, capacity * sizeof *bigger);
        if (!bigger)
            return lode_settings_fail(s, "out of memory");
        s->list = bigger;
        s->capacity = capacity;
    }
    lode_setting *setting = &s->list[s->count];
    *setting = (lode_setting){ .option = option, .is_negated = is_negated, .is_from_file = section != NULL };
    setting->value = strdup(value);
    if (!setting->value)
        return lode_settings_fail(s, "out of memory");
    if (section)
        snprintf(setting->section, sizeof setting->section, "%s", section);
    s->count++;
    return true;
}

/* "" and any nonzero number are true, as in Core. */
static bool is_true(const char *value)
{
    return *value == '\0' || strtoll(value, NULL, 10) != 0;
}

bool lode_settings_add(lode_settings *s, bool *known, const char *section, const char *name, size_t name_len,
                       const char *value)
{
    const lode_option *option = lode_option_find(name, name_len);
    bool is_negated = false;

    if (!option && name_len > 2 && strncmp(name, "no", 2) == 0) {
        option = lode_option_find(name + 2, name_len - 2);
        is_negated = true;
    }
    *known = option != NULL;
    if (!option)
        return true;
    if (!is_negated)
        return append(s, option, false, section, value);
    if (is_true(value))
        return append(s, option, true, section, "0");
    return append(s, option, false, section, "1"); /* -noX=0: a double negative */
}

/* -prune=0, -nocoinstatsindex: what is declined, declined. */
static bool is_turned_off(const char *name, size_t name_len, const char *equals)
{
    if (lode_option_declined(name, name_len))
        return equals && strcmp(equals, "=0") == 0;
    return !equals && name_len > 2 && strncmp(name, "no", 2) == 0 && lode_option_declined(name + 2, name_len - 2);
}

static bool parse_option(lode_settings *s, const char *word)
{
    const char *name = word + (word[1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    size_t name_len = equals ? (size_t)(equals - name) : strlen(name);
    bool known;

    if (!lode_settings_add(s, &known, NULL, name, name_len, equals ? equals + 1 : ""))
        return false;
    if (!known && is_turned_off(name, name_len, equals))
        return true;
    if (!known && lode_option_declined(name, name_len))
        return lode_settings_fail(s, "%s: %s", word, lode_option_declined(name, name_len));
    if (!known)
        return lode_settings_fail(s, "unknown option %s", word);
    if (!equals && s->list[s->count - 1].option->value_name && !s->list[s->count - 1].is_negated &&
        strcmp(s->list[s->count - 1].option->name, "debug") != 0)
        return lode_settings_fail(s, "option %s needs a value: %s=%s", word, word,
                                  s->list[s->count - 1].option->value_name);
    return true;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

bool lode_settings_parse(lode_settings *s, int argc, char **argv)
{
    bool are_options_over = false;

    s->words = calloc((size_t)argc + 1, sizeof *s->words);
    if (!s->words)
        return lode_settings_fail(s, "out of memory");
    for (int i = 1; i < argc; i++) {
        if (!are_options_over && strcmp(argv[i], "--") == 0)
            are_options_over = true;
        else if (are_options_over || !is_option(argv[i]))
            s->words[s->word_count++] = argv[i];
        else if (!parse_option(s, argv[i]))
            return false;
    }
    return true;
}

/* Does the setting count at all, given the network? */
static bool is_from(const lode_settings *s, const lode_setting *setting, lode_setting_source source)
{
    switch (source) {
    case LODE_FROM_COMMAND_LINE:
        return !setting->is_from_file;
    case LODE_FROM_SECTION:
        return setting->is_from_file && strcmp(setting->section, s->network) == 0;
    case LODE_FROM_FILE:
        return setting->is_from_file && setting->section[0] == '\0';
    }
    return false;
}

static const lode_setting *find_from(const lode_settings *s, const char *name, lode_setting_source source)
{
    const lode_setting *found = NULL;

    for (size_t i = 0; i < s->count; i++) {
        const lode_setting *setting = &s->list[i];
        if (strcmp(setting->option->name, name) != 0 || !is_from(s, setting, source))
            continue;
        found = setting;
        if (source != LODE_FROM_COMMAND_LINE)
            break;
    }
    return found;
}

static const lode_setting *find(const lode_settings *s, const char *name)
{
    const lode_setting *found = find_from(s, name, LODE_FROM_COMMAND_LINE);

    if (!found)
        found = find_from(s, name, LODE_FROM_SECTION);
    return found ? found : find_from(s, name, LODE_FROM_FILE);
}

bool lode_settings_has(const lode_settings *s, const char *name)
{
    return find(s, name) != NULL;
}

const char *lode_settings_text(const lode_settings *s, const char *name)
{
    const lode_setting *found = find(s, name);
    return found ? found->value : NULL;
}

bool lode_settings_bool(const lode_settings *s, const char *name, bool fallback)
{
    const lode_setting *found = find(s, name);
    return found ? !found->is_negated && is_true(found->value) : fallback;
}

bool lode_settings_integer(lode_settings *s, int64_t *value, const char *name, int64_t fallback, int64_t low,
                           int64_t high)
{
    const char *text = lode_settings_text(s, name);
    char *end;
    long long number;

    *value = fallback;
    if (!text)
        return true;
    errno = 0;
    number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE)
        return lode_settings_fail(s, "-%s=%s: not a whole number", name, text);
    if (number < low || number > high)
        return lode_settings_fail(s, "-%s=%s: must lie between %lld and %lld", name, text, (long long)low,
                                  (long long)high);
    *value = number;
    return true;
}

const char *lode_settings_item(const lode_settings *s, const char *name, size_t i)
{
    /* A negation takes back what was given before it in the same place, and all that counts less. */
    for (int source = LODE_FROM_COMMAND_LINE; source <= LODE_FROM_FILE; source++) {
        size_t first = 0;
        bool is_negated = false;
        for (size_t k = 0; k < s->count; k++) {
            const lode_setting *setting = &s->list[k];
            if (setting->is_negated && strcmp(setting->option->name, name) == 0 &&
                is_from(s, setting, (lode_setting_source)source)) {
                first = k + 1;
                is_negated = true;
            }
        }
        for (size_t k = first; k < s->count; k++) {
            const lode_setting *setting = &s->list[k];
            if (strcmp(setting->option->name, name) != 0 || !is_from(s, setting, (lode_setting_source)source))
                continue;
            if (i-- == 0)
                return setting->value;
        }
        if (is_negated)
            return NULL;
    }
    return NULL;
}

bool lode_settings_choose_network(lode_settings *s)
{
    static const struct {
        const char *option, *network;
    } short_forms[] = {
        { "testnet", "test" }, { "testnet4", "testnet4" }, { "signet", "signet" }, { "regtest", "regtest" }
    };
    static const char *const names[] = { "main", "test", "testnet4", "signet", "regtest" };
    const char *chosen = NULL;
    const char *by_name;

    s->network = ""; /* no section counts yet */
    by_name = lode_settings_text(s, "chain");
    for (size_t i = 0; by_name && !chosen && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], by_name) == 0)
            chosen = names[i];
    if (by_name && !chosen)
        return lode_settings_fail(s, "-chain=%s: the networks are main, test, testnet4, signet and regtest", by_name);
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++) {
        if (!lode_settings_bool(s, short_forms[i].option, false))
            continue;
        if (chosen)
            return lode_settings_fail(s, "several networks are asked for: give one of -chain, -testnet, -testnet4, "
                                         "-signet and -regtest");
        chosen = short_forms[i].network;
    }
    s->network = chosen ? chosen : "main";
    return true;
}
