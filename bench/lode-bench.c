/* bench/lode-bench.c: storage engines side by side, on the suites of bench/suites/.
 *
 * Room:     which engines take part, the rounds in which they take turns, what is printed. Run with --help for its
 * options. Answer:   0 when every result was right; a row that an engine cannot do is none that is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/suites/options.h"

static void choose_engines(lode_outcome *o, const char *names)
{
    if (!names)
        for (const lode_engine *const *e = lode_engines(); *e; e++)
            o->engines[o->engine_count++] = *e;
    while (names && *names) {
        size_t len = strcspn(names, ",");
        const lode_engine *e = lode_engine_find(names, len);
        if (!e)
            lode_engine_stop("no engine is called %.*s here: see --list", (int)len, names);
        if (o->engine_count == LODE_ENGINES_MAX)
            lode_engine_stop("more than %d engines", LODE_ENGINES_MAX);
        o->engines[o->engine_count++] = e;
        names += len + (names[len] == ',');
    }
}

static bool has_row(const lode_chapter *c, const char *text)
{
    for (int i = 0; i < c->phase_count; i++)
        if (c->phases[i].row && strstr(c->phases[i].row, text))
            return true;
    return false;
}

static void make_plan(lode_plan *plan, const char *name, const lode_bench_wish *wish)
{
    int kept = 0;

    for (int i = 0; i < lode_suite_count; i++)
        if (strcmp(lode_suites[i].name, name) == 0) {
            plan->suite = lode_suites[i].name;
            plan->about = lode_suites[i].about;
            lode_suites[i].plan(plan, &wish->plan);
        }
    for (int c = 0; c < plan->chapter_count; c++)
        if (!wish->rows || has_row(&plan->chapters[c], wish->rows))
            plan->chapters[kept++] = plan->chapters[c];
    plan->chapter_count = kept;
    if (kept == 0)
        lode_engine_stop("no row of %s contains %s", name, wish->rows ? wish->rows : "");
}

/* A chapter that is for other engines: told for each of its rows. */
static bool leave_out(lode_chapter_results *results, const lode_chapter *c, const char *engine)
{
    if (!c->only || strcmp(c->only, engine) == 0)
        return false;
    for (int i = 0; i < c->phase_count; i++) {
        results->phases[i].state = LODE_RESULT_CANNOT;
        snprintf(results->phases[i].why, sizeof results->phases[i].why, "a row of %s alone", c->only);
    }
    return true;
}

/* Each round begins with another engine. */
static void run_rounds(const lode_outcome *o)
{
    bool is_shown = isatty(STDERR_FILENO);

    for (int round = 0; round < o->rounds; round++)
        for (int c = 0; c < o->plan->chapter_count; c++)
            for (int i = 0; i < o->engine_count; i++) {
                int e = (i + round) % o->engine_count;
                if (leave_out(lode_outcome_at(o, c, e, round), &o->plan->chapters[c], o->engines[e]->name))
                    continue;
                if (is_shown)
                    fprintf(stderr, "\r\033[Kround %d, part %d of %d, %s", round + 1, c + 1, o->plan->chapter_count,
                            o->engines[e]->name);
                lode_chapter_run(lode_outcome_at(o, c, e, round), &o->plan->chapters[c], o->engines[e], &o->wish);
            }
    if (is_shown)
        fputs("\r\033[K", stderr);
}

static void write_json(const lode_outcome *o, const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!f)
        lode_engine_stop("%s: %s", path, strerror(errno));
    lode_outcome_json(f, o);
    if (f != stdout && fclose(f) != 0)
        lode_engine_stop("%s: %s", path, strerror(errno));
}

static int run_suite(const char *name, const lode_bench_wish *wish)
{
    lode_plan *plan = (lode_plan *)lode_engine_memory(sizeof *plan);
    lode_outcome o = { .plan = plan, .rounds = wish->rounds, .wish = wish->run };
    bool is_text = !wish->json || strcmp(wish->json, "-") != 0;
    int wrong;

    o.wish.quiet_us = wish->plan.size == LODE_SIZE_TINY ? 5000 : 100000;
    choose_engines(&o, wish->engines);
    make_plan(plan, name, wish);
    o.results = (lode_chapter_results *)lode_engine_memory(
        sizeof *o.results * (size_t)(plan->chapter_count * o.engine_count) * (size_t)o.rounds);
    if (is_text)
        lode_engines_print(stdout, &o);
    run_rounds(&o);
    if (is_text)
        lode_outcome_print(stdout, &o);
    if (wish->json)
        write_json(&o, wish->json);
    wrong = lode_outcome_complain(&o);
    free(o.results);
    free(plan);
    return wrong;
}

int main(int argc, char **argv)
{
    lode_bench_wish wish;
    int wrong = 0;

    switch (lode_bench_read_options(&wish, argc, argv)) {
    case LODE_BENCH_DONE:
        return 0;
    case LODE_BENCH_MISUSED:
        return 2;
    case LODE_BENCH_RUN:
        break;
    }
    lode_engine_make_directory(wish.run.room);
    for (int i = 0; i < wish.suite_count; i++)
        wrong += run_suite(wish.suites[i], &wish);
    rmdir(wish.run.room);
    return wrong != 0;
}
