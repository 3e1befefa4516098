/* bench/suites/outcome_json.c: all of what a suite measured, round by round, as one JSON object. */
#include "bench/suites/outcome.h"

#include "bench/common/report.h"
#include "bench/suites/published.h"

static void print_engines(FILE *f, const lode_outcome *o)
{
    char text[512];

    fputs("  \"engines\": [\n", f);
    for (int e = 0; e < o->engine_count; e++) {
        fputs("    {\"name\": ", f);
        lode_json_text(f, o->engines[e]->name);
        o->engines[e]->version(text, sizeof text);
        fputs(", \"version\": ", f);
        lode_json_text(f, text);
        o->engines[e]->describe(text, sizeof text, &o->plan->chapters[0].settings);
        fputs(", \"settings\": ", f);
        lode_json_text(f, text);
        fputs(", \"unsynced_write_survives\": ", f);
        lode_json_text(f, o->engines[e]->promise);
        fprintf(f, "}%s\n", e + 1 < o->engine_count ? "," : "");
    }
    fputs("  ],\n", f);
}

static void print_rounds(FILE *f, const lode_outcome *o, int c, int p, int e)
{
    for (int i = 0; i < o->rounds; i++) {
        const lode_result *r = &lode_outcome_at(o, c, e, i)->phases[p];
        fprintf(f,
                "%s{\"wall_s\": %.9f, \"cpu_s\": %.6f, \"ops\": %.0f, \"longest_us\": %.1f, \"count\": %llu, \"sum\": "
                "\"%016llx\"}",
                i ? ", " : "", r->wall_s, r->cpu_s, r->ops, r->longest_us, (unsigned long long)r->count,
                (unsigned long long)r->sum);
    }
}

static void print_cell(FILE *f, const lode_outcome *o, int c, int p, int e)
{
    const char *row = o->plan->chapters[c].phases[p].row;
    lode_cell cell = lode_outcome_cell(o, c, p, e);
    double figure = o->plan->chapters[c].is_variant ? 0 : lode_published(o->plan->suite, row, o->engines[e]->name);

    fputs("        {\"engine\": ", f);
    lode_json_text(f, o->engines[e]->name);
    if (figure > 0)
        fprintf(f, ", \"published\": %g", figure);
    if (cell.state != LODE_RESULT_GOOD) {
        fprintf(f, ", \"state\": \"%s\", \"why\": ", cell.state == LODE_RESULT_CANNOT ? "cannot" : "wrong");
        lode_json_text(f, cell.why ? cell.why : "");
        fputc('}', f);
        return;
    }
    fprintf(f,
            ", \"state\": \"good\", \"median\": %.6g, \"least\": %.6g, \"most\": %.6g, \"cpu_us\": %.6g, \"rounds\": [",
            cell.wall, cell.least, cell.most, cell.cpu_us);
    print_rounds(f, o, c, p, e);
    fputs("]}", f);
}

static void print_rows(FILE *f, const lode_outcome *o)
{
    bool is_first = true;

    for (int c = 0; c < o->plan->chapter_count; c++)
        for (int p = 0; p < o->plan->chapters[c].phase_count; p++) {
            const lode_phase *phase = &o->plan->chapters[c].phases[p];
            if (!phase->row)
                continue;
            fprintf(f, "%s    {\"table\": ", is_first ? "" : ",\n");
            is_first = false;
            lode_json_text(f, o->plan->chapters[c].table);
            fputs(", \"row\": ", f);
            lode_json_text(f, phase->row);
            fprintf(f, ", \"entries\": %llu, \"cells\": [\n", (unsigned long long)o->plan->chapters[c].entries);
            for (int e = 0; e < o->engine_count; e++) {
                print_cell(f, o, c, p, e);
                fputs(e + 1 < o->engine_count ? ",\n" : "\n", f);
            }
            fputs("      ]}", f);
        }
}

void lode_outcome_json(FILE *f, const lode_outcome *o)
{
    char machine[512];

    lode_machine_describe(machine, sizeof machine);
    fputs("{\n  \"suite\": ", f);
    lode_json_text(f, o->plan->suite);
    fputs(",\n  \"about\": ", f);
    lode_json_text(f, o->plan->about);
    fputs(",\n  \"machine\": ", f);
    lode_json_text(f, machine);
    fprintf(f, ",\n  \"unit\": \"%s\",\n  \"rounds\": %d,\n  \"page_cache\": \"%s\",\n", lode_unit_name(o->plan->unit),
            o->rounds, o->wish.cold ? "dropped" : "warm");
    if (o->plan->base)
        fprintf(f, "  \"base\": \"%s\",\n  \"published_unit\": \"%s\",\n", o->plan->base, o->plan->published_unit);
    print_engines(f, o);
    fputs("  \"rows\": [\n", f);
    print_rows(f, o);
    fputs("\n  ]\n}\n", f);
}
