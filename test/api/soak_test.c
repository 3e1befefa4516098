/* test/api/soak_test.c: readers, a submitter, reorganisations, cache changes and cancelled imports, all at once.
 *
 * Every answer is held against what the blocks alone say of the state that the answer names. Run it under
 * -fsanitize=thread. $LODE_SOAK_ROUNDS: how often the chain goes back and forth (12; with $LODE_LONG 400).
 */
#include "test/api/model.h"
#include "test/loadblock/bed.h"

#include <string.h>

#include "primitives/tx.h"

enum { HEIGHT = 150, FORK_AT = HEIGHT - 12, FORK_LENGTH = 14, READERS = 2, ASKED = 40 };

static made_chain chain, beside_chain; /* beside_chain: empty blocks upon FORK_AT, more of them than the chain has */
static model coins;

typedef struct soak {
    bed b;
    int stop;                                             /* atomic */
    uint64_t answers, walks, events, verdicts, cancelled; /* atomic */
    int32_t event_height;                                 /* of the tip, by events alone */
    uint8_t event_hash[32];
} soak;

static bool is_stopped(soak *s)
{
    return __atomic_load_n(&s->stop, __ATOMIC_RELAXED);
}

static void count(uint64_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void *fail_loudly(const char *what, int line)
{
    fprintf(stderr, "soak_test.c:%d: %s\n", line, what);
    abort(); /* cmocka's assertions belong to the main thread */
}
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail_loudly(#condition, __LINE__);                                                                         \
    } while (0)
#define MUST_WORK(call)                                                                                                \
    do {                                                                                                               \
        lode_status must_status_ = (call);                                                                             \
        if (must_status_.code != LODE_OK)                                                                              \
            fail_loudly(must_status_.text, __LINE__);                                                                  \
    } while (0)

/* The height up to which a state is the chain's; blocks of the fork spend nothing. */
static int32_t chain_height(const uint8_t hash[32], int32_t *beside)
{
    int32_t height = model_height(&coins, hash);

    *beside = 0;
    if (height >= 0)
        return height;
    for (size_t i = 0; i < beside_chain.count; i++)
        if (memcmp(beside_chain.blocks[i].hash.bytes, hash, 32) == 0)
            *beside = (int32_t)i + 1;
    MUST(*beside > 0);
    return FORK_AT;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* ---- readers ---- */

static void ask_coins(soak *s, uint64_t *random)
{
    const model_coin *asked[ASKED];
    lode_coin_id ids[ASKED];
    lode_coin_info infos[ASKED];
    int found[ASKED];
    int32_t beside, height;
    lode_tip at = { .size = sizeof at };

    for (int i = 0; i < ASKED; i++) {
        asked[i] = &coins.coins[next_random(random) % coins.count];
        ids[i] = asked[i]->id;
        infos[i] = (lode_coin_info){ .size = sizeof infos[i] };
    }
    MUST_WORK(lode_get_coins(s->b.h, found, infos, &at, ids, ASKED));
    height = chain_height(at.hash, &beside);
    MUST(at.height == height + beside);
    for (int i = 0; i < ASKED; i++) {
        MUST(found[i] == model_is_there(asked[i], height));
        if (!found[i])
            continue;
        MUST(infos[i].value_sat == asked[i]->value && infos[i].height == asked[i]->made &&
             infos[i].is_coinbase == asked[i]->is_coinbase);
        lode_free(infos[i].script);
    }
    count(&s->answers);
}

static void ask_blocks(soak *s, uint64_t *random)
{
    int32_t height = (int32_t)(next_random(random) % HEIGHT) + 1;
    lode_block_info info = { .size = sizeof info };
    const made_block *block = &chain.blocks[height];
    uint8_t *raw = NULL;
    size_t len = 0;
    int found = 0;

    MUST_WORK(lode_get_block(s->b.h, &found, &raw, &len, block->hash.bytes));
    if (found) {
        MUST(len == block->size && memcmp(raw, block->raw, len) == 0);
        lode_free(raw);
    }
    MUST_WORK(lode_get_undo_at(s->b.h, &found, &raw, &len, height));
    if (found)
        lode_free(raw);
    MUST_WORK(lode_get_block_info_at(s->b.h, &found, &info, height));
    MUST(!found || (info.height == height && info.in_best_chain));
    MUST_WORK(lode_get_best_header(s->b.h, &info));
    count(&s->answers);
}

static void ask_transaction(soak *s, uint64_t *random)
{
    const model_coin *c = &coins.coins[next_random(random) % coins.count];
    uint8_t *raw = NULL;
    size_t len = 0;
    int found = 0;

    MUST_WORK(lode_get_transaction(s->b.h, &found, &raw, &len, NULL, c->id.txid));
    if (found)
        lode_free(raw);
}

static int count_header(void *context, const lode_block_info *info)
{
    size_t *headers = context;
    MUST(info->height >= 0);
    return ++*headers < 10000;
}

static int look_at_tip(void *context, const lode_block_info *info, int kind, int32_t branch_length)
{
    int *active = context;
    *active += kind == LODE_TIP_ACTIVE;
    MUST((kind == LODE_TIP_ACTIVE) == (branch_length == 0));
    return 1;
}

static void ask_tree(soak *s)
{
    lode_statistics statistics = { .size = sizeof statistics };
    size_t headers = 0;
    int active = 0;

    MUST_WORK(lode_visit_headers(s->b.h, &headers, count_header));
    MUST(headers >= 1);
    MUST_WORK(lode_visit_chain_tips(s->b.h, &active, look_at_tip));
    MUST(active == 1);
    MUST_WORK(lode_get_statistics(s->b.h, &statistics));
}

static void *run_reader(void *context)
{
    soak *s = context;
    uint64_t random = (uint64_t)(uintptr_t)&random;

    while (!is_stopped(s)) {
        ask_coins(s, &random);
        ask_blocks(s, &random);
        ask_transaction(s, &random);
        if (next_random(&random) % 16 == 0)
            ask_tree(s);
    }
    return NULL;
}

/* ---- the whole set ---- */

static void *run_walker(void *context)
{
    soak *s = context;

    while (!is_stopped(s)) {
        lode_coin_info info = { .size = sizeof info };
        lode_tip at = { .size = sizeof at };
        lode_coin_walk *walk;
        lode_coin_id id;
        uint64_t expected, seen = 0;
        int64_t total_expected, total = 0;
        int32_t beside, height;
        int found = 1;

        MUST_WORK(lode_coin_walk_open(&walk, s->b.h, &at, NULL));
        height = chain_height(at.hash, &beside);
        model_totals(&coins, height, &expected, &total_expected);
        while (found) {
            MUST_WORK(lode_coin_walk_next(walk, &found, &id, &info));
            if (!found || info.height > FORK_AT + (beside ? 0 : HEIGHT))
                continue; /* coinbases of the fork are counted by nobody */
            seen++;
            total += info.value_sat;
        }
        MUST(seen == expected && total == total_expected);
        lode_coin_walk_close(walk);
        count(&s->walks);
    }
    return NULL;
}

/* ---- imports that are cancelled, cache sizes, transactions warmed ---- */

static void *run_meddler(void *context)
{
    soak *s = context;
    uint64_t random = 7;

    while (!is_stopped(s)) {
        lode_import_options o;
        lode_import_job *job;
        lode_progress progress = { .size = sizeof progress };
        int done;

        lode_import_options_init(&o);
        o.paths = s->b.import.paths;
        o.path_count = 1;
        MUST_WORK(lode_set_cache_bytes(s->b.h, (4 + next_random(&random) % 28) << 20));
        MUST_WORK(lode_import_start(&job, s->b.h, &o));
        MUST_WORK(lode_import_wait(job, &done, (int64_t)(next_random(&random) % 20)));
        MUST_WORK(lode_import_get_progress(job, &progress));
        MUST_WORK(lode_import_cancel(job));
        lode_status status = lode_import_end(job, NULL);
        MUST(status.code == LODE_OK || status.code == LODE_CANCELLED);
        __atomic_add_fetch(&s->cancelled, status.code == LODE_CANCELLED, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *run_warmer(void *context)
{
    soak *s = context;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_parse_error why;
    lode_block block;

    for (size_t h = 101; !is_stopped(s); h = h == HEIGHT ? 101 : h + 1) {
        lode_arena_reset(&arena);
        MUST(lode_block_parse(&block, &arena, chain.blocks[h].raw, chain.blocks[h].size, 0, &why));
        for (uint32_t i = 1; i < block.tx_count && !is_stopped(s); i++) {
            lode_script_result r = { .size = sizeof r };
            MUST_WORK(lode_warm_transaction(s->b.h, &r, block.txs[i].raw, block.txs[i].size, NULL, 0));
            MUST(r.valid || strcmp(r.reason, "bad-txns-inputs-missingorspent") == 0);
        }
    }
    lode_arena_clear(&arena);
    return NULL;
}

/* ---- the writer ---- */

static void on_event(void *context, const lode_event *event)
{
    soak *s = context;

    if (event->kind == LODE_EVENT_CONNECTED) {
        MUST(memcmp(event->prev, s->event_hash, 32) == 0 && event->height == s->event_height + 1);
        memcpy(s->event_hash, event->hash, 32);
    } else {
        MUST(event->kind == LODE_EVENT_DISCONNECTED && memcmp(event->hash, s->event_hash, 32) == 0);
        memcpy(s->event_hash, event->prev, 32);
    }
    s->event_height = event->height - (event->kind == LODE_EVENT_DISCONNECTED);
    count(&s->events);
}

static void on_verdict(void *context, const lode_status *status, const lode_submit_result *result)
{
    soak *s = context;
    MUST(status->code == LODE_OK || status->code == LODE_CANCELLED);
    count(&s->verdicts);
}

static uint64_t submit_all(soak *s, const made_chain *blocks, size_t first)
{
    for (size_t i = first; i < blocks->count; i++)
        MUST_WORK(lode_submit_block_async(s->b.h, blocks->blocks[i].raw, blocks->blocks[i].size, s, on_verdict));
    return blocks->count - first;
}

/* The chain's end declared invalid, the fork wins; and back. */
static void go_back_and_forth(soak *s)
{
    lode_submit_result r = { .size = sizeof r };
    int found;

    MUST_WORK(lode_invalidate_block(s->b.h, &found, chain.blocks[FORK_AT + 1].hash.bytes));
    MUST_WORK(lode_check_block(s->b.h, &r, beside_chain.blocks[0].raw, beside_chain.blocks[0].size, 0));
    MUST_WORK(lode_reconsider_block(s->b.h, &found, chain.blocks[FORK_AT + 1].hash.bytes));
    MUST_WORK(lode_invalidate_block(s->b.h, &found, beside_chain.blocks[0].hash.bytes));
    MUST_WORK(lode_submit_header(s->b.h, &r, chain.blocks[1].raw, 80));
    MUST_WORK(lode_flush(s->b.h));
    MUST_WORK(lode_reconsider_block(s->b.h, &found, beside_chain.blocks[0].hash.bytes));
}

static void begin(soak *s, const char **path)
{
    lode_buf file = LODE_BUF_EMPTY;

    memset(s, 0, sizeof *s);
    bed_init_on_disk(&s->b, "regtest");
    bed_put_chain(&s->b, &file, &chain, 0, 100);
    *path = bed_write(&s->b, "chain.dat", &file);
    lode_buf_clear(&file);
    s->b.import.paths = path;
    s->b.options.txindex = 1;
    s->b.options.dbcache_bytes = 8 << 20;
    s->b.options.on_event = on_event;
    s->b.options.event_context = s;
    memcpy(s->event_hash, chain.blocks[0].hash.bytes, 32);
    bed_open(&s->b);
}

static void all_at_once_every_answer_fits_its_state(void **state)
{
    const char *rounds_text = getenv("LODE_SOAK_ROUNDS"), *path;
    int rounds = rounds_text ? atoi(rounds_text) : getenv("LODE_LONG") ? 400 : 12;
    lode_thread threads[READERS + 3] = { 0 };
    uint64_t submitted = 0;
    soak *s = malloc(sizeof *s);

    assert_non_null(s);
    begin(s, &path);
    for (int i = 0; i < READERS; i++)
        assert_ok(lode_thread_start(&threads[i], "reader", run_reader, s));
    assert_ok(lode_thread_start(&threads[READERS], "walker", run_walker, s));
    assert_ok(lode_thread_start(&threads[READERS + 1], "meddler", run_meddler, s));
    assert_ok(lode_thread_start(&threads[READERS + 2], "warmer", run_warmer, s));
    submitted += submit_all(s, &chain, 1);
    submitted += submit_all(s, &beside_chain, 0);
    while (__atomic_load_n(&s->verdicts, __ATOMIC_RELAXED) < submitted)
        lode_cpu_count(); /* the others work */
    for (int i = 0; i < rounds; i++)
        go_back_and_forth(s);
    __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS + 3; i++)
        lode_thread_join(&threads[i]);
    lode_tip tip = bed_tip(&s->b);
    assert_int_equal(tip.height, s->event_height);
    assert_memory_equal(tip.hash, s->event_hash, 32);
    submitted += submit_all(s, &chain, 1); /* some are given up */
    lode *h = s->b.h;
    s->b.h = NULL;
    assert_ok(lode_close_cancel(h));
    assert_int_equal(s->verdicts, submitted);
    printf("%llu answers, %llu walks, %llu events, %llu cancelled imports\n", (unsigned long long)s->answers,
           (unsigned long long)s->walks, (unsigned long long)s->events, (unsigned long long)s->cancelled);
    bed_clear(&s->b);
    free(s);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 31, HEIGHT, 8);
    made_empty_upon(&beside_chain, &chain.blocks[FORK_AT], 3);
    while (beside_chain.count < FORK_LENGTH)
        made_empty_upon(&beside_chain, &beside_chain.blocks[beside_chain.count - 1], 3);
    model_make(&coins, &chain);
    return 0;
}

static int tear_down(void **state)
{
    model_clear(&coins);
    made_chain_clear(&chain);
    made_chain_clear(&beside_chain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_at_once_every_answer_fits_its_state) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
