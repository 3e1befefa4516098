/* bench/suites/outcome.c: medians of rounds, and the tables as text. */
#include "bench/suites/outcome.h"

#include <string.h>

#include "bench/common/report.h"
#include "bench/suites/published.h"

static double in_unit(lode_unit unit, const lode_phase *p, const lode_result *r)
{
    double ops = r->ops / (p->per > 0 ? p->per : 1), wall_s = r->wall_s > 1e-9 ? r->wall_s : 1e-9;

    switch (unit) {
    case LODE_UNIT_US_PER_OP:
        return wall_s * 1e6 / ops;
    case LODE_UNIT_OPS_PER_S:
        return ops / wall_s;
    case LODE_UNIT_SECONDS:
        return wall_s;
    }
    return 0;
}

const char *lode_unit_name(lode_unit unit)
{
    static const char *const names[] = { "us/op", "ops/s", "seconds" };
    return names[unit];
}

/* What is left to do is told per entry, and so is compaction of everything. */
lode_cell lode_outcome_cell(const lode_outcome *o, int chapter, int phase, int engine)
{
    const lode_phase *p = &o->plan->chapters[chapter].phases[phase];
    double wall[LODE_ROUNDS_MAX], cpu[LODE_ROUNDS_MAX], longest[LODE_ROUNDS_MAX];
    lode_cell cell = { .state = LODE_RESULT_GOOD };

    for (int i = 0; i < o->rounds; i++) {
        const lode_result *r = &lode_outcome_at(o, chapter, engine, i)->phases[phase];
        if (r->state != LODE_RESULT_GOOD)
            return (lode_cell){ .state = r->state, .why = r->why };
        wall[i] = in_unit(o->plan->unit, p, r);
        cpu[i] = r->cpu_s * 1e6 / (r->ops / (p->per > 0 ? p->per : 1));
        longest[i] = r->longest_us;
    }
    cell.wall = lode_median(wall, (size_t)o->rounds);
    cell.least = wall[0];
    cell.most = wall[o->rounds - 1];
    cell.cpu_us = lode_median(cpu, (size_t)o->rounds);
    cell.longest_us = lode_median(longest, (size_t)o->rounds);
    return cell;
}

int lode_outcome_complain(const lode_outcome *o)
{
    int wrong = 0;

    for (int c = 0; c < o->plan->chapter_count; c++)
        for (int e = 0; e < o->engine_count; e++)
            for (int p = 0; p < o->plan->chapters[c].phase_count; p++) {
                lode_cell cell = lode_outcome_cell(o, c, p, e);
                const char *row = o->plan->chapters[c].phases[p].row;
                if (cell.state == LODE_RESULT_GOOD || cell.state == LODE_RESULT_CANNOT)
                    continue;
                fprintf(stderr, "lode-bench: %s, %s, %s: %s\n", o->plan->suite, o->engines[e]->name,
                        row ? row : "preparation", cell.why ? cell.why : "no result");
                wrong++;
            }
    return wrong;
}

/* ---- cells ---- */

typedef enum block { BLOCK_WALL, BLOCK_CPU, BLOCK_RATIO, BLOCK_LONGEST } block;

static void print_number(FILE *f, double x, int width)
{
    int decimals = x >= 1000 ? 0 : x >= 100 ? 1 : x >= 10 ? 2 : 3;

    fprintf(f, "%*.*f", width, decimals, x);
}

static void print_cell(FILE *f, block b, lode_cell cell, lode_cell first)
{
    if (cell.state != LODE_RESULT_GOOD) {
        fprintf(f, " %14s", cell.state == LODE_RESULT_CANNOT ? "cannot" : "WRONG");
    } else if (b == BLOCK_WALL) {
        print_number(f, cell.wall, 10);
        fprintf(f, " ±%2.0f%%", cell.wall > 0 ? (cell.most - cell.least) * 50 / cell.wall : 0);
    } else if (b == BLOCK_CPU) {
        print_number(f, cell.cpu_us, 15);
    } else if (b == BLOCK_LONGEST) {
        print_number(f, cell.longest_us * 1e-3, 15);
    } else if (first.state != LODE_RESULT_GOOD || first.cpu_us <= 0 || first.wall <= 0) {
        fprintf(f, " %14s", "–");
    } else {
        fprintf(f, " %6.2f /%6.2f", cell.wall / first.wall, cell.cpu_us / first.cpu_us);
    }
}

static bool is_row_of(const lode_plan *plan, const lode_phase *p, block b)
{
    return p->row && (b != BLOCK_LONGEST || p->kind == LODE_PHASE_FILL) &&
           (b != BLOCK_RATIO || p->kind != LODE_PHASE_SETTLE);
}

static void print_block(FILE *f, const lode_outcome *o, const char *table, block b)
{
    static const char *const titles[] = { NULL, "processor us/op", "times the first: wall / processor",
                                          "longest write, ms" };
    const lode_plan *plan = o->plan;

    fprintf(f, "\n%-40s", b == BLOCK_WALL ? lode_unit_name(plan->unit) : titles[b]);
    for (int e = 0; e < o->engine_count; e++)
        fprintf(f, " %14s", o->engines[e]->name);
    fputc('\n', f);
    for (int c = 0; c < plan->chapter_count; c++)
        for (int p = 0; strcmp(plan->chapters[c].table, table) == 0 && p < plan->chapters[c].phase_count; p++) {
            const lode_phase *phase = &plan->chapters[c].phases[p];
            if (!is_row_of(plan, phase, b))
                continue;
            fprintf(f, "%-40s", phase->row);
            for (int e = 0; e < o->engine_count; e++)
                print_cell(f, b, lode_outcome_cell(o, c, p, e), lode_outcome_cell(o, c, p, 0));
            fputc('\n', f);
        }
}

/* ---- what was published ---- */

static int base_of(const lode_outcome *o)
{
    for (int e = 0; e < o->engine_count; e++)
        if (o->plan->base && strcmp(o->engines[e]->name, o->plan->base) == 0)
            return e;
    return -1;
}

static void print_published_cell(FILE *f, const lode_outcome *o, const char *row, int engine, double base,
                                 lode_cell cell, lode_cell base_cell)
{
    double figure = lode_published(o->plan->suite, row, o->engines[engine]->name);
    char then[24] = "–", now[24] = "–";

    if (figure > 0 && base > 0)
        snprintf(then, sizeof then, "%.2f", figure / base);
    if (cell.state == LODE_RESULT_GOOD && base_cell.state == LODE_RESULT_GOOD && base_cell.wall > 0)
        snprintf(now, sizeof now, "%.2f", cell.wall / base_cell.wall);
    if (figure > 0)
        print_number(f, figure, 12);
    else
        fprintf(f, "%14s", "–"); /* three bytes wide, one column */
    fprintf(f, " %*s %*s", then[0] == '\xe2' ? 10 : 8, then, now[0] == '\xe2' ? 10 : 8, now);
}

static void print_published(FILE *f, const lode_outcome *o)
{
    const lode_plan *plan = o->plan;
    int base = base_of(o);

    if (!plan->base || base < 0)
        return;
    fprintf(f, "\nPublished figures (%s), and ratios to %s then and now\n%-52s", plan->published_unit, plan->base, "");
    for (int e = 0; e < o->engine_count; e++)
        fprintf(f, " %12s%8s %8s", o->engines[e]->name, "then", "now");
    fputc('\n', f);
    for (int c = 0; c < plan->chapter_count; c++)
        for (int p = 0; p < plan->chapters[c].phase_count; p++) {
            const char *row = plan->chapters[c].phases[p].row;
            if (!row || plan->chapters[c].is_variant)
                continue;
            fprintf(f, "%-52s", row);
            for (int e = 0; e < o->engine_count; e++)
                print_published_cell(f, o, row, e, lode_published(plan->suite, row, plan->base),
                                     lode_outcome_cell(o, c, p, e), lode_outcome_cell(o, c, p, base));
            fputc('\n', f);
        }
}

/* ---- the whole ---- */

static void print_sizes(FILE *f, const lode_outcome *o, const char *table)
{
    static const char *const titles[] = { "files in the end, MB", "peak memory, MiB" };

    for (int what = 0; what < 2; what++) {
        fprintf(f, "\n%-40s\n", titles[what]);
        for (int c = 0; c < o->plan->chapter_count; c++) {
            const lode_chapter *chapter = &o->plan->chapters[c];
            double values[LODE_ROUNDS_MAX];
            if (strcmp(chapter->table, table) != 0)
                continue;
            fprintf(f, "%-40s", chapter->phases[0].row ? chapter->phases[0].row : "");
            for (int e = 0; e < o->engine_count; e++) {
                for (int i = 0; i < o->rounds; i++) {
                    const lode_chapter_results *r = lode_outcome_at(o, c, e, i);
                    values[i] = what ? r->peak_mib : (double)r->disk_bytes * 1e-6;
                }
                print_number(f, lode_median(values, (size_t)o->rounds), 15);
            }
            fputc('\n', f);
        }
    }
}

static void print_reasons(FILE *f, const lode_outcome *o, const char *table)
{
    for (int e = 0; e < o->engine_count; e++)
        for (int c = 0; c < o->plan->chapter_count; c++)
            for (int p = 0; strcmp(o->plan->chapters[c].table, table) == 0 && p < o->plan->chapters[c].phase_count;
                 p++) {
                lode_cell cell = lode_outcome_cell(o, c, p, e);
                if (o->plan->chapters[c].phases[p].row && cell.state != LODE_RESULT_GOOD)
                    fprintf(f, "%s, %s: %s\n", o->engines[e]->name, o->plan->chapters[c].phases[p].row, cell.why);
            }
}

static bool is_first_of_table(const lode_plan *plan, int chapter)
{
    for (int c = 0; c < chapter; c++)
        if (strcmp(plan->chapters[c].table, plan->chapters[chapter].table) == 0)
            return false;
    return true;
}

void lode_outcome_print(FILE *f, const lode_outcome *o)
{
    const lode_plan *plan = o->plan;

    for (int c = 0; c < plan->chapter_count; c++) {
        const char *table = plan->chapters[c].table;
        if (!is_first_of_table(plan, c))
            continue;
        fprintf(f, "\n==== %s: %s ====\n", plan->suite, table);
        for (block b = BLOCK_WALL; b <= BLOCK_LONGEST; b++)
            print_block(f, o, table, b);
        print_sizes(f, o, table);
        print_reasons(f, o, table);
    }
    print_published(f, o);
}

void lode_engines_print(FILE *f, const lode_outcome *o)
{
    char machine[512], text[512];

    lode_machine_describe(machine, sizeof machine);
    fprintf(f, "Machine: %s\n", machine);
    fprintf(
        f, "Suite %s: %s. %d rounds, engines in turns, each run in a process of its own; medians, ± half the spread.\n",
        o->plan->suite, o->plan->about, o->rounds);
    fprintf(f, "Page cache: %s.\n",
            o->wish.cold ? "dropped for the database's files when it is opened for reads" : "warm, as writing left it");
    for (int e = 0; e < o->engine_count; e++) {
        o->engines[e]->version(text, sizeof text);
        fprintf(f, "%-16s %-12s", o->engines[e]->name, text);
        o->engines[e]->describe(text, sizeof text, &o->plan->chapters[0].settings);
        fprintf(f, " %s; a write that is not synced survives %s\n", text, o->engines[e]->promise);
    }
    fflush(f);
}
