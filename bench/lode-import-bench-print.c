/* bench/lode-import-bench-print.c: rows as lines of text and as one JSON object.
 *
 * Room:     minimum, median, maximum; ratios of neighbours.
 * Touches:  the two streams.
 */
#include "bench/lode-import-bench-print.h"

#include <stdlib.h>
#include <string.h>

#include "bench/common/report.h"
#include "support/thread.h"

typedef struct spread {
    double least, median, most;
} spread;

static spread spread_of(const double *values, int count)
{
    double sorted[LODE_BENCH_ROUNDS_MAX];

    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    double median = lode_median(sorted, (size_t)count);
    return (spread){ sorted[0], median, sorted[count - 1] };
}

static spread ratio_of(const double *above, const double *below, int count)
{
    double ratios[LODE_BENCH_ROUNDS_MAX];

    for (int i = 0; i < count; i++)
        ratios[i] = below[i] > 0 ? above[i] / below[i] : 0;
    return spread_of(ratios, count);
}

/* The first line of what a program says of its version. */
static void ask_version(char out[128], const lode_import_bench_options *o, const char *program)
{
    lode_bench_command c = { .count = 0 };
    lode_bench_cost cost;
    char path[4096], *text;

    snprintf(path, sizeof path, "%s/answer.log", o->place.room);
    lode_bench_command_add(&c, "%s", program);
    lode_bench_command_add(&c, "-version");
    out[0] = '\0';
    if (lode_bench_run(&cost, &c, path, false, NULL) && (text = lode_bench_read_text(path))) {
        snprintf(out, 128, "%.*s", (int)strcspn(text, "\n\""), text);
        free(text);
    }
    lode_bench_command_clear(&c);
}

void lode_bench_print_head(lode_bench_printer *p, const lode_import_bench_options *o)
{
    char lode[128], core[128] = "none";

    ask_version(lode, o, o->place.lode);
    if (o->place.bitcoind)
        ask_version(core, o, o->place.bitcoind);
    if (p->text) {
        fprintf(p->text, "# %s beside %s; %u processors, -par=%d -dbcache=%d, %d rounds\n", lode,
                o->place.bitcoind ? core : "nothing: no bitcoind in $BITCOIND, --bitcoind or the path",
                lode_cpu_count(), o->par, o->dbcache_mib, o->rounds);
        fputs("# minimum, median, maximum; whole process; page cache warm but in cold rows; n: inputs\n", p->text);
    }
    if (p->json)
        fprintf(
            p->json,
            "{\n  \"lode\": \"%s\",\n  \"core\": \"%s\",\n  \"processors\": %u,\n  \"rounds\": %d,\n  \"chains\": [",
            lode, core, lode_cpu_count(), o->rounds);
}

static void print_chain(lode_bench_printer *p, const lode_bench_chain *c)
{
    if (p->text)
        fprintf(p->text,
                "# chain %s: %.0f MB, %.0f inputs, height %ld, coinbases alone from %ld, best block %s, coins %s\n",
                c->name, c->megabytes, c->inputs, c->height, c->quiet_from, c->best_block, c->set_hash);
    if (p->json)
        fprintf(p->json,
                "%s\n    { \"name\": \"%s\", \"megabytes\": %.3f, \"inputs\": %.0f, \"height\": %ld, \"best_block\": "
                "\"%s\", "
                "\"hash_serialized_3\": \"%s\", \"rows\": [",
                p->chains ? " ] }," : "", c->name, c->megabytes, c->inputs, c->height, c->best_block, c->set_hash);
    p->chain = c;
    p->chains++;
    p->rows = 0;
}

/* ---- text ---- */

static const char *verdict(lode_bench_printer *p, bool is_met)
{
    p->missed += !is_met;
    return is_met ? "met" : "missed";
}

/* Lode is to stay within -dbcache and 200 MiB. */
static void print_side(lode_bench_printer *p, const lode_bench_row *row, const lode_bench_side *side)
{
    spread wall = spread_of(side->wall_s, row->rounds), cpu = spread_of(side->cpu_s, row->rounds);
    spread peak = spread_of(side->peak_mib, row->rounds);
    bool is_floor = strcmp(side->name, "floor") == 0, is_core = strcmp(side->name, "core") == 0;
    double limit_mib = side->dbcache_mib + 200;

    fprintf(p->text, "%s/%s/%s n=%.0f s %.3f %.3f %.3f   cpu_s %.3f %.3f %.3f", row->name, row->of->name, side->name,
            is_floor ? row->signatures : row->n, wall.least, wall.median, wall.most, cpu.least, cpu.median, cpu.most);
    if (is_floor)
        fprintf(p->text, "   us/signature %.2f\n", row->signatures > 0 ? cpu.median / row->signatures * 1e6 : 0);
    else
        fprintf(p->text, "   MiB %.0f %.0f %.0f", peak.least, peak.median, peak.most);
    if (!is_floor && !is_core)
        fprintf(p->text, "   wanted <= %.0f: %s", limit_mib, verdict(p, peak.most <= limit_mib));
    if (!is_floor)
        fputc('\n', p->text);
}

/* "core is 6.1 times lode"; against the floor, lode is 1.1 times it. What was wanted is held against the median. */
static void print_ratio(lode_bench_printer *p, const lode_bench_row *row, int i)
{
    const lode_bench_side *a = &row->sides[0], *b = &row->sides[i];
    bool is_floor = strcmp(b->name, "floor") == 0;
    const lode_bench_side *above = is_floor ? a : b, *below = is_floor ? b : a;
    spread wall = ratio_of(above->wall_s, below->wall_s, row->rounds);
    spread cpu = ratio_of(above->cpu_s, below->cpu_s, row->rounds);

    fprintf(p->text, "%s/%s/%s_over_%s x %.2f %.2f %.2f   cpu_x %.2f %.2f %.2f", row->name, row->of->name, above->name,
            below->name, wall.least, wall.median, wall.most, cpu.least, cpu.median, cpu.most);
    if (row->at_least[i] > 0)
        fprintf(p->text, "   wanted >= %.2f: %s", row->at_least[i], verdict(p, wall.median >= row->at_least[i]));
    if (row->at_most[i] > 0)
        fprintf(p->text, "   wanted <= %.2f: %s", row->at_most[i], verdict(p, wall.median <= row->at_most[i]));
    fputc('\n', p->text);
}

static void print_row_text(lode_bench_printer *p, const lode_bench_row *row)
{
    if (row->refused[0]) {
        fprintf(p->text, "%s/%s refused: %s\n", row->name, row->of->name, row->refused);
        return;
    }
    for (int i = 0; i < row->side_count; i++)
        print_side(p, row, &row->sides[i]);
    for (int i = 1; i < row->side_count; i++)
        print_ratio(p, row, i);
    fflush(p->text);
}

/* ---- JSON ---- */

static void print_values(FILE *out, const char *key, const double *values, int count)
{
    fprintf(out, "\"%s\": [", key);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.6f", i ? ", " : "", values[i]);
    fputs("]", out);
}

static void print_row_json(lode_bench_printer *p, const lode_bench_row *row)
{
    fprintf(p->json, "%s\n      { \"name\": \"%s\"", p->rows ? "," : "", row->name);
    if (row->refused[0]) {
        fputs(", \"refused\": ", p->json);
        lode_json_text(p->json, row->refused);
    }
    if (row->signatures > 0)
        fprintf(p->json, ", \"signatures\": %.0f", row->signatures);
    fputs(", \"sides\": [", p->json);
    for (int i = 0; i < row->side_count && !row->refused[0]; i++) {
        const lode_bench_side *s = &row->sides[i];
        fprintf(p->json, "%s\n        { \"name\": \"%s\", \"par\": %d, \"dbcache\": %d, ", i ? "," : "", s->name,
                s->par, s->dbcache_mib);
        print_values(p->json, "wall_seconds", s->wall_s, row->rounds);
        fputs(", ", p->json);
        print_values(p->json, "cpu_seconds", s->cpu_s, row->rounds);
        fputs(", ", p->json);
        print_values(p->json, "peak_mib", s->peak_mib, row->rounds);
        if (row->at_least[i] > 0)
            fprintf(p->json, ", \"times_lode_at_least\": %g", row->at_least[i]);
        if (row->at_most[i] > 0)
            fprintf(p->json, ", \"%s\": %g",
                    strcmp(s->name, "floor") == 0 ? "lode_times_it_at_most" : "times_lode_at_most", row->at_most[i]);
        fputs(" }", p->json);
    }
    fputs(" ] }", p->json);
    fflush(p->json);
}

void lode_bench_print_row(lode_bench_printer *p, const lode_bench_row *row)
{
    if (row->of != p->chain)
        print_chain(p, row->of);
    p->refused += row->refused[0] != '\0';
    if (p->text)
        print_row_text(p, row);
    if (p->json)
        print_row_json(p, row);
    p->rows++;
}

void lode_bench_print_end(lode_bench_printer *p)
{
    if (p->text)
        fprintf(p->text, "# %d missed, %d refused\n", p->missed, p->refused);
    if (p->json)
        fprintf(p->json, "%s\n  ]\n}\n", p->chains ? " ] }" : "");
}
