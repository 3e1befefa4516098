/* bench/sync/table.c: medians of rounds, and the table of 2012 with today's figures, as text or Markdown. */
#include "bench/sync/table.h"

#include <stdarg.h>
#include <string.h>

#include "bench/common/report.h"
#include "bench/sync/published_2012.h"

/* ---- medians ---- */

lode_sync_middle lode_sync_table_middle(const lode_sync_table *t, int row)
{
    double real[LODE_SYNC_ROUNDS_MAX], user[LODE_SYNC_ROUNDS_MAX], sys[LODE_SYNC_ROUNDS_MAX];
    double peak[LODE_SYNC_ROUNDS_MAX], files[LODE_SYNC_ROUNDS_MAX];
    int rounds = t->options->rounds;
    lode_sync_middle m = { .why = NULL };

    for (int i = 0; i < rounds; i++) {
        const lode_sync_run *run = lode_sync_table_at(t, row, i);
        if (!run->good)
            return (lode_sync_middle){ .why = run->why };
        real[i] = run->real_s;
        user[i] = run->user_s;
        sys[i] = run->sys_s;
        peak[i] = run->peak_mib;
        files[i] = (double)run->files_bytes * 1e-6;
    }
    m.real_s = lode_median(real, (size_t)rounds);
    m.user_s = lode_median(user, (size_t)rounds);
    m.sys_s = lode_median(sys, (size_t)rounds);
    m.peak_mib = lode_median(peak, (size_t)rounds);
    m.files_mb = lode_median(files, (size_t)rounds);
    m.spread = (real[rounds - 1] - real[0]) / 2 / m.real_s;
    return m;
}

/* Of a row that counts; all is 0 where there is none. */
static lode_sync_middle middle_of(const lode_sync_table *t, const char *engine, lode_sync_config config,
                                  bool signatures)
{
    for (int i = 0; i < t->row_count; i++)
        if (strcmp(t->rows[i].engine->name, engine) == 0 && t->rows[i].config == config &&
            t->rows[i].signatures == signatures)
            return lode_sync_table_middle(t, i);
    return (lode_sync_middle){ .why = NULL };
}

/* ---- the head ---- */

static void print_engines(FILE *f, const lode_sync_table *t, const char *begin)
{
    for (int i = 0; i < t->row_count; i++) {
        const lode_sync_row *row = &t->rows[i];
        lode_engine_settings settings = lode_sync_settings(&t->options->job, row);
        char version[64] = "", text[512] = "";
        if (i > 0 && row->engine == t->rows[i - 1].engine)
            continue; /* told once, with the settings of its first row */
        row->engine->version(version, sizeof version);
        row->engine->describe(text, sizeof text, &settings);
        fprintf(f, "%s%s %s: %s%s", begin, row->engine->name, version, text,
                row->engine->get_beside || row->engine == &lode_engine_lode ? "" : "; one thread at a time");
        if (t->options->job.sync && row->engine->no_sync)
            fprintf(f, "; does not wait for the disk: %s", row->engine->no_sync);
        fputc('\n', f);
    }
}

static void print_head(FILE *f, const lode_sync_table *t)
{
    const lode_sync_job *job = &t->options->job;
    const lode_sync_run *r = &t->reference;
    const char *begin = t->options->markdown ? "- " : "# ";
    char machine[512];

    lode_machine_describe(machine, sizeof machine);
    fprintf(f, "%schain %s: %llu blocks, %llu transactions, %llu inputs, %.1f MB; %llu coins at the end\n", begin,
            t->chain_name, (unsigned long long)r->blocks, (unsigned long long)r->transactions,
            (unsigned long long)r->inputs, (double)job->chain_bytes * 1e-6, (unsigned long long)r->state.coins);
    fprintf(f, "%s-par=%d -dbcache=%d, %s; %s; input in the page cache\n", begin, job->par, job->dbcache_mib,
            job->each_block ? "each block written at once" : "coins written when the cache is full",
            job->sync ? "each such write waits for the disk" : "no write waits for the disk");
    fprintf(f, "%s%s\n", begin, machine);
    print_engines(f, t, begin);
    fprintf(f, "%s2012: %s\n", begin, lode_sync_published_source);
    fprintf(f,
            "%smedian of %d, \xc2\xb1 half the range; times: Berkeley DB's real time over the row's, cpu times: user "
            "and sys likewise\n\n",
            begin, t->options->rounds);
}

/* ---- rows ---- */

enum { CELLS = 12, CELL_LEN = 64 };

typedef struct cells {
    int count;
    char text[CELLS][CELL_LEN];
} cells;

__attribute__((format(printf, 2, 3))) static void add(cells *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->text[c->count++], CELL_LEN, format, arguments);
    va_end(arguments);
}

static void add_ratio(cells *c, double above, double below)
{
    if (above > 0 && below > 0)
        add(c, "%.2f", above / below);
    else
        add(c, "\xe2\x80\x93");
}

static void add_number(cells *c, double x)
{
    if (x > 0)
        add(c, "%.*f", x >= 1000 ? 0 : x >= 100 ? 1 : x >= 10 ? 2 : 3, x);
    else
        add(c, "\xe2\x80\x93");
}

static void add_measured(cells *c, const lode_sync_table *t, int row, lode_sync_middle m)
{
    const lode_sync_run *run = lode_sync_table_at(t, row, 0);
    lode_sync_middle b = middle_of(t, "berkeleydb", LODE_SYNC_DEFAULTS, t->rows[row].signatures);

    add(c, "%.2f \xc2\xb1%.0f%%", m.real_s, m.spread * 100);
    add(c, "%.2f", m.user_s);
    add(c, "%.2f", m.sys_s);
    add(c, "%.0f", (double)run->blocks / m.real_s);
    add(c, "%.0f", (double)run->transactions / m.real_s);
    add(c, "%.0f", (double)run->inputs / m.real_s);
    add(c, "%.2f", (double)t->options->job.chain_bytes * 1e-6 / m.real_s);
    add(c, "%.1f", m.files_mb);
    add(c, "%.0f", m.peak_mib);
    add_ratio(c, b.real_s, m.real_s);
    add_ratio(c, b.user_s + b.sys_s, m.user_s + m.sys_s);
}

static void add_name(cells *c, const lode_sync_row *row)
{
    add(c, "%s, %s%s", row->engine->name, lode_sync_config_words(row->engine, row->config),
        row->signatures ? "" : ", no signatures");
}

/* Signs for a column, whatever bytes they take. */
static size_t width_of(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* The first column is flush left. */
static void print_cells(FILE *f, const cells *c, const size_t *widths, bool markdown)
{
    if (markdown)
        fputs("|", f);
    for (int i = 0; i < c->count; i++) {
        size_t width = width_of(c->text[i]);
        int gap = width < widths[i] ? (int)(widths[i] - width) : 0;
        if (markdown)
            fprintf(f, " %s |", c->text[i]);
        else if (i == 0)
            fprintf(f, "%s%*s", c->text[i], gap, "");
        else
            fprintf(f, " %*s%s", gap, "", c->text[i]);
    }
    fputc('\n', f);
}

static void print_titles(FILE *f, const char *const *titles, const size_t *widths, bool markdown)
{
    cells c = { .count = 0 };

    for (int i = 0; i < CELLS && titles[i]; i++)
        add(&c, "%s", titles[i]);
    print_cells(f, &c, widths, markdown);
    if (!markdown)
        return;
    fputs("| --- |", f);
    for (int i = 1; i < c.count; i++)
        fputs(" ---: |", f);
    fputc('\n', f);
}

static void print_refusal(FILE *f, const cells *name, const char *why, bool markdown)
{
    if (markdown)
        fprintf(f, "| %s | refused: %s |\n", name->text[0], why);
    else
        fprintf(f, "%-48s refused: %s\n", name->text[0], why);
}

static void print_measured(FILE *f, const lode_sync_table *t)
{
    static const size_t widths[CELLS] = { 48, 14, 8, 8, 9, 9, 10, 8, 9, 9, 6, 9 };
    static const char *const titles[CELLS] = { "row",      "real s", "user s",   "sys s",    "blocks/s", "tx/s",
                                               "inputs/s", "MB/s",   "files MB", "peak MiB", "times",    "cpu times" };
    bool markdown = t->options->markdown;

    print_titles(f, titles, widths, markdown);
    for (int i = 0; i < t->row_count; i++) {
        lode_sync_middle m = lode_sync_table_middle(t, i);
        cells c = { .count = 0 };
        add_name(&c, &t->rows[i]);
        if (m.why) {
            print_refusal(f, &c, m.why, markdown);
            continue;
        }
        add_measured(&c, t, i, m);
        print_cells(f, &c, widths, markdown);
    }
}

/* ---- beside 2012 ---- */

static double published_real(const char *engine, lode_sync_config config, bool signatures)
{
    const lode_sync_published *p = lode_sync_published_of(engine, config, signatures);
    return p ? p->real_s : 0;
}

static void add_beside(cells *c, const lode_sync_table *t, const lode_sync_row *row, const lode_sync_published *p)
{
    double real = middle_of(t, p->engine, p->config, p->signatures).real_s;

    add_name(c, row);
    add_number(c, p->real_s);
    add_number(c, p->user_s);
    add_number(c, p->sys_s);
    add(c, "%s", p->throughput ? p->throughput : "\xe2\x80\x93");
    add_number(c, p->files_mb);
    add_number(c, p->peak_mib);
    add_ratio(c, published_real("berkeleydb", LODE_SYNC_DEFAULTS, p->signatures), p->real_s);
    add_ratio(c, middle_of(t, "berkeleydb", LODE_SYNC_DEFAULTS, p->signatures).real_s, real);
    add_ratio(c, p->signatures ? p->real_s : 0, published_real(p->engine, p->config, false));
    add_ratio(c, p->signatures ? real : 0, middle_of(t, p->engine, p->config, false).real_s);
}

static void print_beside_2012(FILE *f, const lode_sync_table *t)
{
    static const size_t widths[CELLS] = { 48, 9, 9, 9, 21, 9, 9, 11, 9, 15, 13 };
    static const char *const titles[CELLS] = { "2012",
                                               "real s",
                                               "user s",
                                               "sys s",
                                               "MB/s",
                                               "files MB",
                                               "peak MiB",
                                               "times 2012",
                                               "times now",
                                               "with/without then",
                                               "with/without now" };
    bool is_begun = false;

    for (int i = 0; i < t->row_count; i++) {
        const lode_sync_row *row = &t->rows[i];
        const lode_sync_published *p = lode_sync_published_of(row->engine->name, row->config, row->signatures);
        cells c = { .count = 0 };
        if (!p)
            continue;
        if (!is_begun) {
            fputc('\n', f);
            print_titles(f, titles, widths, t->options->markdown);
        }
        is_begun = true;
        add_beside(&c, t, row, p);
        print_cells(f, &c, widths, t->options->markdown);
    }
}

void lode_sync_table_print(FILE *f, const lode_sync_table *t)
{
    print_head(f, t);
    print_measured(f, t);
    print_beside_2012(f, t);
    fflush(f);
}
