/* bench/suites/documents_2003.c: the suite `documents-2003`: documents in a database against one file for each.
 *
 * A pass writes or reads 1,001 documents, 23 MB. Passes per second are printed: higher is better. Berkeley DB runs as
 * then, without a log (its concurrent data store). Of files, `files` is written and read by the way of each row.
 */
#include "bench/suites/plan.h"

static const struct {
    const char *write, *read;
    const char *only;
    int how;
} file_ways[] = {
    { "write, files (print)", "read, files (read)", "files", LODE_FILES_PRINT },
    { "write, files (syswrite)", "read, files (sysread)", "files", LODE_FILES_SYSTEM },
    { "write, files (write)", "read, files (slurp)", "files", LODE_FILES_SLURP },
};

static lode_chapter *add(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries,
                         size_t value_len, size_t cache_bytes, const char *write, const char *read)
{
    lode_chapter *c = lode_plan_add(plan, wish, table, entries, value_len, cache_bytes);
    lode_phase *p;

    c->documents = value_len == 0;
    c->settings.large_values = c->documents;
    if (c->documents)
        c->settings.data_bytes = entries * UINT64_C(32000);
    c->settings.no_log = true;
    p = lode_chapter_add(c, LODE_PHASE_FILL, write, LODE_ORDER_SEQUENTIAL);
    p->per = (double)entries;
    p = lode_chapter_add(c, LODE_PHASE_READ, read, LODE_ORDER_SEQUENTIAL);
    p->per = (double)entries;
    return c;
}

void lode_plan_documents_2003(lode_plan *plan, const lode_plan_wish *wish)
{
    uint64_t documents = lode_wish_entries(wish, 50, 1001, 1001),
             more = wish->size == LODE_SIZE_FULL ? 10000 : documents;

    plan->unit = LODE_UNIT_OPS_PER_S;
    plan->base = "berkeleydb";
    plan->published_unit = "passes per second";
    add(plan, wish, "documents (passes per second)", documents, 0, 262144, "write, default cache",
        "read, default cache");
    add(plan, wish, "documents (passes per second)", documents, 0, 23152000, "write, 23,152,000-byte cache",
        "read, 23,152,000-byte cache");
    for (size_t i = 0; i < sizeof file_ways / sizeof file_ways[0]; i++) {
        lode_chapter *c = add(plan, wish, "ways to write and read files (passes per second)", documents, 0, 262144,
                              file_ways[i].write, file_ways[i].read);
        c->only = file_ways[i].only;
        c->settings.files_how = file_ways[i].how;
    }
    add(plan, wish, "50-byte records (passes per second)", documents, 50, 262144, "write, 50-byte records",
        "read, 50-byte records");
    if (more != documents && !wish->entries)
        add(plan, wish, "10,000 documents (passes per second)", more, 0, 23152000, "write, 10,000 documents",
            "read, 10,000 documents");
}
