/* test/api/background_test.c: imports in the background, and readers meanwhile. */
#include "test/api/api_bed.h"

#include <string.h>
#include <unistd.h>

#include "api/handle.h"

enum { HEIGHT = 120 };

static made_chain chain;

static void start_import(bed *b, lode_import_job **job)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(b, &file, &chain, 0, chain.count);
    const char *path = bed_write(b, "chain.dat", &file);
    lode_buf_clear(&file);
    bed_open(b);
    b->import.paths = &path;
    b->import.path_count = 1;
    assert_ok(lode_import_start(job, b->h, &b->import)); /* options and paths are copied */
    b->import.paths = NULL;
    b->import.path_count = 0;
}

static void an_import_in_the_background_is_waited_for_and_tells_its_result(void **state)
{
    lode_import_result result = { .size = sizeof result };
    lode_progress progress = { .size = sizeof progress };
    lode_import_job *job;
    int done = 0;
    bed b;

    bed_init(&b, "regtest");
    start_import(&b, &job);
    assert_ok(lode_import_wait(job, &done, -1));
    assert_int_equal(done, 1);
    assert_ok(lode_import_get_progress(job, &progress));
    assert_int_equal(progress.phase, LODE_PHASE_DONE);
    assert_int_equal(progress.height, HEIGHT);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_ok(lode_import_end(job, &result));
    assert_int_equal(result.height, HEIGHT);
    assert_string_equal(result.best_block, chain.blocks[HEIGHT].hex);
    assert_int_equal(result.blocks_connected, HEIGHT);
    bed_clear(&b);
}

static void a_job_outlives_its_handle(void **state)
{
    lode_import_result result = { .size = sizeof result };
    lode_import_job *job;
    bed b;

    bed_init(&b, "regtest");
    start_import(&b, &job);
    bed_close(&b); /* waits for it */
    assert_ok(lode_import_end(job, &result));
    assert_int_equal(result.height, HEIGHT);
    bed_open(&b);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

/* Held in its own callback until the test lets it go. */
typedef struct gate {
    lode_mutex lock;
    lode_cond changed;
    bool is_reached, is_open;
} gate;

static void wait_at_gate(bed *b, const lode_progress *progress)
{
    gate *g = b->hook_context;
    lode_mutex_lock(&g->lock);
    g->is_reached = true;
    lode_cond_broadcast(&g->changed);
    while (!g->is_open)
        lode_cond_wait(&g->changed, &g->lock);
    lode_mutex_unlock(&g->lock);
}

static void gate_init(gate *g, bed *b)
{
    *g = (gate){ 0 };
    lode_mutex_init(&g->lock);
    lode_cond_init(&g->changed);
    b->hook_context = g;
    b->on_progress = wait_at_gate;
}

static void await_gate(gate *g)
{
    lode_mutex_lock(&g->lock);
    while (!g->is_reached)
        lode_cond_wait(&g->changed, &g->lock);
    lode_mutex_unlock(&g->lock);
}

static void open_gate(gate *g)
{
    lode_mutex_lock(&g->lock);
    g->is_open = true;
    lode_cond_broadcast(&g->changed);
    lode_mutex_unlock(&g->lock);
}

/* An import that has begun, and is held in its first progress. */
static void hold_import(bed *b, gate *g, lode_import_job **job)
{
    bed_init(b, "regtest");
    gate_init(g, b);
    start_import(b, job);
    await_gate(g);
}

static void readers_are_answered_while_the_writer_is_held_up(void **state)
{
    uint8_t some_hash[32] = { 1 };
    lode_block_info info = { .size = sizeof info };
    lode_coin_info coin = { .size = sizeof coin };
    lode_statistics statistics = { .size = sizeof statistics };
    lode_import_job *job;
    int found, done;
    bed b;
    gate g;

    bed_init(&b, "regtest");
    gate_init(&g, &b);
    bed_open(&b);
    assert_int_equal(bed_tip(&b).height, 0); /* there is a reader */
    bed_close(&b);
    start_import(&b, &job);
    await_gate(&g);
    assert_int_equal(bed_tip(&b).height, 0);
    assert_ok(lode_get_coin(b.h, &found, &coin, some_hash, 0));
    assert_ok(lode_get_block_info_at(b.h, &found, &info, 0));
    assert_int_equal(found, 1);
    assert_ok(lode_get_statistics(b.h, &statistics));
    assert_ok(lode_import_wait(job, &done, 0));
    assert_int_equal(done, 0);
    open_gate(&g);
    assert_ok(lode_import_end(job, NULL));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static void a_cancelled_import_keeps_what_was_done_and_the_next_goes_on(void **state)
{
    lode_import_job *job;
    bed b;
    gate g;

    hold_import(&b, &g, &job);
    assert_ok(lode_import_cancel(job));
    open_gate(&g);
    assert_fails_with(LODE_CANCELLED, lode_import_end(job, NULL));
    assert_true(bed_tip(&b).height < HEIGHT);
    api_submit(&b, &chain, 1, 3); /* the request went with its import */
    assert_ok(lode_import_start(&job, b.h, NULL));
    assert_ok(lode_import_end(job, NULL));
    bed_clear(&b);
}

static void an_import_that_is_cancelled_before_its_turn_does_not_begin(void **state)
{
    lode_import_job *first, *second;
    bed b;
    gate g;

    hold_import(&b, &g, &first);
    assert_ok(lode_import_start(&second, b.h, NULL));
    assert_ok(lode_import_cancel(second));
    open_gate(&g);
    assert_fails_with(LODE_CANCELLED, lode_import_end(second, NULL));
    assert_ok(lode_import_end(first, NULL));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static void *close_with_cancel(void *context)
{
    api_close_cancel(context);
    return NULL;
}

static void closing_with_cancel_stops_an_import(void **state)
{
    lode_thread closer = { 0 };
    lode_import_job *job;
    bed b;
    gate g;

    hold_import(&b, &g, &job);
    lode *h = b.h; /* open until the gate is */
    assert_ok(lode_thread_start(&closer, "closer", close_with_cancel, &b));
    while (lode_submit_block_async(h, NULL, 0, NULL, NULL).code == LODE_OK) /* refused: the import is cancelled, too */
        usleep(1000);
    open_gate(&g);
    lode_thread_join(&closer);
    assert_fails_with(LODE_CANCELLED, lode_import_end(job, NULL));
    bed_open(&b);
    assert_true(bed_tip(&b).height < HEIGHT);
    bed_clear(&b);
}

/* ---- readers that an import lets wait ---- */

static void *ask_tip(void *context)
{
    lode_tip tip = { .size = sizeof tip };
    bed *b = context;
    *(lode_status *)b->hook_context = lode_get_tip(b->h, &tip);
    return NULL;
}

static lode_thread late_reader;

/* When no more progress is to come, a reader begins to wait for it. */
static void start_late_reader(bed *b, const lode_progress *progress)
{
    if (progress->phase != LODE_PHASE_DONE)
        return;
    assert_ok(lode_thread_start(&late_reader, "late-reader", ask_tip, b));
    usleep(5000);
}

static void a_reader_that_waits_when_an_import_ends_is_answered(void **state)
{
    for (int i = 0; i < 20; i++) {
        lode_status answer = { .code = LODE_BUG };
        bed b;

        bed_init(&b, "regtest");
        b.on_progress = start_late_reader;
        b.hook_context = &answer;
        bed_import_chain(&b, &chain, 0, 5);
        lode_thread_join(&late_reader);
        late_reader = (lode_thread){ 0 };
        assert_ok(answer);
        bed_clear(&b);
    }
}

static void ask_while_replaying(void *context, int level, const char *line)
{
    lode_tip tip = { .size = sizeof tip };
    bed *b = context;

    if (!strstr(line, "replaying"))
        return;
    assert_fails_with(LODE_UNSUPPORTED, lode_get_tip(b->h, &tip));
    b->hook_context = b;
}

/* The coins on disk lie between two blocks, as a flush of Core's leaves them that was cut off. */
static void half_a_flush_is_shown_to_no_reader(void **state)
{
    lode_coins *coins;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    coins = b.h->chain->coins;
    assert_ok(lode_coins_flush_part(coins, &chain.blocks[HEIGHT].hash, &chain.blocks[HEIGHT - 7].hash));
    assert_ok(lode_coins_flush_wait(coins));
    b.h->chain->in_doubt = true; /* closing writes nothing */
    bed_close(&b);
    b.options.log = ask_while_replaying;
    b.options.log_context = &b;
    bed_open(&b);
    assert_ok(bed_import(&b, NULL, 0));
    assert_ptr_equal(b.hook_context, &b); /* it was asked */
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 91, HEIGHT, 10);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_import_in_the_background_is_waited_for_and_tells_its_result),
        cmocka_unit_test(a_job_outlives_its_handle),
        cmocka_unit_test(readers_are_answered_while_the_writer_is_held_up),
        cmocka_unit_test(a_cancelled_import_keeps_what_was_done_and_the_next_goes_on),
        cmocka_unit_test(an_import_that_is_cancelled_before_its_turn_does_not_begin),
        cmocka_unit_test(closing_with_cancel_stops_an_import),
        cmocka_unit_test(a_reader_that_waits_when_an_import_ends_is_answered),
        cmocka_unit_test(half_a_flush_is_shown_to_no_reader),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
