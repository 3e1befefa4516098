/* test/crash/crash_test.c: an import, and all other work that writes, meets failing calls, power cuts, full disks and
 * requests to stop, at every kind of call and at points all over.
 *
 * Afterwards the directory is looked at (nothing unverified is named, the coins are exactly those after the best
 * block), then the work is simply done again, and the end must be the same as when nothing goes wrong: coins, blocks,
 * marks of failure, transaction index. Each case is a process of its own, so that one that hangs or dies is told like
 * any other.
 *
 * LODE_TEST_SEED    chooses cases and chain.
 * LODE_TEST_SECONDS how long all may take; cases that do not fit are left out, and that is said. LODE_LONG=1: all and
 * more. LODE_CRASH_CASE   the numbers printed with a case that went wrong: runs it again, alone and in this process.
 * LODE_CRASH_ONLY   a part of a scenario's name: no others.
 * LODE_CRASH_TIMES  with it: so many times, each with a seed of its own, in processes of their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "bench/chain/random.h"
#include "test/crash/run_case.h"

enum { JOBS_MOST = 16, SCENARIOS_MOST = 16, SECONDS_PER_CASE = 100 };

typedef struct shared {
    reference ref;
    case_report clean[SCENARIOS_MOST];
    case_report reports[JOBS_MOST];
} shared;

static story the_story;
static world worlds[SCENARIOS_MOST];
static shared *all; /* with the processes of cases */
static uint64_t seed;
static uint64_t deadline_ns; /* of the group that runs */
static bool is_long;
static uint64_t starved; /* cases that say nothing, since the system was short of threads */

/* ---- cases ---- */

typedef struct case_list {
    crash_case *cases;
    size_t count, capacity;
    lode_random random;
} case_list;

static void add_case(case_list *l, crash_case c)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? l->capacity * 2 : 1024;
        l->cases = realloc(l->cases, l->capacity * sizeof *l->cases);
        assert_non_null(l->cases);
    }
    c.seed = lode_random_next(&l->random) >> 16;
    l->cases[l->count++] = c;
}

/* What does not fit in the time is then spread evenly. */
static void shuffle(case_list *l)
{
    for (size_t i = l->count; i > 1; i--) {
        size_t j = lode_random_below(&l->random, i);
        crash_case c = l->cases[i - 1];
        l->cases[i - 1] = l->cases[j];
        l->cases[j] = c;
    }
}

static void print_case(const crash_case *c)
{
    char text[512];

    case_describe(text, sizeof text, c);
    printf("    %s\n    LODE_CRASH_CASE=%zu,%d,%u,%d,%" PRIu64 ",%d,%zu,%d,%d,%u,%" PRIu64 "\n", text, c->scenario,
           (int)c->kind, c->call, c->place, c->n, c->error_number, c->torn_bytes, (int)c->cut, (int)c->is_honest,
           c->more_cuts, c->seed);
}

static bool read_case(crash_case *c, const char *text)
{
    int kind, cut, honest;
    bool good =
        sscanf(text, "%zu,%d,%u,%d,%" SCNu64 ",%d,%zu,%d,%d,%u,%" SCNu64, &c->scenario, &kind, &c->call, &c->place,
               &c->n, &c->error_number, &c->torn_bytes, &cut, &honest, &c->more_cuts, &c->seed) == 11;

    c->kind = (case_kind)kind;
    c->cut = (lode_power_cut)cut;
    c->is_honest = honest;
    return good && c->scenario < scenario_count;
}

/* ---- processes ---- */

typedef struct job {
    pid_t pid; /* 0: a free place */
    crash_case c;
} job;

static void start(job *j, case_report *report, const crash_case *c)
{
    memset(report, 0, sizeof *report);
    fflush(stdout);
    j->c = *c;
    j->pid = fork();
    assert_true(j->pid >= 0);
    if (j->pid > 0)
        return;
    alarm(SECONDS_PER_CASE);
    case_run(report, &worlds[c->scenario], c, &all->ref, &all->clean[c->scenario].end);
    _exit(0);
}

/* Waits for any; false: it went wrong, and was printed. */
static bool finish(job *jobs, uint64_t *hits)
{
    int status, i = 0;
    pid_t pid = wait(&status);

    assert_true(pid > 0);
    while (jobs[i].pid != pid)
        i++;
    jobs[i].pid = 0;
    const case_report *r = &all->reports[i];
    *hits += r->was_hit;
    if (r->is_starved || (r->is_done && !r->wrong[0])) {
        starved += r->is_starved;
        return true;
    }
    if (r->wrong[0])
        printf("  WRONG: %s\n", r->wrong);
    if (!r->is_done)
        printf("  WRONG: the process %s %d\n", WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    print_case(&jobs[i].c);
    return false;
}

static unsigned job_count(void)
{
    const char *given = getenv("LODE_CRASH_JOBS");
    unsigned count = given ? (unsigned)strtoul(given, NULL, 10) : lode_cpu_count();

    return count < 1 ? 1 : count > JOBS_MOST ? JOBS_MOST : count;
}

static void run_cases(case_list *l, const char *what)
{
    job jobs[JOBS_MOST] = { 0 };
    unsigned running = 0, most = job_count();
    uint64_t hits = 0, wrong = 0, begun = 0;
    uint64_t started = lode_clock_ns();

    shuffle(l);
    while (running > 0 || (begun < l->count && lode_clock_ns() < deadline_ns && wrong < 20)) {
        bool may_start = begun < l->count && lode_clock_ns() < deadline_ns && wrong < 20;
        if (running == most || !may_start) {
            wrong += !finish(jobs, &hits);
            running--;
            continue;
        }
        unsigned i = 0;
        while (jobs[i].pid)
            i++;
        start(&jobs[i], &all->reports[i], &l->cases[begun++]);
        running++;
    }
    printf("%s: %" PRIu64 " of %zu cases in %.0f s, %" PRIu64 " of them met what was planned, %" PRIu64
           " wrong; LODE_TEST_SEED=%" PRIu64 "\n",
           what, begun, l->count, (double)(lode_clock_ns() - started) / 1e9, hits, wrong, seed);
    if (starved)
        printf("%" PRIu64 " cases say nothing: the system gave no thread\n", starved);
    free(l->cases);
    assert_int_equal(wrong, 0);
}

/* ---- what is tried ---- */

static void failed_calls(case_list *l, size_t s)
{
    const case_report *clean = &all->clean[s];
    uint64_t rounds = is_long ? 12 : 1;

    for (int call = 0; call < CASE_CALLS; call++) {
        bool reads = (1u << call) & (LODE_FAULT_PREAD | LODE_FAULT_READ | LODE_FAULT_FILE_INFO | LODE_FAULT_PATH_INFO |
                                     LODE_FAULT_LIST);
        for (int place = 0; place < CASE_PLACES; place++) {
            uint64_t count = clean->calls[call][place];
            for (uint64_t i = 0; count > 0 && i < 2 + rounds; i++) {
                static const int errors[] = { EIO, ENOSPC, EMFILE };
                uint64_t turn = lode_random_below(&l->random, 6);
                crash_case c = {
                    .scenario = s, .kind = turn & 1 ? CASE_FAIL_ON : CASE_FAIL_ONCE, .call = 1u << call, .place = place
                };
                c.error_number = reads ? EIO : errors[turn / 2];
                if (c.error_number == EMFILE && (1u << call) != LODE_FAULT_OPEN)
                    c.error_number = EIO;
                if (1u << call == LODE_FAULT_OPEN && case_is_table(place) && turn == 0)
                    c.error_number = ENOENT; /* as if somebody had removed it */
                c.n = i == 0 ? 0 : i == 1 ? count - 1 : lode_random_below(&l->random, count);
                c.torn_bytes = (size_t)lode_random_below(&l->random, 3) * 50;
                c.cut = lode_random_below(&l->random, 3)   ? LODE_KEEP_ALL
                        : lode_random_below(&l->random, 2) ? LODE_KEEP_SYNCED
                                                           : LODE_KEEP_SOME;
                if (i < count)
                    add_case(l, c);
            }
        }
    }
}

static void add_cut(case_list *l, size_t s, unsigned calls, int place, uint64_t n)
{
    uint64_t turn = lode_random_below(&l->random, 20);
    crash_case c = { .scenario = s, .kind = CASE_POWER, .call = calls, .place = place, .n = n };

    c.cut = turn < 8 ? LODE_KEEP_SYNCED : turn < 18 ? LODE_KEEP_SOME : LODE_KEEP_ALL;
    c.more_cuts = lode_random_below(&l->random, 4) ? 0 : 1 + (unsigned)lode_random_below(&l->random, 3);
    add_case(l, c);
}

/* At the first and the last call of each kind, and all over. */
static void power_cuts(case_list *l, size_t s)
{
    uint64_t changes = all->clean[s].changes, points = is_long ? changes : 100;

    for (int i = 0; i < CASE_CALLS * CASE_PLACES; i++) {
        int call = i / CASE_PLACES, place = i % CASE_PLACES;
        uint64_t count = all->clean[s].calls[call][place];
        if (!count || !(1u << call & LODE_FAULT_CHANGES))
            continue;
        add_cut(l, s, 1u << call, place, 0);
        if (count > 1)
            add_cut(l, s, 1u << call, place, count - 1);
    }
    for (uint64_t i = 0; i < points; i++)
        add_cut(l, s, LODE_FAULT_CHANGES, -1,
                is_long ? i : (i * changes + lode_random_below(&l->random, changes)) / points);
}

static void full_disks(case_list *l, size_t s)
{
    const case_report *clean = &all->clean[s];
    uint64_t bytes = clean->used_after > clean->used_before ? clean->used_after - clean->used_before : 4096;
    uint64_t steps = is_long ? 200 : 20;

    for (uint64_t i = 0; i < steps; i++) {
        crash_case c = { .scenario = s, .kind = CASE_FULL, .place = -1, .cut = LODE_KEEP_ALL };
        c.n = (i * bytes + lode_random_below(&l->random, bytes)) / steps;
        c.is_honest = i % 4 == 3;
        if (c.is_honest)
            c.n += UINT64_C(52428800); /* what must stay free */
        add_case(l, c);
    }
}

static void stops(case_list *l, size_t s)
{
    for (uint64_t i = 0; i < (is_long ? 200 : 20); i++) {
        crash_case c = {
            .scenario = s, .kind = CASE_STOP, .call = LODE_FAULT_CHANGES, .place = -1, .cut = LODE_KEEP_ALL
        };
        c.n = lode_random_below(&l->random, all->clean[s].changes);
        if (i % 3 == 0)
            c.cut = LODE_KEEP_SYNCED;
        add_case(l, c);
    }
}

static void run_group(const char *what, void (*add)(case_list *l, size_t scenario), unsigned share)
{
    case_list l = { .cases = NULL };
    const char *given = getenv("LODE_TEST_SECONDS");
    uint64_t seconds = given ? strtoull(given, NULL, 10) : is_long ? 3600 : 240;

    lode_random_init(&l.random, seed ^ share);
    deadline_ns = lode_clock_ns() + seconds * share * 10000000;
    const char *only = getenv("LODE_CRASH_ONLY");
    for (size_t s = 0; s < scenario_count; s++) {
        if (!only || strstr(scenarios[s].name, only))
            add(&l, s);
    }
    run_cases(&l, what);
}

/* ---- tests ---- */

static void all_work_ends_alike_when_nothing_goes_wrong(void **state)
{
    for (size_t s = 0; s < scenario_count; s++) {
        crash_case c = { .scenario = s, .kind = CASE_CLEAN, .place = -1, .cut = LODE_KEEP_ALL };
        pid_t pid = fork();
        int status;
        if (pid == 0) {
            alarm(SECONDS_PER_CASE);
            case_run(&all->clean[s], &worlds[s], &c, &all->ref, NULL);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        const case_report *r = &all->clean[s];
        if (!r->is_done || r->wrong[0])
            fail_msg("%s: %s", scenarios[s].name, r->is_done ? r->wrong : "the process died");
        uint64_t calls = 0, sites = 0;
        for (int i = 0; i < CASE_CALLS * CASE_PLACES; i++) {
            calls += r->calls[i / CASE_PLACES][i % CASE_PLACES];
            sites += r->calls[i / CASE_PLACES][i % CASE_PLACES] > 0;
        }
        printf("%s: %" PRIu64 " calls of %" PRIu64 " kinds, %" PRIu64 " of them change the disk\n", scenarios[s].name,
               calls, sites, r->changes);
    }
}

/* Else a power cut in the case undoes a part of the preparation, which is nobody's fault. */
static void what_was_prepared_survives_any_power_cut(void **state)
{
    for (size_t s = 0; s < scenario_count; s++) {
        pid_t pid = fork();
        int status;
        if (pid == 0) {
            uint8_t before[32], after[32];
            world_digest(&worlds[s], before);
            lode_memory_env_power_off(worlds[s].memory);
            lode_memory_env_power_on(worlds[s].memory, LODE_KEEP_SYNCED, 0);
            world_digest(&worlds[s], after);
            _exit(memcmp(before, after, sizeof before) != 0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("%s: what was prepared is not there after a power cut", scenarios[s].name);
    }
}

static void a_failed_call_is_an_error_and_the_next_run_ends_alike(void **state)
{
    run_group("failed calls", failed_calls, 40);
}

static void the_power_may_go_at_any_call(void **state)
{
    run_group("power cuts", power_cuts, 40);
}

static void a_full_disk_is_told_and_room_is_all_it_takes(void **state)
{
    run_group("full disks", full_disks, 10);
}

static void a_stop_keeps_what_was_done(void **state)
{
    run_group("stops", stops, 10);
}

/* ---- setting up ---- */

static int set_up(void **state)
{
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    assert_true(scenario_count <= SCENARIOS_MOST);
    story_make(&the_story, seed);
    reference_make(&all->ref, &the_story);
    for (size_t s = 0; s < scenario_count; s++) {
        world_init(&worlds[s], &the_story);
        worlds[s].geometry = scenarios[s].geometry;
        worlds[s].flush_every = scenarios[s].flush_every;
        if (scenarios[s].prepare)
            scenarios[s].prepare(&worlds[s]);
        world_settle(&worlds[s]);
    }
    return 0;
}

static int tear_down(void **state)
{
    for (size_t s = 0; s < scenario_count; s++)
        world_clear(&worlds[s]);
    story_clear(&the_story);
    munmap(all, sizeof *all);
    return 0;
}

static void one_case(void **state)
{
    const char *times = getenv("LODE_CRASH_TIMES");
    crash_case c;

    if (!read_case(&c, getenv("LODE_CRASH_CASE")))
        fail_msg("LODE_CRASH_CASE: 11 numbers, as they are printed with a case");
    print_case(&c);
    if (times) {
        case_list l = { .cases = NULL };
        lode_random_init(&l.random, seed);
        for (uint64_t i = strtoull(times, NULL, 10); i > 0; i--)
            add_case(&l, c);
        deadline_ns = UINT64_MAX;
        run_cases(&l, "one case");
        return;
    }
    case_run(&all->reports[0], &worlds[c.scenario], &c, &all->ref, &all->clean[c.scenario].end);
    if (all->reports[0].wrong[0])
        fail_msg("%s", all->reports[0].wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_work_ends_alike_when_nothing_goes_wrong),
        cmocka_unit_test(what_was_prepared_survives_any_power_cut),
        cmocka_unit_test(a_failed_call_is_an_error_and_the_next_run_ends_alike),
        cmocka_unit_test(the_power_may_go_at_any_call),
        cmocka_unit_test(a_full_disk_is_told_and_room_is_all_it_takes),
        cmocka_unit_test(a_stop_keeps_what_was_done),
    };
    const struct CMUnitTest one[] = {
        cmocka_unit_test(all_work_ends_alike_when_nothing_goes_wrong),
        cmocka_unit_test(one_case),
    };
    const char *given = getenv("LODE_TEST_SEED");

    seed = given ? strtoull(given, NULL, 10) : 1;
    is_long = getenv("LODE_LONG") && strcmp(getenv("LODE_LONG"), "0") != 0;
    if (getenv("LODE_CRASH_CASE"))
        return cmocka_run_group_tests(one, set_up, tear_down);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
