/* api/background.c: imports and submissions that run in threads of the library.
 *
 * Room:     a thread for each import; one thread that submits queued blocks in order.
 * Threads:  any. The handle waits for all of them before it is closed; a job outlives the handle until it is ended.
 */
#include <stdlib.h>

#include "api/handle.h"

struct lode_import_job {
    /* constant after start */
    lode *h; /* not touched once done */
    lode_import_options options;
    char **paths;
    char *xor_key;
    lode_import_options given; /* the caller's callbacks */
    lode_thread thread;
    lode_import_job *next; /* the handle's list, under its lock */
    lode_mutex lock;       /* guards what follows */
    lode_cond changed;
    lode_progress progress;
    bool is_cancelled, is_running, is_done;
    lode_import_result result;
    lode_status status;
};

struct lode_submission {
    lode_submission *next;
    void *context;
    void (*on_verdict)(void *context, const lode_status *status, const lode_submit_result *result);
    size_t len;
    uint8_t block[];
};

enum { QUEUE_BYTES = 64 << 20 };

void lode_background_init(lode_background *b)
{
    lode_mutex_init(&b->lock);
    lode_cond_init(&b->changed);
}

void lode_background_clear(lode_background *b)
{
    lode_cond_clear(&b->changed);
    lode_mutex_clear(&b->lock);
}

/* ---- imports ---- */

static void free_job(lode_import_job *job)
{
    for (size_t i = 0; job->paths && i < job->options.path_count; i++)
        free(job->paths[i]);
    free(job->paths);
    free(job->xor_key);
    lode_cond_clear(&job->changed);
    lode_mutex_clear(&job->lock);
    free(job);
}

static void on_progress(void *context, const lode_progress *progress)
{
    lode_import_job *job = context;

    lode_mutex_lock(&job->lock);
    job->progress = *progress;
    job->progress.file = NULL;
    lode_mutex_unlock(&job->lock);
    if (job->given.on_progress)
        job->given.on_progress(job->given.context, progress);
}

static void on_rejection(void *context, const lode_rejection *rejection)
{
    lode_import_job *job = context;
    job->given.on_rejection(job->given.context, rejection);
}

static void on_notice(void *context, const char *line)
{
    lode_import_job *job = context;
    job->given.on_notice(job->given.context, line);
}

/* A cancellation reaches this import alone: the flag is set while it runs, and taken back when it ends. */
static bool begin_run(lode_import_job *job)
{
    bool goes;

    lode_mutex_lock(&job->lock);
    goes = job->is_running = !job->is_cancelled;
    lode_mutex_unlock(&job->lock);
    return goes;
}

static void end_run(lode_import_job *job)
{
    lode_mutex_lock(&job->lock);
    job->is_running = false;
    if (job->is_cancelled)
        lode_handle_forget_interrupt(job->h);
    lode_mutex_unlock(&job->lock);
}

static lode_status run_import(lode_import_job *job)
{
    lode_status s;

    __atomic_store_n(&job->h->publisher.has_readers, 1,
                     __ATOMIC_RELAXED); /* what else would it be in the background for */
    LODE_TRY(lode_handle_begin(job->h, __func__, false));
    s = begin_run(job) ? lode_handle_import(job->h, &job->options, &job->result)
                       : lode_fail(LODE_CANCELLED, "cancelled before it began");
    end_run(job);
    return lode_handle_end(job->h, s);
}

static void remove_job(lode_background *b, lode_import_job *job)
{
    lode_import_job **at = &b->jobs;

    lode_mutex_lock(&b->lock);
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    lode_cond_broadcast(&b->changed);
    lode_mutex_unlock(&b->lock);
}

static void *run_job(void *context)
{
    lode_import_job *job = context;
    lode_background *b = &job->h->background;
    lode_status s;

    job->result.size = sizeof job->result;
    s = run_import(job);
    remove_job(b, job); /* the handle may be closed from here on */
    lode_mutex_lock(&job->lock);
    job->status = s;
    job->is_done = true;
    job->progress.phase = LODE_PHASE_DONE;
    lode_cond_broadcast(&job->changed);
    lode_mutex_unlock(&job->lock);
    return NULL;
}

static bool copy_options(lode_import_job *job, const lode_import_options *o)
{
    job->options = job->given = *o;
    job->options.path_count = 0;
    job->paths = calloc(o->path_count + 1, sizeof *job->paths);
    if (!job->paths || (o->xor_key && !(job->xor_key = strdup(o->xor_key))))
        return false;
    for (size_t i = 0; i < o->path_count; i++, job->options.path_count++)
        if (!(job->paths[i] = strdup(o->paths[i])))
            return false;
    job->options.paths = (const char *const *)job->paths;
    job->options.xor_key = job->xor_key;
    job->options.context = job;
    job->options.on_progress = on_progress;
    job->options.on_rejection = o->on_rejection ? on_rejection : NULL;
    job->options.on_notice = o->on_notice ? on_notice : NULL;
    return true;
}

static lode_status start_job(lode_import_job *job)
{
    lode_background *b = &job->h->background;
    lode_status s;

    lode_mutex_lock(&b->lock);
    s = b->is_closing ? lode_fail(LODE_INVALID_ARGUMENT, "the handle is being closed")
                      : lode_thread_start(&job->thread, "lode-import", run_job, job);
    if (!lode_failed(s)) {
        job->next = b->jobs;
        b->jobs = job;
    }
    lode_mutex_unlock(&b->lock);
    return s;
}

lode_status lode_import_start(lode_import_job **out, lode *h, const lode_import_options *given)
{
    lode_import_options o;
    lode_import_job *job;
    lode_status s;

    LODE_NEEDS(out, "nowhere to put the job");
    *out = NULL;
    LODE_NEEDS(h, "no handle");
    LODE_NEEDS(!h->read_only, "the directory was opened for reading");
    LODE_TRY(lode_import_options_take(&o, given, __func__));
    job = calloc(1, sizeof *job);
    if (!job)
        return lode_fail(LODE_NO_MEMORY, "no memory for an import");
    job->h = h;
    job->progress.size = sizeof job->progress;
    lode_mutex_init(&job->lock);
    lode_cond_init(&job->changed);
    s = copy_options(job, &o) ? start_job(job) : lode_fail(LODE_NO_MEMORY, "no memory for an import");
    if (lode_failed(s)) {
        free_job(job);
        return s;
    }
    *out = job;
    return s;
}

lode_status lode_import_get_progress(lode_import_job *job, lode_progress *progress)
{
    LODE_NEEDS(job, "no job");
    LODE_NEEDS_SIZE(progress);
    lode_mutex_lock(&job->lock);
    LODE_PUT_RESULT(progress, job->progress);
    lode_mutex_unlock(&job->lock);
    return lode_ok();
}

lode_status lode_import_cancel(lode_import_job *job)
{
    LODE_NEEDS(job, "no job");
    lode_mutex_lock(&job->lock);
    job->is_cancelled = true;
    if (job->is_running)
        lode_interrupt(job->h);
    lode_mutex_unlock(&job->lock);
    return lode_ok();
}

static bool is_own_thread(const lode_import_job *job)
{
    return job->thread.started && pthread_equal(job->thread.id, pthread_self());
}

lode_status lode_import_wait(lode_import_job *job, int *done, int64_t timeout_ms)
{
    uint64_t end = lode_clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;

    LODE_NEEDS(job && done, "an argument is NULL");
    LODE_NEEDS(!is_own_thread(job), "called from a callback of the import");
    lode_mutex_lock(&job->lock);
    while (!job->is_done) {
        uint64_t now = lode_clock_ns();
        if (timeout_ms < 0)
            lode_cond_wait(&job->changed, &job->lock);
        else if (now >= end || !lode_cond_wait_us(&job->changed, &job->lock, (end - now) / 1000 + 1))
            break;
    }
    *done = job->is_done;
    lode_mutex_unlock(&job->lock);
    return lode_ok();
}

lode_status lode_import_end(lode_import_job *job, lode_import_result *result)
{
    lode_status s;

    if (!job)
        return lode_ok();
    if (result)
        LODE_NEEDS_SIZE(result);
    LODE_NEEDS(!is_own_thread(job), "called from a callback of the import");
    lode_thread_join(&job->thread);
    s = job->status;
    if (result)
        LODE_PUT_RESULT(result, job->result);
    free_job(job);
    return s;
}

/* ---- submissions ---- */

static void submit_next(lode *h, lode_submission *item, bool gives_up)
{
    lode_submit_result result = { .size = sizeof result };
    lode_status s = gives_up ? lode_fail(LODE_CANCELLED, "the handle is being closed")
                             : lode_submit_block(h, &result, item->block, item->len);

    if (item->on_verdict)
        item->on_verdict(item->context, &s, &result);
    free(item);
}

static void *run_submitter(void *context)
{
    lode *h = context;
    lode_background *b = &h->background;

    lode_mutex_lock(&b->lock);
    while (b->first || !b->is_closing) {
        lode_submission *item = b->first;
        bool gives_up = b->is_cancelled;
        if (!item) {
            lode_cond_wait(&b->changed, &b->lock);
            continue;
        }
        b->first = item->next;
        if (!b->first)
            b->last = NULL;
        lode_mutex_unlock(&b->lock);
        size_t len = item->len;
        submit_next(h, item, gives_up);
        lode_mutex_lock(&b->lock);
        b->queued--;
        b->queued_bytes -= len;
        lode_cond_broadcast(&b->changed);
    }
    lode_mutex_unlock(&b->lock);
    return NULL;
}

bool lode_background_is_own_thread(lode *h)
{
    lode_background *b = &h->background;
    bool is_own;

    lode_mutex_lock(&b->lock);
    is_own = b->submitter.started && pthread_equal(b->submitter.id, pthread_self());
    for (lode_import_job *job = b->jobs; job && !is_own; job = job->next)
        is_own = is_own_thread(job);
    lode_mutex_unlock(&b->lock);
    return is_own;
}

/* lock is held. */
static lode_status enqueue(lode *h, lode_submission *item)
{
    lode_background *b = &h->background;
    bool is_own = b->submitter.started && pthread_equal(b->submitter.id, pthread_self());

    while (b->queued && b->queued_bytes + item->len > QUEUE_BYTES && !b->is_closing && !is_own)
        lode_cond_wait(&b->changed, &b->lock);
    if (b->is_closing)
        return lode_fail(LODE_INVALID_ARGUMENT, "the handle is being closed");
    if (!b->submitter.started)
        LODE_TRY(lode_thread_start(&b->submitter, "lode-submit", run_submitter, h));
    if (b->last)
        b->last->next = item;
    else
        b->first = item;
    b->last = item;
    b->queued++;
    b->queued_bytes += item->len;
    lode_cond_broadcast(&b->changed);
    return lode_ok();
}

lode_status lode_submit_block_async(lode *h, const void *block, size_t len, void *context,
                                    void (*on_verdict)(void *context, const lode_status *status,
                                                       const lode_submit_result *result))
{
    lode_submission *item;
    lode_status s;

    LODE_NEEDS(h, "no handle");
    LODE_NEEDS(!h->read_only, "the directory was opened for reading");
    LODE_NEEDS(block || !len, "no block");
    LODE_NEEDS(len <= UINT32_MAX, "no block is that long");
    LODE_NEEDS(!lode_mutex_is_held(&h->lock), "called from a callback, where only readers may be called");
    item = malloc(sizeof *item + len);
    if (!item)
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %zu bytes", len);
    *item = (lode_submission){ NULL, context, on_verdict, len };
    if (len)
        memcpy(item->block, block, len);
    lode_mutex_lock(&h->background.lock);
    s = enqueue(h, item);
    lode_mutex_unlock(&h->background.lock);
    if (lode_failed(s))
        free(item);
    return s;
}

/* ---- the end ---- */

void lode_background_end(lode *h, bool cancel)
{
    lode_background *b = &h->background;

    lode_mutex_lock(&b->lock);
    b->is_closing = true;
    b->is_cancelled |= cancel;
    lode_cond_broadcast(&b->changed);
    for (lode_import_job *job = b->jobs; cancel && job; job = job->next)
        lode_ignore(lode_import_cancel(job)); /* it is a job */
    if (cancel && b->queued)
        lode_interrupt(h);
    while (b->jobs || b->queued)
        lode_cond_wait(&b->changed, &b->lock);
    lode_mutex_unlock(&b->lock);
    lode_thread_join(&b->submitter);
    if (cancel)
        lode_handle_forget_interrupt(h);
}
