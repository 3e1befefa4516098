/* bench/sync/table_json.c: every round of every row as one JSON object. */
#include "bench/sync/table.h"

#include "bench/common/report.h"
#include "bench/sync/published_2012.h"

static void print_head(FILE *f, const lode_sync_table *t)
{
    const lode_sync_job *job = &t->options->job;
    const lode_sync_run *r = &t->reference;

    fprintf(f, "{\n  \"chain\": \"%s\", \"blocks\": %llu, \"transactions\": %llu, \"inputs\": %llu, \"bytes\": %llu,\n",
            t->chain_name, (unsigned long long)r->blocks, (unsigned long long)r->transactions,
            (unsigned long long)r->inputs, (unsigned long long)job->chain_bytes);
    fprintf(f, "  \"best_block\": \"%s\", \"coins\": %llu, \"hash_serialized_3\": \"%s\", \"index_entries\": %llu,\n",
            r->state.best_block, (unsigned long long)r->state.coins, r->state.set_hash,
            (unsigned long long)r->state.transactions);
    fprintf(f, "  \"par\": %d, \"dbcache\": %d, \"each_block\": %s, \"sync\": %s, \"rounds\": %d,\n  \"rows\": [",
            job->par, job->dbcache_mib, job->each_block ? "true" : "false", job->sync ? "true" : "false",
            t->options->rounds);
}

static void print_run(FILE *f, const lode_sync_run *r)
{
    fprintf(f,
            "{ \"real\": %.6f, \"user\": %.6f, \"sys\": %.6f, \"peak_mib\": %.1f, \"files_bytes\": %llu, "
            "\"blocks\": %llu, \"transactions\": %llu, \"inputs\": %llu }",
            r->real_s, r->user_s, r->sys_s, r->peak_mib, (unsigned long long)r->files_bytes,
            (unsigned long long)r->blocks, (unsigned long long)r->transactions, (unsigned long long)r->inputs);
}

static void print_published(FILE *f, const lode_sync_row *row)
{
    const lode_sync_published *p = lode_sync_published_of(row->engine->name, row->config, row->signatures);

    if (!p)
        return;
    fprintf(f, ", \"published_2012\": { \"real\": %.3f, \"user\": %.2f, \"sys\": %.2f", p->real_s, p->user_s, p->sys_s);
    if (p->throughput)
        fprintf(f, ", \"megabytes_per_second\": \"%s\"", p->throughput);
    if (p->files_mb > 0)
        fprintf(f, ", \"files_mb\": %.0f", p->files_mb);
    if (p->peak_mib > 0)
        fprintf(f, ", \"peak_mib\": %.0f", p->peak_mib);
    fputs(" }", f);
}

static void print_row(FILE *f, const lode_sync_table *t, int at)
{
    const lode_sync_row *row = &t->rows[at];
    lode_engine_settings settings = lode_sync_settings(&t->options->job, row);
    lode_sync_middle m = lode_sync_table_middle(t, at);
    char version[64] = "", text[512] = "";

    row->engine->version(version, sizeof version);
    row->engine->describe(text, sizeof text, &settings);
    fprintf(f,
            "%s\n    { \"engine\": \"%s\", \"version\": \"%s\", \"config\": \"%s\", \"signatures\": %s, \"settings\": ",
            at ? "," : "", row->engine->name, version, lode_sync_config_name(row->config),
            row->signatures ? "true" : "false");
    lode_json_text(f, text);
    print_published(f, row);
    if (m.why) {
        fputs(", \"refused\": ", f);
        lode_json_text(f, m.why);
    }
    fputs(", \"runs\": [", f);
    for (int i = 0; i < t->options->rounds && !m.why; i++) {
        fputs(i ? ", " : "", f);
        print_run(f, lode_sync_table_at(t, at, i));
    }
    fputs("] }", f);
}

void lode_sync_table_json(FILE *f, const lode_sync_table *t)
{
    print_head(f, t);
    for (int i = 0; i < t->row_count; i++)
        print_row(f, t, i);
    fputs("\n  ]\n}\n", f);
    fflush(f);
}
