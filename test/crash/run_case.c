/* test/crash/run_case.c: see run_case.h. */
#include "test/crash/run_case.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/chain/random.h"

/* ---- places ---- */

static const char *const areas[] = {
    "blocks/index", "chainstate", "indexes/txindex", "lode/", "blocks", "input", "node", ""
};
static const char *const files[] = { ".log", ".ldb", "MANIFEST", "CURRENT", "LOCK",  ".dbtmp", "WIPED",
                                     "blk",  "rev",  "xor.dat",  ".lock",   "notes", ".tmp",   "" };

static int find_part(const char *const *parts, const char *path)
{
    int i = 0;

    while (!strstr(path, parts[i]))
        i++;
    return i;
}

int case_place(const char *path)
{
    const char *name = strrchr(path, '/');

    return find_part(areas, path) * 16 + find_part(files, name ? name : path);
}

bool case_is_table(int place)
{
    return strcmp(files[place % 16], ".ldb") == 0;
}

static const char *call_name(unsigned call)
{
    static const char *const names[CASE_CALLS] = {
        "open",      "pread",      "read",   "pwrite",           "sync", "truncate",       "allocate",
        "file_info", "copy_range", "map",    "path_info",        "list", "make_directory", "sync_directory",
        "rename",    "link",       "remove", "remove_directory", "lock", "is_locked",      "free_space",
    };
    return (call & (call - 1)) ? "change" : names[__builtin_ctz(call)];
}

void case_describe(char *out, size_t capacity, const crash_case *c)
{
    static const char *const kinds[] = { "clean", "fails once", "fails on", "power goes", "full", "stop" };
    static const char *const cuts[] = { "keeps synced", "keeps some", "keeps all" };

    snprintf(out, capacity, "%s: %s at %s %" PRIu64 " of %s%s%s, errno %d, torn %zu, %s, %s, %u more, seed %" PRIu64,
             scenarios[c->scenario].name, kinds[c->kind], call_name(c->call ? c->call : LODE_FAULT_CHANGES), c->n,
             c->place < 0 ? "any file" : areas[c->place / 16], c->place < 0 ? "" : " ",
             c->place < 0 ? "" : files[c->place % 16], c->error_number, c->torn_bytes, cuts[c->cut],
             c->is_honest ? "honest" : "not honest", c->more_cuts, c->seed);
}

/* ---- planning ---- */

typedef struct matching {
    const crash_case *c;
    case_report *report;
} matching;

static bool matches(void *context, unsigned call, const char *path)
{
    matching *m = context;
    int place = case_place(path);

    if (m->c->kind == CASE_CLEAN)
        m->report->calls[__builtin_ctz(call)][place]++;
    return m->c->place < 0 || m->c->place == place;
}

static void power_off(void *context)
{
    lode_memory_env_power_off(((world *)context)->memory);
}

static void ask_to_stop(void *context)
{
    world_stop(context);
}

static void plan(world *w, const crash_case *c, matching *m)
{
    lode_fault_plan p = {
        .calls = c->call, .matches = matches, .matches_context = m, .skip = c->n, .times = 1, .hook_context = w
    };

    switch (c->kind) {
    case CASE_CLEAN:
        p.calls = LODE_FAULT_ALL;
        p.times = 0;
        break;
    case CASE_FAIL_ON:
    case CASE_FAIL_ONCE:
        p.times = c->kind == CASE_FAIL_ON ? UINT64_MAX : 1;
        p.error_number = c->error_number;
        p.torn_bytes = c->torn_bytes;
        break;
    case CASE_POWER:
        p.hook = power_off;
        break;
    case CASE_FULL:
        p.times = 0;
        p.has_endless_space = !c->is_honest;
        lode_memory_env_set_capacity(w->memory, lode_memory_env_used_bytes(w->memory) + c->n);
        break;
    case CASE_STOP:
        p.hook = ask_to_stop;
        break;
    }
    lode_fault_env_plan(w->env, &p);
}

/* ---- judging ---- */

static void complain(case_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(case_report *r, const char *format, ...)
{
    va_list args;

    if (r->wrong[0])
        return;
    va_start(args, format);
    vsnprintf(r->wrong, sizeof r->wrong, format, args);
    va_end(args);
    r->is_starved |= strstr(r->wrong, "cannot start thread") != NULL;
}

/* An error is the world's, in the world's words. */
static void judge_status(case_report *r, const crash_case *c, lode_status s)
{
    int expected = c->error_number == ENOSPC || c->kind == CASE_FULL ? LODE_NO_SPACE : LODE_IO;

    if (c->error_number == ENOENT) /* of a table to be read: the manifest names what is not there */
        expected = s.code == LODE_MISSING ? LODE_MISSING : LODE_CORRUPT;

    if (!lode_failed(s) || c->kind == CASE_POWER)
        return;
    if (c->kind == CASE_CLEAN)
        complain(r, "it failed although nothing went wrong: code %d: %s", s.code, s.text);
    else if (c->kind == CASE_STOP && s.code != LODE_CANCELLED)
        complain(r, "a stop became an error: code %d: %s", s.code, s.text);
    else if (c->kind != CASE_STOP && s.code != expected)
        complain(r, "the error is told as another one: code %d instead of %d: %s", s.code, expected, s.text);
}

static bool stands_on(const story *s, size_t i, size_t root)
{
    while (i < s->blocks.count && i > root)
        i = story_parent(s, i);
    return i == root;
}

static void judge_look(case_report *r, const world *w, const crash_case *c, const look *l, const char *when)
{
    const scenario *sc = &scenarios[c->scenario];

    if (l->wrong[0])
        complain(r, "%s: %s", when, l->wrong);
    if (l->is_at_odds && !sc->may_be_at_odds)
        complain(r, "%s: the block index does not know the coins' block", when);
    if (l->is_cut_off && strncmp(sc->name, "replay", 6) != 0)
        complain(r, "%s: a record of a flush that was cut off", when);
    for (size_t i = 0; i < w->story->blocks.count; i++) {
        if (l->is_failed[i] && !story_is_bad(w->story, i) &&
            !(sc->may_blame && stands_on(w->story, i, w->story->to_blame)))
            complain(r, "%s: a good block (number %zu of the story) is marked as failed", when, i);
    }
}

static void judge_end(case_report *r, const world *w, const crash_case *c, const look *l, const look *clean)
{
    const scenario *sc = &scenarios[c->scenario];

    judge_look(r, w, c, l, "at the end");
    if (l->is_absent || l->is_cut_off || l->is_at_odds)
        complain(r, "at the end nothing can be read");
    if (l->tip != w->story->tip)
        complain(r, "at the end the best block is number %zd of the story, not %zu", (ssize_t)l->tip, w->story->tip);
    if (sc->ends_with_txindex && (!l->has_txindex || l->txindex_at != w->story->tip))
        complain(r, "at the end the transaction index stands at number %zd of the story", (ssize_t)l->txindex_at);
    if (clean->has_dump && !l->has_dump)
        complain(r, "at the end there is no dump");
    for (size_t i = 0; i < w->story->blocks.count; i++) {
        if (clean->is_stored[i] && !l->is_stored[i] && !story_is_bad(w->story, i))
            complain(r, "at the end block number %zu of the story is not stored", i);
    }
}

/* ---- running ---- */

static void cut_again(case_report *r, world *w, const crash_case *c, const reference *ref, lode_random *random)
{
    lode_fault_plan p = { .calls = LODE_FAULT_CHANGES,
                          .skip = lode_random_below(random, 400),
                          .times = 1,
                          .hook = power_off,
                          .hook_context = w };
    look l;

    lode_fault_env_plan(w->env, &p);
    lode_ignore(scenarios[c->scenario].resume(w)); /* it may have come to its end before */
    lode_fault_env_plan(w->env, NULL);
    lode_memory_env_power_off(w->memory);
    lode_memory_env_power_on(w->memory, lode_random_below(random, 2) ? LODE_KEEP_SYNCED : LODE_KEEP_SOME,
                             lode_random_next(random));
    look_at(&l, w, ref, NULL);
    judge_look(r, w, c, &l, "after another cut");
}

static void go_wrong(case_report *r, world *w, const crash_case *c)
{
    matching m = { c, r };
    lode_status s;

    r->used_before = lode_memory_env_used_bytes(w->memory);
    plan(w, c, &m);
    s = scenarios[c->scenario].run(w);
    r->used_after = lode_memory_env_used_bytes(w->memory);
    r->changes = lode_fault_env_count(w->env, LODE_FAULT_CHANGES);
    r->was_hit = c->kind == CASE_FULL ? lode_failed(s) : lode_fault_env_failed(w->env) > 0;
    lode_fault_env_plan(w->env, NULL);
    judge_status(r, c, s);
    w->is_stopped = false;
}

void case_run(case_report *r, world *w, const crash_case *c, const reference *ref, const look *clean)
{
    const scenario *sc = &scenarios[c->scenario];
    lode_random random;
    lode_status s;
    look l;

    lode_random_init(&random, c->seed);
    go_wrong(r, w, c);
    if (c->kind == CASE_POWER || c->cut != LODE_KEEP_ALL) {
        lode_memory_env_power_off(w->memory);
        lode_memory_env_power_on(w->memory, c->cut, c->seed);
    }
    if (c->kind != CASE_CLEAN) {
        look_at(&l, w, ref, NULL);
        judge_look(r, w, c, &l, "afterwards");
    }
    if (c->kind == CASE_FULL) {
        s = sc->resume(w); /* the disk is as full as before */
        judge_status(r, c, s);
        lode_memory_env_set_capacity(w->memory, UINT64_MAX / 4);
    }
    for (unsigned i = 0; i < c->more_cuts; i++)
        cut_again(r, w, c, ref, &random);
    if (c->kind != CASE_CLEAN) {
        s = sc->resume(w);
        if (lode_failed(s))
            complain(r, "the next run fails: code %d: %s", s.code, s.text);
    }
    look_at(&r->end, w, ref, NULL);
    judge_end(r, w, c, &r->end, c->kind == CASE_CLEAN ? &r->end : clean);
    r->is_done = true;
}
