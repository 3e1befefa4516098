/* api/import.c: importing and changing the chain through the handle, in the caller's thread. */
#include "loadblock/import.h"

#include <string.h>

#include "api/handle.h"

void lode_import_options_init(lode_import_options *options)
{
    if (!options)
        return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

lode_status lode_import_options_take(lode_import_options *o, const lode_import_options *given, const char *function)
{
    lode_import_options_init(o);
    if (given) {
        if (given->size < sizeof given->size)
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: options are not initialised: call lode_import_options_init",
                             function);
        lode_take_options(o, given, sizeof *o);
    }
    if (o->path_count && !o->paths)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: paths are missing", function);
    for (size_t i = 0; i < o->path_count; i++)
        if (!o->paths[i])
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: a path is NULL", function);
    return lode_ok();
}

/* Between the import and its caller's callback: readers are shown what has reached the disk. */
typedef struct progress_bridge {
    lode *h;
    const lode_import_options *given;
} progress_bridge;

static void on_progress(void *context, const lode_progress *progress)
{
    progress_bridge *b = context;

    lode_handle_take_wishes(b->h);
    lode_ignore(lode_publisher_follow(&b->h->publisher, b->h->chain)); /* the next time, then */
    if (b->given->on_progress)
        b->given->on_progress(b->given->context, progress);
}

static void on_rejection(void *context, const lode_rejection *rejection)
{
    progress_bridge *b = context;
    b->given->on_rejection(b->given->context, rejection);
}

static void on_notice(void *context, const char *line)
{
    progress_bridge *b = context;
    b->given->on_notice(b->given->context, line);
}

lode_status lode_handle_import(lode *h, const lode_import_options *given, lode_import_result *result)
{
    progress_bridge bridge = { h, given };
    lode_import_options o = *given;
    lode_status s;

    o.context = &bridge;
    o.on_progress = on_progress;
    o.on_rejection = given->on_rejection ? on_rejection : NULL;
    o.on_notice = given->on_notice ? on_notice : NULL;
    *result = (lode_import_result){ .size = sizeof *result };
    LODE_TRY(lode_publisher_begin_import(&h->publisher, h->chain));
    h->tells_events_at_once = true;
    s = lode_import_run(h->chain, &o, h->stop_at_height, result);
    h->tells_events_at_once = false;
    lode_publisher_end_import(&h->publisher);
    return s;
}

lode_status lode_import(lode *h, const lode_import_options *given, lode_import_result *result)
{
    lode_import_options o;
    lode_import_result full;
    lode_status s;

    if (result)
        LODE_NEEDS_SIZE(result);
    LODE_TRY(lode_import_options_take(&o, given, __func__));
    LODE_TRY(lode_handle_begin(h, __func__, false));
    s = lode_handle_import(h, &o, &full);
    s = lode_handle_end(h, s);
    if (result)
        LODE_PUT_RESULT(result, full);
    return s;
}

lode_status lode_submit_block(lode *h, lode_submit_result *result, const void *block, size_t len)
{
    lode_submit_result full = { .size = sizeof full };
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(block || !len, "no block");
    LODE_TRY(lode_handle_begin(h, __func__, false));
    s = lode_handle_end(h, lode_import_one(h->chain, &full, block, len));
    LODE_PUT_RESULT(result, full);
    return s;
}

lode_status lode_submit_header(lode *h, lode_submit_result *result, const void *header, size_t len)
{
    lode_submit_result full = { .size = sizeof full };
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(header && len == LODE_HEADER_SIZE, "a header is 80 bytes");
    LODE_TRY(lode_handle_begin(h, __func__, false));
    s = lode_handle_end(h, lode_import_header(h->chain, &full, header));
    LODE_PUT_RESULT(result, full);
    return s;
}

lode_status lode_check_block(lode *h, lode_submit_result *result, const void *block, size_t len, int flags)
{
    lode_submit_result full = { .size = sizeof full };
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(block || !len, "no block");
    LODE_NEEDS(!(flags & ~LODE_WITHOUT_WORK), "unknown flags");
    LODE_TRY(lode_handle_begin(h, __func__, false));
    s = lode_handle_end(h, lode_import_try(h->chain, &full, block, len, !(flags & LODE_WITHOUT_WORK)));
    LODE_PUT_RESULT(result, full);
    return s;
}

lode_status lode_check_block_alone(lode *h, lode_submit_result *result, const void *block, size_t len, int flags)
{
    lode_submit_result full = { .size = sizeof full };

    LODE_NEEDS(h, "no handle");
    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(block || !len, "no block");
    LODE_NEEDS(!(flags & ~LODE_WITHOUT_WORK), "unknown flags");
    LODE_TRY(lode_import_judge_alone(&full, &h->chain->params, block, len, !(flags & LODE_WITHOUT_WORK)));
    LODE_PUT_RESULT(result, full);
    return lode_ok();
}

lode_status lode_flush(lode *h)
{
    LODE_TRY(lode_handle_begin(h, __func__, false));
    return lode_handle_end(h, h->chain->tip ? lode_handle_flush(h) : lode_ok());
}

lode_status lode_set_cache_bytes(lode *h, uint64_t bytes)
{
    LODE_NEEDS(h, "no handle");
    LODE_NEEDS(bytes >= LODE_HANDLE_CACHE_LEAST, "at least 4 MiB");
    if (bytes > SIZE_MAX / 2)
        bytes = SIZE_MAX / 2;
    __atomic_store_n(&h->wanted_cache, bytes, __ATOMIC_RELEASE);
    return lode_ok(); /* the writer takes it at its next step */
}

typedef lode_status (*entry_function)(lode_chain *chain, lode_entry *entry);

static lode_status with_entry(lode *h, int *found, const uint8_t hash[32], const char *function, entry_function act)
{
    lode_block_hash wanted;
    lode_entry *entry;
    lode_status s = lode_ok();

    LODE_NEEDS(found && hash, "an argument is NULL");
    LODE_TRY(lode_handle_begin(h, function, false));
    memcpy(wanted.bytes, hash, 32);
    entry = lode_block_index_find(h->chain->index, &wanted);
    *found = entry != NULL;
    if (entry)
        s = act(h->chain, entry);
    return lode_handle_end(h, s);
}

lode_status lode_invalidate_block(lode *h, int *found, const uint8_t hash[32])
{
    return with_entry(h, found, hash, __func__, lode_import_invalidate);
}

lode_status lode_reconsider_block(lode *h, int *found, const uint8_t hash[32])
{
    return with_entry(h, found, hash, __func__, lode_import_reconsider);
}
