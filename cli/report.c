/* cli/report.c: what an import did, for a person or as one JSON object.
 *
 * Room:     tables and field names. A field of the JSON object, once there, keeps its name and meaning.
 * Touches:  the stream given.
 */
#include "cli/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"

enum { REJECTIONS_KEPT_MAX = 10000, MANY_COINS = 100000 /* below it the tables' least size is most of the memory */ };

/* ---- rejections as JSON ---- */

static void add_text(lode_rejection_list *list, const char *text, size_t len)
{
    if (list->failed)
        return;
    if (list->len + len + 1 > list->capacity) {
        size_t capacity = 2 * (list->len + len + 1);
        char *bigger = realloc(list->text, capacity);
        if (!bigger) {
            list->failed = true;
            return;
        }
        list->text = bigger;
        list->capacity = capacity;
    }
    memcpy(list->text + list->len, text, len);
    list->len += len;
    list->text[list->len] = '\0';
}

__attribute__((format(printf, 2, 3))) static void add_format(lode_rejection_list *list, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_text(list, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
}

size_t lode_json_escape(char out[8], char c)
{
    if (c == '"' || c == '\\')
        return (size_t)sprintf(out, "\\%c", c);
    if ((unsigned char)c < 0x20)
        return (size_t)sprintf(out, "\\u%04x", (unsigned char)c);
    return (size_t)sprintf(out, "%c", c);
}

static void add_string(lode_rejection_list *list, const char *text)
{
    char room[8];

    add_text(list, "\"", 1);
    for (; *text; text++)
        add_text(list, room, lode_json_escape(room, *text));
    add_text(list, "\"", 1);
}

void lode_rejection_list_add(lode_rejection_list *list, const lode_rejection *r)
{
    if (list->kept >= REJECTIONS_KEPT_MAX)
        return;
    add_text(list, list->kept ? ",\n    " : "", list->kept ? 6 : 0);
    list->kept++;
    add_format(list, "{ \"hash\": \"%s\", \"height\": %d, \"file\": ", r->hash, r->height);
    if (r->file)
        add_string(list, r->file);
    else
        add_text(list, "null", 4);
    add_format(list, ", \"offset\": %" PRIu64 ", \"reason\": ", r->offset);
    add_string(list, r->reason ? r->reason : "");
    add_text(list, ", \"detail\": ", 12);
    add_string(list, r->detail ? r->detail : "");
    add_text(list, " }", 2);
}

void lode_rejection_list_clear(lode_rejection_list *list)
{
    free(list->text);
    *list = (lode_rejection_list){ 0 };
}

/* ---- where the time went ---- */

typedef struct stage {
    const char *key;  /* in the JSON object */
    const char *name; /* in the table */
    size_t wall, cpu; /* offsets in lode_stage_times; NONE: not measured */
} stage;

#define NONE SIZE_MAX
#define AT(field) offsetof(lode_stage_times, field)

static const stage stages[] = {
    { "read", "read", AT(read_wall), NONE },
    { "parse", "parse and hash", NONE, AT(parse_cpu) },
    { "fetch", "coin lookups, ahead", NONE, AT(fetch_cpu) },
    { "coins_wait", "coin lookups, waited for", AT(coins_wait_wall), NONE },
    { "accept", "headers and storing", AT(accept_wall), NONE },
    { "connect", "connect", AT(connect_wall), NONE },
    { "script", "signature checks", AT(script_wait_wall), AT(script_cpu) },
    { "store", "block files", AT(store_wall), NONE },
    { "undo", "undo files", AT(undo_wall), NONE },
    { "flush", "flush", AT(flush_wall), NONE },
    { "flush_wait", "flush, waited for", AT(flush_wait_wall), NONE },
    { "compaction", "compaction", NONE, AT(compaction_cpu) },
    { "txindex", "transaction index", AT(txindex_wall), NONE },
    { "idle", "waiting for blocks", AT(idle_wall), NONE },
};

static uint64_t time_at(const lode_stage_times *times, size_t offset)
{
    uint64_t ns;

    memcpy(&ns, (const char *)times + offset, sizeof ns);
    return ns;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void print_stages_text(FILE *out, const lode_import_result *r)
{
    fprintf(out, "%-26s %10s %10s %8s\n", "where time went", "wall s", "CPU s", "% wall");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const stage *at = &stages[i];
        fprintf(out, "  %-24s", at->name);
        if (at->wall == NONE)
            fprintf(out, " %10s", "");
        else
            fprintf(out, " %10.3f", seconds(time_at(&r->times, at->wall)));
        if (at->cpu == NONE)
            fprintf(out, " %10s", "");
        else
            fprintf(out, " %10.3f", seconds(time_at(&r->times, at->cpu)));
        if (at->wall != NONE && r->elapsed_ns)
            fprintf(out, " %8.1f", 100.0 * (double)time_at(&r->times, at->wall) / (double)r->elapsed_ns);
        fputc('\n', out);
    }
    fprintf(out, "  %-24s %10.3f %10.3f %8.1f\n", "everything", seconds(r->elapsed_ns), seconds(r->cpu_ns), 100.0);
}

static double per_second(uint64_t count, uint64_t ns)
{
    return ns ? (double)count / seconds(ns) : 0.0;
}

void lode_report_print_text(FILE *out, const lode_import_result *r, const char *outcome)
{
    char a[32], b[32], c[32], d[32];

    fprintf(out, "%s in %s: height %d, best block %s\n", outcome, lode_duration_text(a, seconds(r->elapsed_ns)),
            r->height, r->best_block);
    fprintf(out, "blocks        %s read, %s new, %s connected, %s known before\n", lode_group_digits(a, r->blocks_read),
            lode_group_digits(b, r->blocks_new), lode_group_digits(c, r->blocks_connected),
            lode_group_digits(d, r->blocks_known));
    fprintf(out, "              %s rejected, %s disconnected, %s waiting for a parent\n",
            lode_group_digits(a, r->blocks_rejected), lode_group_digits(b, r->blocks_disconnected),
            lode_group_digits(c, r->blocks_waiting));
    fprintf(out, "transactions  %s with %s inputs and %s outputs, %s scripts run\n",
            lode_group_digits(a, r->transactions), lode_group_digits(b, r->inputs), lode_group_digits(c, r->outputs),
            lode_group_digits(d, r->scripts_checked));
    fprintf(out, "input         %s bytes, of which %s were neither block nor padding; %s records held no block\n",
            lode_group_digits(a, r->bytes_read), lode_group_digits(b, r->bytes_skipped),
            lode_group_digits(c, r->undecodable));
    if (r->files_missing)
        fprintf(out, "              %s block files are missing from a numbered set\n",
                lode_group_digits(a, r->files_missing));
    fprintf(out, "speed         %.0f blocks/s, %.0f inputs/s, %.1f MB/s\n",
            per_second(r->blocks_connected, r->elapsed_ns), per_second(r->inputs, r->elapsed_ns),
            per_second(r->bytes_read, r->elapsed_ns) / 1e6);
    fprintf(out, "memory        %.0f MiB at most", (double)r->peak_rss_bytes / 1048576);
    fprintf(out, "; %s coins cached in %.1f MiB", lode_group_digits(a, r->coins_cached),
            (double)r->coins_cache_bytes / 1048576);
    if (r->coins_cached >= MANY_COINS)
        fprintf(out, ", %.1f bytes each (Core 31: 136)", (double)r->coins_cache_bytes / (double)r->coins_cached);
    fprintf(out, "\n\n");
    print_stages_text(out, r);
}

static void print_stages_json(FILE *out, const lode_import_result *r)
{
    fprintf(out, "  \"stages\": {\n");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const stage *at = &stages[i];
        fprintf(out, "    \"%s\": { ", at->key);
        if (at->wall != NONE)
            fprintf(out, "\"wall_seconds\": %.6f%s", seconds(time_at(&r->times, at->wall)),
                    at->cpu != NONE ? ", " : "");
        if (at->cpu != NONE)
            fprintf(out, "\"cpu_seconds\": %.6f", seconds(time_at(&r->times, at->cpu)));
        fprintf(out, " }%s\n", i + 1 < sizeof stages / sizeof *stages ? "," : "");
    }
    fprintf(out, "  }\n");
}

void lode_report_print_json(FILE *out, const lode_import_result *r, const lode_rejection_list *rejections,
                            const char *outcome)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        { "blocks_read", r->blocks_read },
        { "blocks_new", r->blocks_new },
        { "blocks_known", r->blocks_known },
        { "blocks_connected", r->blocks_connected },
        { "blocks_disconnected", r->blocks_disconnected },
        { "blocks_rejected", r->blocks_rejected },
        { "blocks_waiting", r->blocks_waiting },
        { "files_missing", r->files_missing },
        { "transactions", r->transactions },
        { "inputs", r->inputs },
        { "outputs", r->outputs },
        { "scripts_checked", r->scripts_checked },
        { "bytes_read", r->bytes_read },
        { "bytes_skipped", r->bytes_skipped },
        { "undecodable", r->undecodable },
        { "peak_rss_bytes", r->peak_rss_bytes },
        { "coins_cached", r->coins_cached },
        { "coins_cache_bytes", r->coins_cache_bytes },
    };

    fprintf(out, "{\n  \"outcome\": \"%s\",\n  \"height\": %d,\n  \"bestblockhash\": \"%s\",\n", outcome, r->height,
            r->best_block);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fprintf(out, "  \"%s\": %" PRIu64 ",\n", counts[i].name, counts[i].value);
    if (r->coins_cached)
        fprintf(out, "  \"bytes_per_cached_coin\": %.2f,\n", (double)r->coins_cache_bytes / (double)r->coins_cached);
    fprintf(out, "  \"elapsed_seconds\": %.6f,\n  \"cpu_seconds\": %.6f,\n", seconds(r->elapsed_ns),
            seconds(r->cpu_ns));
    fprintf(out, "  \"rejected\": [%s%s%s],\n", rejections->kept ? "\n    " : "",
            rejections->text ? rejections->text : "", rejections->kept ? "\n  " : "");
    print_stages_json(out, r);
    fprintf(out, "}\n");
}
