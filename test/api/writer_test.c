/* test/api/writer_test.c: headers, queued blocks, dry runs, events, cache sizes, closing. */
#include "test/api/api_bed.h"

#include <string.h>

enum { HEIGHT = 120 };

static made_chain chain, bad, next;

/* ---- headers ---- */

static void headers_are_taken_before_their_blocks_and_judged_as_core_does(void **state)
{
    lode_submit_result r = { .size = sizeof r };
    lode_block_info best = { .size = sizeof best };
    uint8_t spoilt[80];
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    assert_ok(lode_submit_header(b.h, &r, chain.blocks[2].raw, 80));
    assert_false(r.accepted);
    assert_string_equal(r.reason, "prev-blk-not-found");
    for (int i = 1; i <= 20; i++) {
        assert_ok(lode_submit_header(b.h, &r, chain.blocks[i].raw, 80));
        assert_true(r.accepted && !r.in_best_chain);
        assert_string_equal(r.hash, chain.blocks[i].hex);
    }
    assert_ok(lode_submit_header(b.h, &r, chain.blocks[5].raw, 80)); /* once more */
    assert_true(r.accepted);
    assert_ok(lode_get_best_header(b.h, &best));
    assert_int_equal(best.height, 20);
    assert_memory_equal(best.hash, chain.blocks[20].hash.bytes, 32);
    assert_int_equal(best.has_data, 0);
    assert_int_equal(bed_tip(&b).height, 0);
    memcpy(spoilt, chain.blocks[21].raw, 80);
    memset(spoilt + 68, 0, 4); /* its time */
    for (uint32_t nonce = 0; nonce < 64; nonce++) {
        lode_write_le32(spoilt + 76, nonce);
        assert_ok(lode_submit_header(b.h, &r, spoilt, 80));
        assert_false(r.accepted);
        if (strcmp(r.reason, "high-hash") != 0)
            break;
    }
    assert_string_equal(r.reason, "time-too-old");
    api_submit(&b, &chain, 1, chain.count);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

/* ---- blocks in the queue ---- */

typedef struct verdicts {
    lode_mutex lock;
    size_t count, accepted, connected, cancelled;
    char reasons[4][128];
} verdicts;

static void on_verdict(void *context, const lode_status *status, const lode_submit_result *result)
{
    verdicts *v = context;
    lode_mutex_lock(&v->lock);
    v->accepted += result->accepted != 0;
    v->connected += result->in_best_chain != 0;
    v->cancelled += status->code == LODE_CANCELLED;
    if (!result->accepted && v->count < 4)
        snprintf(v->reasons[v->count], sizeof v->reasons[0], "%s", result->reason);
    v->count++;
    lode_mutex_unlock(&v->lock);
}

static void queued_blocks_are_judged_in_order_before_the_handle_closes(void **state)
{
    verdicts v = { .count = 0 };
    bed b;

    lode_mutex_init(&v.lock);
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_ok(lode_submit_block_async(b.h, chain.blocks[2].raw, chain.blocks[2].size, &v, on_verdict));
    assert_ok(lode_submit_block_async(b.h, "x", 1, &v, on_verdict));
    for (size_t i = 1; i < chain.count; i++)
        assert_ok(lode_submit_block_async(b.h, chain.blocks[i].raw, chain.blocks[i].size, &v, on_verdict));
    assert_ok(lode_submit_block_async(b.h, NULL, 0, NULL, NULL)); /* nobody is told */
    bed_close(&b);
    assert_int_equal(v.count, chain.count + 1);
    assert_int_equal(v.accepted, HEIGHT);
    assert_string_equal(v.reasons[0], "prev-blk-not-found");
    assert_true(v.reasons[1][0] != 0);
    bed_open(&b);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static void every_queued_block_is_told_of_when_closing_cancels(void **state)
{
    verdicts v = { .count = 0 };
    bed b;

    lode_mutex_init(&v.lock);
    bed_init(&b, "regtest");
    bed_open(&b);
    for (size_t i = 1; i < chain.count; i++)
        assert_ok(lode_submit_block_async(b.h, chain.blocks[i].raw, chain.blocks[i].size, &v, on_verdict));
    api_close_cancel(&b);
    assert_int_equal(v.count, HEIGHT);
    bed_open(&b);
    size_t height = (size_t)bed_tip(&b).height;
    assert_int_equal(height, v.connected);
    assert_true(v.accepted >= v.connected); /* one that was cancelled may be stored, and not connected */
    api_submit(&b, &chain, height + 1, chain.count);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

/* ---- dry runs ---- */

static void assert_checked(bed *b, const made_block *block, int flags, const char *reason)
{
    lode_submit_result r = { .size = sizeof r };
    assert_ok(lode_check_block(b->h, &r, block->raw, block->size, flags));
    if (strcmp(r.reason, reason) != 0)
        fail_msg("\"%s\", not \"%s\"", r.reason, reason);
    assert_int_equal(r.accepted, *reason == 0);
    assert_int_equal(r.in_best_chain, 0);
}

static void a_dry_run_says_what_a_submission_would_and_changes_nothing(void **state)
{
    uint8_t wrong[80];
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_print before = bed_take_print(&b);
    assert_checked(&b, &next.blocks[0], 0, "");
    assert_checked(&b, &next.blocks[0], 0, "");
    assert_checked(&b, &chain.blocks[HEIGHT], 0, "inconclusive-not-best-prevblk");
    for (size_t i = 0; i < bad.count; i++)
        if (memcmp(bad.blocks[i].raw + 4, chain.blocks[HEIGHT].hash.bytes, 32) == 0)
            assert_checked(&b, &bad.blocks[i], 0, bad.blocks[i].reject);
        else
            assert_checked(&b, &bad.blocks[i], 0, "inconclusive-not-best-prevblk");
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_print after = bed_take_print(&b);
    assert_memory_equal(&before, &after, sizeof before);
    lode_block_info info = { .size = sizeof info };
    int found = 5;
    assert_ok(lode_get_block_info(b.h, &found, &info, next.blocks[0].hash.bytes));
    assert_int_equal(found, 0); /* not even its header is kept */

    /* a template: any nonce will do */
    made_block template = next.blocks[0];
    uint8_t *raw = malloc(template.size);
    memcpy(raw, template.raw, template.size);
    template.raw = raw;
    for (uint32_t nonce = 0; nonce < 1000; nonce++) {
        lode_submit_result r = { .size = sizeof r };
        lode_write_le32(raw + 76, nonce);
        assert_ok(lode_check_block(b.h, &r, raw, template.size, 0));
        if (strcmp(r.reason, "high-hash") == 0)
            break;
    }
    assert_checked(&b, &template, 0, "high-hash");
    assert_checked(&b, &template, LODE_WITHOUT_WORK, "");
    lode_submit_result r = { .size = sizeof r };
    assert_ok(lode_check_block_alone(b.h, &r, raw, template.size, 0));
    assert_string_equal(r.reason, "high-hash");
    assert_ok(lode_check_block_alone(b.h, &r, raw, template.size, LODE_WITHOUT_WORK));
    assert_int_equal(r.accepted, 1);
    free(raw);
    memcpy(wrong, next.blocks[0].raw, 80);
    assert_ok(lode_check_block(b.h, &r, wrong, 80, 0));
    assert_false(r.accepted);
    api_submit(&b, &next, 0, 1);
    bed_assert_tip(&b, &next.blocks[0]);
    bed_clear(&b);
}

static void a_block_alone_needs_no_parent(void **state)
{
    lode_submit_result r = { .size = sizeof r };
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    assert_ok(lode_check_block_alone(b.h, &r, chain.blocks[HEIGHT].raw, chain.blocks[HEIGHT].size, 0));
    assert_int_equal(r.accepted, 1);
    assert_string_equal(r.hash, chain.blocks[HEIGHT].hex);
    for (size_t len = 0; len < chain.blocks[1].size; len++) {
        assert_ok(lode_check_block_alone(b.h, &r, chain.blocks[1].raw, len, 0));
        assert_int_equal(r.accepted, 0);
    }
    bed_clear(&b);
}

/* ---- events ---- */

typedef struct history {
    bed *b;
    char text[4096];
} history;

static void on_event(void *context, const lode_event *event)
{
    history *h = context;
    lode_submit_result r = { .size = sizeof r };
    size_t len = strlen(h->text);

    snprintf(h->text + len, sizeof h->text - len, "%c%d ", event->kind == LODE_EVENT_CONNECTED ? '+' : '-',
             event->height);
    if (!h->b->h)
        return;
    bed_tip(h->b); /* readers may be called */
    assert_int_equal(lode_submit_block(h->b->h, &r, "", 0).code, LODE_INVALID_ARGUMENT);
    assert_int_equal(lode_flush(h->b->h).code, LODE_INVALID_ARGUMENT);
    assert_int_equal(lode_close(h->b->h).code, LODE_INVALID_ARGUMENT);
}

static void reorganisations_are_told_in_order(void **state)
{
    history h = { .text = "" };
    made_chain fork_blocks = { 0 };
    int found;
    bed b;

    bed_init(&b, "regtest");
    b.options.on_event = on_event;
    b.options.event_context = &h;
    h.b = &b;
    bed_import_chain(&b, &chain, 0, 6);
    assert_string_equal(h.text, "+1 +2 +3 +4 +5 ");
    h.text[0] = 0;
    made_empty_upon(&fork_blocks, &chain.blocks[3], 5);
    for (int i = 0; i < 2; i++)
        made_empty_upon(&fork_blocks, &fork_blocks.blocks[i], 5);
    api_submit(&b, &fork_blocks, 0, 2);
    assert_string_equal(h.text, "");
    api_submit(&b, &fork_blocks, 2, 3);
    assert_string_equal(h.text, "-5 -4 +4 +5 +6 ");
    h.text[0] = 0;
    assert_ok(lode_invalidate_block(b.h, &found, fork_blocks.blocks[1].hash.bytes));
    assert_string_equal(h.text, "-6 -5 -4 +4 +5 ");
    lode_statistics s = { .size = sizeof s };
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.blocks_connected, 5 + 3 + 2);
    assert_int_equal(s.blocks_disconnected, 2 + 3);
    made_chain_clear(&fork_blocks);
    bed_clear(&b);
}

/* ---- the rest ---- */

static void the_cache_changes_size_while_running(void **state)
{
    lode_statistics s = { .size = sizeof s };
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    api_submit(&b, &chain, 1, 60);
    assert_ok(lode_set_cache_bytes(b.h, 4 << 20));
    api_submit(&b, &chain, 60, 90);
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.cache_limit_bytes, 4 << 20);
    assert_ok(lode_set_cache_bytes(b.h, UINT64_MAX));
    api_submit(&b, &chain, 90, chain.count);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.headers, chain.count);
    assert_true(s.recent_changes > 0 && s.recent_layers > 0);
    assert_ok(lode_flush(b.h));
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.recent_changes, 0);
    assert_true(s.flushes > 0 && s.coins_written > 0);
    bed_clear(&b);
}

static int set_up(void **state)
{
    api_make_chains(&chain, &bad, &next, 91, 10, HEIGHT);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&bad);
    made_chain_clear(&next);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_taken_before_their_blocks_and_judged_as_core_does),
        cmocka_unit_test(queued_blocks_are_judged_in_order_before_the_handle_closes),
        cmocka_unit_test(every_queued_block_is_told_of_when_closing_cancels),
        cmocka_unit_test(a_dry_run_says_what_a_submission_would_and_changes_nothing),
        cmocka_unit_test(a_block_alone_needs_no_parent),
        cmocka_unit_test(reorganisations_are_told_in_order),
        cmocka_unit_test(the_cache_changes_size_while_running),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
