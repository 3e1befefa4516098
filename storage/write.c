/* storage/write.c: log first, then memtable, one group of batches after the other.
 *
 * Room:     the queue of writers. The first one leads: it writes what the others brought together with its own.
 * Touches:  the log and the memtable.
 * Threads:  any. The lock is not held while the log is written.
 * Promise:  a batch is in the log before it is in the memtable, and seen whole or not at all; after a failed append or
 *           sync no later write is taken; a writer that waits wakes up, also when the store has failed.
 */
#include <stdlib.h>
#include <time.h>

#include "storage/file_name.h"
#include "storage/store_internal.h"
#include "support/check.h"

enum { GROUP_BYTES = 1 << 20, SMALL_GROUP_EXTRA = 128 << 10 };

void lode_writers_enter(lode_store *store, lode_writer *self)
{
    self->next = NULL;
    self->done = self->waits = false;
    if (!store->first_writer) {
        store->first_writer = store->last_writer = self;
        return;
    }
    self->waits = true;
    lode_cond_init(&self->wake);
    store->last_writer->next = self;
    store->last_writer = self;
    while (!self->done && store->first_writer != self)
        lode_cond_wait(&self->wake, &store->lock);
}

static void wake_first(lode_store *store)
{
    if (store->first_writer && store->first_writer->waits)
        lode_cond_signal(&store->first_writer->wake);
}

void lode_writers_leave(lode_store *store, lode_writer *self)
{
    LODE_CHECK(store->first_writer == self);
    store->first_writer = self->next;
    if (!self->next)
        store->last_writer = NULL;
    if (self->waits)
        lode_cond_clear(&self->wake);
    wake_first(store);
}

/* The leader and whoever fits behind it: *last is the last one taken. */
static lode_status gather(lode_store *store, lode_batch **batch, lode_writer **last, lode_writer *leader)
{
    size_t bytes = lode_batch_bytes(leader->batch);
    size_t most = bytes <= SMALL_GROUP_EXTRA ? bytes + SMALL_GROUP_EXTRA : GROUP_BYTES;
    *batch = leader->batch;
    *last = leader;
    for (lode_writer *w = leader->next; w; w = w->next) {
        if (!w->batch || (w->sync && !leader->sync))
            break;
        bytes += lode_batch_bytes(w->batch);
        if (bytes > most)
            break;
        if (*batch == leader->batch) {
            *batch = store->group;
            lode_batch_clear(store->group);
            lode_batch_append(store->group, leader->batch);
        }
        lode_batch_append(store->group, w->batch);
        *last = w;
    }
    return lode_batch_check(*batch);
}

/* What came before a synced write must not be lost where that is kept: logs are synced in order. */
static lode_status sync_old_logs(lode_store *store)
{
    for (int i = 0; i < store->old_log_count; i++)
        LODE_TRY(lode_log_writer_sync(store->old_logs[i].log));
    for (int i = 0; i < store->old_log_count; i++)
        lode_log_writer_close(store->old_logs[i].log);
    store->owes_mark |= store->old_log_count > 0 && lode_log_writer_bytes(store->log) == 0;
    store->old_log_count = 0;
    return lode_ok();
}

/* Without the lock, as the leader. */
static lode_status write_log(lode_store *store, const lode_batch *batch, bool sync, bool name_is_synced)
{
    if (sync && store->old_log_count)
        LODE_TRY(sync_old_logs(store));
    if (store->owes_mark)
        lode_store_add_mark(store->log, atomic_load_explicit(&store->last_sequence, memory_order_relaxed));
    store->owes_mark = false;
    LODE_TRY(lode_log_writer_append(store->log, lode_buf_slice(&batch->rep)));
    if (!sync)
        return lode_ok();
    LODE_TRY(lode_log_writer_sync(store->log));
    store->owes_mark = true;
    return name_is_synced ? lode_ok() : store->env->sync_directory(store->env, store->path);
}

/* A run that is durable must not outlive older writes that are not. */
lode_status lode_store_sync_logs(lode_store *store)
{
    bool name_is_synced = store->log_name_is_synced;
    if (lode_failed(store->error) || store->options.sync_policy == LODE_SYNC_NEVER ||
        (store->owes_mark && !store->old_log_count))
        return store->error;
    lode_mutex_unlock(&store->lock);
    lode_status s = sync_old_logs(store);
    if (!lode_failed(s) && lode_log_writer_bytes(store->log))
        s = lode_log_writer_sync(store->log);
    if (!lode_failed(s) && !name_is_synced)
        s = store->env->sync_directory(store->env, store->path);
    lode_mutex_lock(&store->lock);
    if (lode_failed(s)) {
        lode_store_fail(store, s);
    } else {
        store->owes_mark = true;
        store->log_name_is_synced = true;
    }
    return s;
}

/* ---- room ---- */

/* The log stays open until it is synced, or its records are in a table. */
static void keep_old_log(lode_store *store)
{
    int kept = 0;
    for (int i = 0; i < store->old_log_count; i++)
        if (store->old_logs[i].number < store->versions.log_number)
            lode_log_writer_close(store->old_logs[i].log);
        else
            store->old_logs[kept++] = store->old_logs[i];
    store->old_log_count = kept;
    LODE_CHECK(kept <= LODE_SEALED_LIMIT);
    if (store->owes_mark && lode_log_writer_bytes(store->log)) { /* synced to its end */
        lode_log_writer_close(store->log);
        return;
    }
    store->old_logs[store->old_log_count].log = store->log;
    store->old_logs[store->old_log_count++].number = store->log_number;
}

/* A burst lasts while each memtable is full about as soon as the one before was. */
static void note_pace(lode_store *store)
{
    enum { LONGEST_NS = 50000000 };
    uint64_t now = lode_clock_ns(), since = now - store->sealed_at_ns;
    store->calm_at_ns = now + (4 * since < LONGEST_NS ? 4 * since : LONGEST_NS);
    store->sealed_at_ns = now;
}

lode_status lode_store_seal(lode_store *store)
{
    uint64_t number = lode_versions_new_number(&store->versions);
    lode_log_writer *log;
    lode_mutex_unlock(&store->lock);
    lode_memtable *mem = lode_memtable_create(store->cmp, store->options.write_buffer_bytes);
    lode_status s = mem ? lode_store_new_log(store, &log, number)
                        : lode_fail(LODE_NO_MEMORY, "%s: no memory for a memtable", store->path);
    lode_mutex_lock(&store->lock);
    if (lode_failed(s)) {
        lode_memtable_unref(mem);
        return s;
    }
    keep_old_log(store);
    store->log = log;
    store->owes_mark = store->old_log_count == 0;
    note_pace(store);
    store->sealed[store->sealed_count++] = (lode_sealed){ store->mem, store->log_number };
    store->log_number = number;
    store->log_name_is_synced = false;
    store->mem = mem;
    if (!lode_view_renew(store, 0)) {
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a view", store->path);
        lode_store_fail(store, s);
    }
    lode_cond_broadcast(&store->work);
    return s;
}

/* More the nearer the store is to where writes must stop, so that they never stop all at once. Once per memtable. */
static uint64_t delay_us(const lode_store *store)
{
    enum { MOST_US = 200000, STEPS = LODE_RUNS_TO_STOP - LODE_RUNS_TO_SLOW };
    size_t runs = store->options.bulk_load ? 0 : store->versions.current->run_count;
    if (runs < LODE_RUNS_TO_SLOW)
        return 0;
    uint64_t steps = runs - LODE_RUNS_TO_SLOW + 1;
    return steps * steps * MOST_US / (STEPS * STEPS);
}

static bool must_wait(const lode_store *store)
{
    if (store->sealed_count == LODE_SEALED_LIMIT)
        return true;
    return !store->options.bulk_load && store->versions.current->run_count >= LODE_RUNS_TO_STOP;
}

/* As the first writer. After it the memtable takes another batch. */
static lode_status make_room(lode_store *store)
{
    bool may_delay = true;
    for (;;) {
        if (lode_failed(store->error))
            return store->error;
        if (store->closing)
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: the store is being closed", store->path);
        if (lode_memtable_bytes(store->mem) < store->options.write_buffer_bytes)
            return lode_ok();
        uint64_t us = may_delay ? delay_us(store) : 0;
        if (must_wait(store)) {
            lode_cond_wait(&store->done, &store->lock);
        } else if (us) {
            may_delay = false;
            lode_cond_wait_us(&store->done, &store->lock, us);
        } else {
            LODE_TRY(lode_store_seal(store));
        }
    }
}

/* ---- writing ---- */

static void finish_group(lode_store *store, lode_writer *leader, lode_writer *last, const lode_status *s)
{
    for (lode_writer *w = leader->next; leader != last && w;) {
        lode_writer *next = w->next;
        bool is_last = w == last;
        w->status = *s;
        w->done = true;
        lode_cond_signal(&w->wake);
        w = next;
        if (is_last)
            break;
    }
    store->first_writer = last->next;
    if (!last->next)
        store->last_writer = NULL;
    if (leader->waits)
        lode_cond_clear(&leader->wake);
    wake_first(store);
}

static lode_status write_group(lode_store *store, lode_batch *batch, bool sync)
{
    uint64_t sequence = atomic_load_explicit(&store->last_sequence, memory_order_relaxed);
    uint64_t last;
    bool name_is_synced = store->log_name_is_synced;
    if (LODE_MAX_SEQUENCE - sequence < batch->count)
        return lode_fail(LODE_UNSUPPORTED, "%s: sequence numbers are used up", store->path);
    lode_batch_set_sequence(batch, sequence + 1);
    store->user_bytes += batch->rep.len;
    lode_mutex_unlock(&store->lock);
    lode_status s = write_log(store, batch, sync, name_is_synced);
    if (!lode_failed(s))
        s = lode_batch_apply(lode_buf_slice(&batch->rep), store->mem, &last);
    if (!lode_failed(s))
        atomic_store_explicit(&store->last_sequence, sequence + batch->count, memory_order_release);
    lode_mutex_lock(&store->lock);
    if (lode_failed(s))
        lode_store_fail(store, s);
    else if (sync)
        store->log_name_is_synced = true;
    return s;
}

/* To a few milliseconds, which is what is worth knowing about the longest write, at a tenth of the cost. */
static uint64_t coarse_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void note_time(lode_store *store, uint64_t start_ns)
{
    uint64_t ns = coarse_ns() - start_ns;
    if (ns > atomic_load_explicit(&store->longest_write_ns, memory_order_relaxed))
        atomic_store_explicit(&store->longest_write_ns, ns, memory_order_relaxed);
}

static bool wants_sync(const lode_store *store, int asked)
{
    switch (store->options.sync_policy) {
    case LODE_SYNC_ALWAYS:
        return true;
    case LODE_SYNC_NEVER:
        return false;
    case LODE_SYNC_ASKED:
        break;
    }
    return asked != 0;
}

static lode_status check_write(const lode_store *store, const lode_batch *batch)
{
    if (!store || !batch)
        return lode_fail(LODE_INVALID_ARGUMENT, "store write: NULL argument");
    if (store->options.read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read only", store->path);
    return lode_batch_check(batch);
}

lode_status lode_store_write(lode_store *store, lode_batch *batch, int sync)
{
    LODE_TRY(check_write(store, batch));
    uint64_t start_ns = coarse_ns();
    lode_writer self = { .batch = batch, .sync = wants_sync(store, sync) }, *last = &self;
    lode_mutex_lock(&store->lock);
    lode_writers_enter(store, &self);
    if (self.done) {
        lode_mutex_unlock(&store->lock);
        lode_cond_clear(&self.wake);
        note_time(store, start_ns);
        return self.status;
    }
    lode_batch *group = batch;
    lode_status s = make_room(store);
    if (!lode_failed(s))
        s = gather(store, &group, &last, &self);
    if (!lode_failed(s) && group->count)
        s = write_group(store, group, self.sync);
    finish_group(store, &self, last, &s);
    lode_mutex_unlock(&store->lock);
    note_time(store, start_ns);
    return s;
}

/* A small one is built on the stack. */
static lode_status write_one(lode_store *store, const void *key, size_t key_len, const void *value, size_t value_len,
                             bool is_put, int sync)
{
    enum { MOST_FRAMING = LODE_BATCH_HEADER_BYTES + 16 };
    uint8_t small[512];
    lode_batch batch = { 0 };
    if ((!key && key_len) || (!value && value_len))
        return lode_fail(LODE_INVALID_ARGUMENT, "store write: NULL key or value");
    bool is_small = key_len < sizeof small / 2 && value_len < sizeof small / 2 - MOST_FRAMING;
    if (is_small)
        batch.rep = (lode_buf){ .data = small, .capacity = sizeof small };
    if (is_put)
        lode_batch_put(&batch, key, key_len, value, value_len);
    else
        lode_batch_delete(&batch, key, key_len);
    lode_status s = lode_store_write(store, &batch, sync);
    if (!is_small)
        lode_buf_clear(&batch.rep);
    return s;
}

lode_status lode_store_put(lode_store *store, const void *key, size_t key_len, const void *value, size_t value_len,
                           int sync)
{
    return write_one(store, key, key_len, value, value_len, true, sync);
}

lode_status lode_store_delete(lode_store *store, const void *key, size_t key_len, int sync)
{
    return write_one(store, key, key_len, NULL, 0, false, sync);
}
