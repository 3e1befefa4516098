/* bench/chain/signers.c: threads that make the transactions of a block plan.
 *
 * Room:     a txid without witness rests on signatures, so a transaction waits for those whose outputs it spends:
 *           levels are made one after the other, the transactions of a level in any order.
 * Touches:  the plan, each transaction by one thread.
 * Threads:  run is called by one; `lock` guards what the threads agree on.
 * Promise:  bytes do not depend on how many threads there are.
 */
#include "bench/chain/signers.h"

#include <stdlib.h>

#include "bench/chain/make_tx.h"
#include "support/thread.h"

#define BATCH 4         /* transactions taken at once */
#define WORTH_WAKING 24 /* fewer in a level are made by the caller alone */

typedef struct lode_signer {
    struct lode_signers *team;
    lode_tx_bench bench;
    lode_thread thread;
    lode_status status;
} lode_signer;

struct lode_signers {
    const lode_key_ring *ring;
    lode_signer *signers;
    unsigned count;

    /* constant while a level is made */
    lode_block_plan *plan;
    const uint32_t *order; /* the level's transactions */
    size_t order_len;

    size_t next; /* atomic: how many of the order were taken */

    /* guarded by lock */
    lode_mutex lock;
    lode_cond wake, done;
    uint64_t round; /* of levels */
    unsigned busy;
    bool stop;

    uint32_t *order_room;
    size_t order_capacity;
    size_t *starts; /* of levels in order_room */
    size_t starts_capacity;
};

static void make_some(lode_signer *signer)
{
    struct lode_signers *s = signer->team;

    while (!lode_failed(signer->status)) {
        size_t first = __atomic_fetch_add(&s->next, BATCH, __ATOMIC_RELAXED);
        size_t end = first + BATCH < s->order_len ? first + BATCH : s->order_len;

        if (first >= s->order_len)
            return;
        for (size_t i = first; i < end && !lode_failed(signer->status); i++)
            signer->status = lode_make_tx(&signer->bench, &s->plan->txs[s->order[i]], s->plan, s->ring);
    }
}

static void *run_signer(void *context)
{
    lode_signer *signer = (lode_signer *)context;
    struct lode_signers *s = signer->team;
    uint64_t seen = 0;

    lode_mutex_lock(&s->lock);
    for (;;) {
        while (s->round == seen && !s->stop)
            lode_cond_wait(&s->wake, &s->lock);
        if (s->stop)
            break;
        seen = s->round;
        lode_mutex_unlock(&s->lock);
        make_some(signer);
        lode_mutex_lock(&s->lock);
        if (--s->busy == 0)
            lode_cond_signal(&s->done);
    }
    lode_mutex_unlock(&s->lock);
    return NULL;
}

lode_status lode_signers_create(lode_signers **out, const lode_key_ring *ring, unsigned threads)
{
    lode_signers *s = (lode_signers *)calloc(1, sizeof *s);
    lode_status status = lode_ok();

    *out = NULL;
    if (!s)
        return lode_fail(LODE_NO_MEMORY, "no memory for signing threads");
    s->ring = ring;
    lode_mutex_init(&s->lock);
    lode_cond_init(&s->wake);
    lode_cond_init(&s->done);
    s->signers = (lode_signer *)calloc(threads, sizeof *s->signers);
    if (!s->signers) {
        lode_signers_destroy(s);
        return lode_fail(LODE_NO_MEMORY, "no memory for %u signing threads", threads);
    }
    s->count = threads;
    for (unsigned i = 0; i < threads; i++) {
        s->signers[i] = (lode_signer){ .team = s, .bench = LODE_TX_BENCH_EMPTY, .status = lode_ok() };
        if (i > 0 && !lode_failed(status))
            status = lode_thread_start(&s->signers[i].thread, "sign", run_signer, &s->signers[i]);
    }
    if (lode_failed(status)) {
        lode_signers_destroy(s);
        return status;
    }
    *out = s;
    return lode_ok();
}

void lode_signers_destroy(lode_signers *s)
{
    if (!s)
        return;
    lode_mutex_lock(&s->lock);
    s->stop = true;
    lode_cond_broadcast(&s->wake);
    lode_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->count; i++) {
        lode_thread_join(&s->signers[i].thread);
        lode_tx_bench_clear(&s->signers[i].bench);
    }
    lode_cond_clear(&s->wake);
    lode_cond_clear(&s->done);
    lode_mutex_clear(&s->lock);
    free(s->signers);
    free(s->order_room);
    free(s->starts);
    free(s);
}

static lode_status reserve(lode_signers *s, const lode_block_plan *plan)
{
    if (s->order_capacity < plan->tx_count) {
        free(s->order_room);
        s->order_capacity = 0;
        s->order_room = (uint32_t *)malloc(plan->tx_count * 2 * sizeof *s->order_room);
        if (!s->order_room)
            return lode_fail(LODE_NO_MEMORY, "no memory to order %zu transactions", plan->tx_count);
        s->order_capacity = plan->tx_count * 2;
    }
    if (s->starts_capacity < plan->level_count + 2u) {
        free(s->starts);
        s->starts_capacity = 0;
        s->starts = (size_t *)malloc((plan->level_count + 2u) * sizeof *s->starts);
        if (!s->starts)
            return lode_fail(LODE_NO_MEMORY, "no memory for %u levels", plan->level_count);
        s->starts_capacity = plan->level_count + 2u;
    }
    return lode_ok();
}

/* Counting sort by level: starts[level] is where a level begins, starts[level_count] the end. */
static void sort_by_level(lode_signers *s, const lode_block_plan *plan)
{
    for (uint32_t level = 0; level < plan->level_count + 2; level++)
        s->starts[level] = 0;
    for (size_t i = 0; i < plan->tx_count; i++)
        s->starts[plan->txs[i].level + 2]++;
    for (uint32_t level = 2; level < plan->level_count + 2; level++)
        s->starts[level] += s->starts[level - 1];
    for (size_t i = 0; i < plan->tx_count; i++)
        s->order_room[s->starts[plan->txs[i].level + 1]++] = (uint32_t)i;
}

static void make_level(lode_signers *s, const uint32_t *order, size_t len)
{
    bool together = s->count > 1 && len >= WORTH_WAKING;

    s->order = order;
    s->order_len = len;
    __atomic_store_n(&s->next, 0, __ATOMIC_RELAXED);
    if (together) {
        lode_mutex_lock(&s->lock);
        s->busy = s->count - 1;
        s->round++;
        lode_cond_broadcast(&s->wake);
        lode_mutex_unlock(&s->lock);
    }
    make_some(&s->signers[0]);
    if (together) {
        lode_mutex_lock(&s->lock);
        while (s->busy > 0)
            lode_cond_wait(&s->done, &s->lock);
        lode_mutex_unlock(&s->lock);
    }
}

lode_status lode_signers_run(lode_signers *s, lode_block_plan *plan)
{
    LODE_TRY(reserve(s, plan));
    sort_by_level(s, plan);
    s->plan = plan;
    for (unsigned i = 0; i < s->count; i++) {
        lode_arena_reset(&s->signers[i].bench.made);
        s->signers[i].status = lode_ok();
    }
    for (uint32_t level = 0; level < plan->level_count; level++) {
        make_level(s, s->order_room + s->starts[level], s->starts[level + 1] - s->starts[level]);
        for (unsigned i = 0; i < s->count; i++)
            LODE_TRY(s->signers[i].status);
    }
    return lode_ok();
}
