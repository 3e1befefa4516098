/* chainstate/coins_flush.c: beginning a flush and waiting for it.
 *
 * Room:     the active generation is frozen and written by a thread of its own as a sorted run, and then serves as a
 *           cache. A few changes become a batch instead, and join the frozen generation, which stays.
 * Touches:  which generations there are; the store from the flush's thread.
 * Threads:  the chain's, and one per flush.
 * Promise:  until a flush is on disk, all it writes is in memory, and may be written again after a failure.
 */
#include "chainstate/coins_internal.h"
#include "support/check.h"

/* ---- the flush's thread ---- */

static lode_status write_frozen(lode_coins *c)
{
    uint64_t start = lode_clock_ns();
    lode_status s;

    if (c->batch)
        s = lode_store_write(c->store, c->batch, 1);
    else
        s = lode_coins_write_run(c, c->frozen);
    lode_coins_count(&c->flush_ns, lode_clock_ns() - start);
    if (!lode_failed(s))
        lode_coins_count(&c->flushes, 1);
    return s;
}

static void end_flush(lode_coins *c, lode_status s)
{
    lode_mutex_lock(&c->lock);
    c->flush_status = s;
    c->is_flushing = false;
    if (!lode_failed(s)) {
        c->best = c->old_head = c->flush_best;
        c->new_head = c->flush_new_head;
        c->has_best = !c->flush_is_part;
        c->has_heads = c->flush_is_part;
    }
    lode_cond_broadcast(&c->flushed);
    lode_mutex_unlock(&c->lock);
}

static void *run_flush(void *context)
{
    lode_coins *c = context;

    end_flush(c, write_frozen(c));
    return NULL;
}

static void start_flush(lode_coins *c)
{
    lode_mutex_lock(&c->lock);
    c->is_flushing = true;
    lode_mutex_unlock(&c->lock);
    if (lode_failed(lode_thread_start(&c->flusher, "coins-flush", run_flush, c)))
        run_flush(c); /* without a thread of its own it takes ours */
}

/* ---- the chain's thread ---- */

void lode_coins_settle_flush(lode_coins *c)
{
    uint64_t start = 0;

    if (!c->frozen || c->frozen_is_written)
        return;
    lode_mutex_lock(&c->lock);
    if (c->is_flushing)
        start = lode_clock_ns();
    while (c->is_flushing)
        lode_cond_wait(&c->flushed, &c->lock);
    __atomic_store_n(&c->frozen_is_written, !lode_failed(c->flush_status), __ATOMIC_RELEASE);
    lode_mutex_unlock(&c->lock);
    lode_thread_join(&c->flusher);
    c->flusher.started = false;
    if (c->frozen_is_written) {
        lode_batch_destroy(c->batch);
        c->batch = NULL;
    }
    if (start)
        lode_coins_count(&c->flush_wait_ns, lode_clock_ns() - start);
}

/* What failed to be written is written now, or nothing goes on. */
static lode_status write_what_failed(lode_coins *c)
{
    if (!c->frozen || c->frozen_is_written)
        return lode_ok();
    start_flush(c);
    return lode_coins_flush_wait(c);
}

static lode_coins_generation *next_generation(lode_coins *c)
{
    return lode_coins_generation_create(&c->pool, c->salt, c->active->id + 1, c->budget);
}

static lode_status freeze(lode_coins *c)
{
    lode_coins_generation *old = c->frozen, *next = next_generation(c);

    if (!next)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a new generation of coins", c->path);
    pthread_rwlock_wrlock(&c->generations_lock);
    c->frozen = c->active;
    c->active = next;
    c->frozen_is_written = false;
    if (c->frozen->live > 0)
        c->database_has_coins = true;
    pthread_rwlock_unlock(&c->generations_lock);
    if (old)
        c->oldest_whole = old->id + 1;
    lode_coins_generation_destroy(old);
    return lode_ok();
}

/* An entry of active into frozen, instead of what stands there. */
static bool join_entry(lode_coins_generation *to, const lode_coins_record *r, const uint8_t *entry, uint64_t hash)
{
    lode_coins_shard *s = lode_coins_shard_of(to, r->txid);
    lode_coins_key key = { r->txid, hash, lode_coins_record_part(r), lode_coins_entry_index(entry) };
    lode_coins_place place;
    bool good;

    if (lode_coins_shard_find(&place, s, &key))
        lode_coins_place_remove(to, &place);
    good = lode_coins_shard_add_entry(to, s, &key, r->code, entry, lode_coins_entry_length(entry));
    return good;
}

static bool join_all(lode_coins_generation *to, const lode_coins_generation *from)
{
    for (size_t i = 0; i < (size_t)1 << from->shard_bits; i++) {
        lode_coins_walk walk = lode_coins_walk_of(&from->shards[i]);
        const lode_coins_record *r;
        while ((r = lode_coins_walk_next(&walk, NULL)) != NULL) {
            uint64_t hash = lode_coins_record_hash(from, r);
            const uint8_t *entry = r->entries;
            for (uint32_t left = lode_coins_record_count(r); left > 0; left--) {
                if (!join_entry(to, r, entry, hash))
                    return false;
                entry += lode_coins_entry_length(entry);
            }
        }
    }
    return true;
}

/* Active is empty again, frozen holds its changes as well, and the batch is what remains to be written. Until the end
 * active has everything still, so that a failure leaves all as it was. */
static lode_status join(lode_coins *c)
{
    lode_coins_generation *old = c->active, *next = next_generation(c);

    if (!next || !join_all(c->frozen, old)) {
        lode_coins_generation_destroy(next);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to join generations of coins", c->path);
    }
    pthread_rwlock_wrlock(&c->generations_lock);
    c->frozen->id = old->id;
    c->active = next;
    c->frozen_is_written = false;
    if (old->live > 0)
        c->database_has_coins = true;
    pthread_rwlock_unlock(&c->generations_lock);
    lode_coins_generation_destroy(old);
    return lode_ok();
}

static lode_status begin_with_batch(lode_coins *c)
{
    lode_batch *batch;
    lode_status s;

    LODE_TRY(lode_coins_make_batch(c, &batch, c->active));
    if (c->frozen && c->frozen->records > 4 * c->active->records)
        s = join(c);
    else
        s = freeze(c);
    if (lode_failed(s))
        lode_batch_destroy(batch);
    else
        c->batch = batch;
    return s;
}

static lode_status begin(lode_coins *c, const lode_block_hash *best, const lode_block_hash *new_head)
{
    if (c->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", c->path);
    lode_coins_settle_flush(c);
    LODE_TRY(write_what_failed(c));
    c->flush_best = *best;
    c->flush_is_part = new_head != NULL;
    c->flush_new_head = new_head ? *new_head : *best;
    if (c->active->records + c->active->live <= c->batch_most)
        LODE_TRY(begin_with_batch(c));
    else
        LODE_TRY(freeze(c));
    start_flush(c);
    return lode_ok();
}

lode_status lode_coins_flush_begin(lode_coins *c, const lode_block_hash *best)
{
    return begin(c, best, NULL);
}

lode_status lode_coins_flush_part(lode_coins *c, const lode_block_hash *new_head, const lode_block_hash *reached)
{
    return begin(c, reached, new_head);
}

lode_status lode_coins_flush_wait(lode_coins *c)
{
    lode_coins_settle_flush(c);
    return c->frozen && !c->frozen_is_written ? c->flush_status : lode_ok();
}

bool lode_coins_is_flushing(const lode_coins *coins)
{
    lode_coins *c = (lode_coins *)(uintptr_t)coins; /* for the lock */
    bool is;

    lode_mutex_lock(&c->lock);
    is = c->is_flushing;
    lode_mutex_unlock(&c->lock);
    return is;
}
