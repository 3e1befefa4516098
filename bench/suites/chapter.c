/* bench/suites/chapter.c: runs one chapter with one engine, in a process of its own.
 *
 * Room:     what a phase does, how long it took, and whether what came back is what was written.
 * Touches:  one directory below the room.
 * Note:     keys are made and values picked inside the timed part, alike for every engine; what was to be expected is
 *           computed outside of it. Reads are preceded by untimed ones of other keys.
 */
#include "bench/suites/run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/thread.h"

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

lode_stopwatch lode_stopwatch_now(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (lode_stopwatch){ (double)lode_clock_ns() * 1e-9, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) };
}

void lode_result_set(lode_result *r, lode_result_state state, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(r->why, sizeof r->why, format, arguments);
    va_end(arguments);
    r->state = state;
}

/* ---- open and close ---- */

static void open_db(lode_run_state *run)
{
    if (!run->db)
        run->db = run->engine->open(run->path, &run->chapter->settings);
}

static void close_db(lode_run_state *run)
{
    if (run->db)
        run->engine->close(run->db);
    run->db = NULL;
}

/* Written pages first, as only clean ones can be dropped. */
static void drop_from_page_cache(const char *path)
{
    char *copy = strdup(path);
    char *paths[] = { copy, NULL };
    FTS *tree = copy ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    const FTSENT *entry;

    while (tree && (entry = fts_read(tree))) {
        int fd = entry->fts_info == FTS_F ? open(entry->fts_path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        fdatasync(fd);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
    if (tree)
        fts_close(tree);
    free(copy);
}

/* Until the process used less than 2 ms of a processor for the time of quiet, which does not count. */
static void settle(lode_result *r, uint32_t quiet_us)
{
    double before = lode_stopwatch_now().cpu_s;

    for (int i = 0; i < 1200; i++) {
        usleep(quiet_us);
        double now = lode_stopwatch_now().cpu_s;
        if (now - before < 0.002) {
            r->wall_s -= quiet_us * 1e-6;
            return;
        }
        before = now;
    }
}

/* ---- writes ---- */

static void note_time(lode_result *r, uint64_t *last_ns)
{
    uint64_t now = lode_clock_ns();
    double us = (double)(now - *last_ns) * 1e-3;

    if (us > r->longest_us)
        r->longest_us = us;
    *last_ns = now;
}

static void fill(lode_run_state *run, const lode_phase *p, lode_result *r, const lode_order *order, uint8_t generation)
{
    const lode_engine *e = run->engine;
    uint64_t ops = (uint64_t)r->ops, last_ns = lode_clock_ns();
    uint8_t bytes[LODE_KEY_MAX];

    if (p->batch > 1)
        e->batch_begin(run->db);
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t number = lode_order_at(order, i);
        lode_bytes key = { bytes, lode_key_make(bytes, run->chapter->key_form, number, false) };
        lode_bytes value = lode_values_at(&run->values, number, generation);
        if (p->batch <= 1) {
            e->put(run->db, key, value, p->sync);
            note_time(r, &last_ns);
            continue;
        }
        e->batch_put(run->db, key, value);
        if ((i + 1) % p->batch == 0 || i + 1 == ops) {
            e->batch_commit(run->db, p->sync);
            note_time(r, &last_ns);
            if (i + 1 < ops)
                e->batch_begin(run->db);
        }
    }
}

static void run_fill(lode_run_state *run, const lode_phase *p, lode_result *r, const lode_order *order)
{
    uint8_t generation = 1;
    lode_stopwatch start;

    if (run->entries) /* an overwrite: values differ from what is there */
        generation = (uint8_t)(2 + (p - run->chapter->phases));
    start = lode_stopwatch_now();
    fill(run, p, r, order, generation);
    lode_stopwatch_stop(r, start);
    for (uint64_t i = 0; i < (uint64_t)r->ops; i++) {
        uint8_t *g = &run->generations[lode_order_at(order, i)];
        run->entries += !*g;
        *g = generation;
    }
    r->count = run->entries;
    run->scan_sum = 0;
}

/* ---- reads ---- */

static void read_keys(lode_run_state *run, lode_result *r, const lode_order *order, uint64_t ops)
{
    bool missing = order->order == LODE_ORDER_MISSING;
    uint8_t bytes[LODE_KEY_MAX];

    for (uint64_t i = 0; i < ops; i++) {
        lode_bytes value, key = { bytes, 0 };
        key.len = lode_key_make(bytes, run->chapter->key_form, lode_order_at(order, i), missing);
        if (run->engine->get(run->db, key, &value)) {
            r->count++;
            r->sum += lode_value_sum(value);
        }
    }
}

static void warm_up(lode_run_state *run, lode_order order, uint64_t ops)
{
    lode_result ignored = { .count = 0 };

    order.seed ^= UINT64_C(0x5bd1e9955bd1e995);
    read_keys(run, &ignored, &order, ops / 10 < 20000 ? ops / 10 : 20000);
}

static void compare(lode_result *r, uint64_t count, uint64_t sum)
{
    if (r->count != count)
        lode_result_set(r, LODE_RESULT_WRONG, "%llu entries came back, not %llu", (unsigned long long)r->count,
                        (unsigned long long)count);
    else if (r->sum != sum)
        lode_result_set(r, LODE_RESULT_WRONG, "the sum of %llu entries is %016llx, not %016llx",
                        (unsigned long long)count, (unsigned long long)r->sum, (unsigned long long)sum);
}

static void run_read(lode_run_state *run, lode_result *r, const lode_order *order)
{
    uint64_t count = 0, sum = 0;
    lode_stopwatch start;

    warm_up(run, *order, (uint64_t)r->ops);
    start = lode_stopwatch_now();
    read_keys(run, r, order, (uint64_t)r->ops);
    lode_stopwatch_stop(r, start);
    for (uint64_t i = 0; order->order != LODE_ORDER_MISSING && i < (uint64_t)r->ops; i++) {
        uint64_t number = lode_order_at(order, i);
        uint8_t generation = run->generations[number];
        count += generation != 0;
        sum += generation ? lode_value_sum(lode_values_at(&run->values, number, generation)) : 0;
    }
    compare(r, count, sum);
}

/* ---- scans and seeks ---- */

static void find_scan_sum(lode_run_state *run)
{
    uint8_t bytes[LODE_KEY_MAX];

    run->scan_sum = 0;
    for (uint64_t n = 0; n < run->chapter->entries; n++) {
        lode_bytes key = { bytes, lode_key_make(bytes, run->chapter->key_form, n, false) };
        if (run->generations[n])
            run->scan_sum += lode_entry_sum(key, lode_values_at(&run->values, n, run->generations[n]));
    }
}

static void scan(lode_run_state *run, lode_result *r, bool reverse)
{
    const lode_engine *e = run->engine;
    void *cursor = e->cursor_create(run->db);
    lode_engine_entry entry;
    lode_bytes none = { NULL, 0 };
    bool is_valid = e->cursor_move(cursor, reverse ? LODE_MOVE_LAST : LODE_MOVE_FIRST, none, &entry);

    while (is_valid) {
        r->count++;
        r->sum += lode_entry_sum(entry.key, entry.value);
        is_valid = e->cursor_move(cursor, reverse ? LODE_MOVE_PREV : LODE_MOVE_NEXT, none, &entry);
    }
    e->cursor_destroy(cursor);
}

static void run_scan(lode_run_state *run, const lode_phase *p, lode_result *r)
{
    uint32_t passes = p->passes ? p->passes : 1;
    lode_stopwatch start;

    if (!run->scan_sum)
        find_scan_sum(run);
    start = lode_stopwatch_now();
    for (uint32_t i = 0; i < passes; i++)
        scan(run, r, p->kind == LODE_PHASE_REVERSE);
    lode_stopwatch_stop(r, start);
    r->ops = (double)run->entries * passes;
    compare(r, run->entries * passes, run->scan_sum * passes);
}

/* Keys between entries, so that the entry after is what must be found. */
static void run_seek(lode_run_state *run, lode_result *r, const lode_order *order)
{
    const lode_engine *e = run->engine;
    bool between = run->chapter->key_form == LODE_KEY_TEXT;
    uint64_t ops = (uint64_t)r->ops, count = 0, sum = 0;
    uint8_t bytes[LODE_KEY_MAX];
    lode_stopwatch start = lode_stopwatch_now();

    for (uint64_t i = 0; i < ops; i++) {
        lode_engine_entry entry;
        void *cursor = e->cursor_create(run->db);
        lode_bytes key = { bytes, 0 };
        key.len = lode_key_make(bytes, run->chapter->key_form, lode_order_at(order, i), between);
        if (e->cursor_move(cursor, LODE_MOVE_SEEK, key, &entry)) {
            r->count++;
            r->sum += lode_entry_sum(entry.key, entry.value);
        }
        e->cursor_destroy(cursor);
    }
    lode_stopwatch_stop(r, start);
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t n = lode_order_at(order, i) + between;
        while (n < run->chapter->entries && !run->generations[n])
            n++;
        if (n >= run->chapter->entries)
            continue;
        lode_bytes key = { bytes, lode_key_make(bytes, run->chapter->key_form, n, false) };
        count++;
        sum += lode_entry_sum(key, lode_values_at(&run->values, n, run->generations[n]));
    }
    compare(r, count, sum);
}

/* ---- phases ---- */

static const char *why_not(const lode_engine *e, const lode_phase *p)
{
    switch (p->kind) {
    case LODE_PHASE_FILL:
        return p->batch > 1 && e->no_batch ? e->no_batch : p->sync ? e->no_sync : NULL;
    case LODE_PHASE_COINS:
        return e->no_batch;
    case LODE_PHASE_REVERSE:
        return e->no_reverse;
    case LODE_PHASE_SEEK:
        return e->no_order;
    case LODE_PHASE_COMPACT:
        return e->no_compact;
    case LODE_PHASE_READ:
    case LODE_PHASE_SCAN:
    case LODE_PHASE_SETTLE:
    case LODE_PHASE_REOPEN:
    case LODE_PHASE_CLOSE:
    case LODE_PHASE_CRC32C:
    case LODE_PHASE_SNAPPY:
    case LODE_PHASE_UNSNAPPY:
        return NULL;
    }
    return NULL;
}

static void run_upkeep(lode_run_state *run, const lode_phase *p, lode_result *r)
{
    lode_stopwatch start = lode_stopwatch_now();

    if (p->kind == LODE_PHASE_SETTLE)
        settle(r, run->wish->quiet_us);
    else if (p->kind == LODE_PHASE_COMPACT)
        run->engine->compact(run->db);
    else
        close_db(run);
    lode_stopwatch_stop(r, start);
    if (r->wall_s < 0)
        r->wall_s = 0;
    if (p->kind != LODE_PHASE_REOPEN)
        return;
    if (run->wish->cold)
        drop_from_page_cache(run->path);
    open_db(run);
}

static void run_phase(lode_run_state *run, int index, lode_result *r)
{
    const lode_phase *p = &run->chapter->phases[index];
    uint64_t ops = p->ops ? p->ops : run->chapter->entries;
    const char *why = why_not(run->engine, p);
    lode_order order;

    if (run->chapter->entries > run->chapter->settings.files_most && strcmp(run->engine->name, "files") == 0)
        why = "so many files: see --files-most";
    if (why) {
        lode_result_set(r, LODE_RESULT_CANNOT, "%s", why);
        return;
    }
    lode_order_init(&order, p->order, run->chapter->entries, run->wish->seed + (uint64_t)index);
    r->ops = (double)ops;
    r->state = LODE_RESULT_GOOD;
    open_db(run);
    switch (p->kind) {
    case LODE_PHASE_FILL:
        run_fill(run, p, r, &order);
        break;
    case LODE_PHASE_READ:
        run_read(run, r, &order);
        break;
    case LODE_PHASE_SCAN:
    case LODE_PHASE_REVERSE:
        run_scan(run, p, r);
        break;
    case LODE_PHASE_SEEK:
        run_seek(run, r, &order);
        break;
    case LODE_PHASE_COINS:
        lode_run_coins(run, p, r);
        break;
    case LODE_PHASE_CRC32C:
    case LODE_PHASE_SNAPPY:
    case LODE_PHASE_UNSNAPPY:
        lode_run_pieces(run, p, r);
        break;
    case LODE_PHASE_SETTLE:
    case LODE_PHASE_COMPACT:
    case LODE_PHASE_REOPEN:
    case LODE_PHASE_CLOSE:
        run_upkeep(run, p, r);
        break;
    }
}

/* In the end everything is read once more, closed and opened: a fill counts only when what it wrote is there. */
static void check_all(lode_run_state *run, lode_chapter_results *results)
{
    lode_result all = { .state = LODE_RESULT_GOOD };

    if (run->is_other_data || !run->db)
        return;
    close_db(run);
    open_db(run);
    if (!run->scan_sum)
        find_scan_sum(run);
    scan(run, &all, false);
    compare(&all, run->entries, run->scan_sum);
    for (int i = 0; all.state == LODE_RESULT_WRONG && i < run->chapter->phase_count; i++)
        if (run->chapter->phases[i].kind == LODE_PHASE_FILL && results->phases[i].state == LODE_RESULT_GOOD)
            lode_result_set(&results->phases[i], LODE_RESULT_WRONG, "in the end: %s", all.why);
}

static void run_chapter(lode_chapter_results *results, const lode_chapter *chapter, const lode_engine *engine,
                        const lode_run_wish *wish)
{
    lode_run_state run = { .chapter = chapter, .engine = engine, .wish = wish };

    snprintf(run.path, sizeof run.path, "%s/%s.db", wish->room, engine->name);
    lode_engine_remove(run.path);
    run.generations = (uint8_t *)lode_engine_memory(chapter->entries + 1);
    lode_values_init(&run.values, chapter->value_len, chapter->documents);
    for (int i = 0; i < chapter->phase_count; i++)
        run_phase(&run, i, &results->phases[i]);
    check_all(&run, results);
    close_db(&run);
    results->disk_bytes = lode_engine_disk_bytes(run.path);
    if (!wish->keep)
        lode_engine_remove(run.path);
    lode_values_clear(&run.values);
    free(run.generations);
}

void lode_chapter_run(lode_chapter_results *results, const lode_chapter *chapter, const lode_engine *engine,
                      const lode_run_wish *wish)
{
    lode_chapter_results *shared;
    struct rusage usage = { 0 };
    int status = 0;
    pid_t pid;

    shared =
        (lode_chapter_results *)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        lode_engine_stop("no memory for results");
    fflush(NULL);
    pid = fork();
    if (pid < 0)
        lode_engine_stop("no process: %s", strerror(errno));
    if (pid == 0) {
        run_chapter(shared, chapter, engine, wish);
        fflush(NULL);
        _exit(0);
    }
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    shared->peak_mib = (double)usage.ru_maxrss / 1024;
    for (int i = 0; i < chapter->phase_count; i++)
        if (shared->phases[i].state == LODE_RESULT_NONE || (status != 0 && shared->phases[i].state == LODE_RESULT_GOOD))
            lode_result_set(&shared->phases[i], LODE_RESULT_WRONG, "its process ended with status %d", status);
    *results = *shared;
    munmap(shared, sizeof *shared);
}
