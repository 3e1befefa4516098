/* test/fuzz/text_input_fuzz.c: what people write: arguments in JSON, and files of settings.
 *
 * Input: kind u8 (even: an argument, odd: a file), then the text.
 */
#include <string.h>

#include "cli/config_file.h"
#include "query/arguments.h"

#include "test/fuzz/fuzz.h"

static void try_argument(const char *text)
{
    lode_argument a;
    int64_t value;

    if (!lode_argument_parse(&a, text))
        return;
    FUZZ_CHECK(a.len > 0 && a.text >= text && a.text + a.len <= text + strlen(text));
    FUZZ_CHECK(*lode_json_kind_name(a.kind));
    if (a.kind == LODE_JSON_NUMBER && lode_argument_to_integer(&value, &a, -1000, 1000))
        FUZZ_CHECK(value >= -1000 && value <= 1000);
}

static void try_file(char *text)
{
    lode_settings s;
    char **includes = NULL;
    size_t include_count = 0;
    int64_t value;

    lode_settings_init(&s);
    if (lode_config_parse(&s, "fuzz", text, &includes, &include_count) && lode_settings_choose_network(&s))
        lode_settings_integer(&s, &value, "par", 0, -16, 16);
    else
        FUZZ_CHECK(s.error[0] != '\0');
    for (size_t i = 0; i < include_count; i++)
        free(includes[i]);
    free(includes);
    lode_settings_clear(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text;

    if (len == 0)
        return 0;
    text = malloc(len);
    FUZZ_CHECK(text);
    memcpy(text, data + 1, len - 1);
    text[len - 1] = '\0';
    if (data[0] & 1)
        try_file(text);
    else
        try_argument(text);
    free(text);
    return 0;
}
