/* cli/command_export.c: lode export FORMAT FILE [HEIGHT|HASH].
 *
 * Touches:  the data directory, reading; the file. Standard output says in one JSON object what was written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/reader.h"

static int export(lode *handle, const lode_settings *s)
{
    lode_export_result result = { .size = sizeof result };
    lode_status status;

    if (s->word_count < 3 || s->word_count > 4) {
        fprintf(stderr, "lode: export takes a format, a file and perhaps a block\n%s",
                lode_command_help_text("export"));
        return LODE_EXIT_USAGE;
    }
    status = lode_export_coins(handle, &result, s->words[1], s->words[2], s->word_count > 3 ? s->words[3] : NULL);
    if (status.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", status.text);
        return lode_exit_status_of(status);
    }
    printf("{\n  \"coins_written\": %" PRIu64 ",\n  \"base_hash\": \"%s\",\n  \"base_height\": %" PRId32 "\n}\n",
           result.coins, result.block, result.height);
    return LODE_EXIT_DONE;
}

int lode_command_export(lode_settings *settings)
{
    return lode_read_directory(settings, export);
}
