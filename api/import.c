/* api/import.c: importing and submitting through the handle. */
#include <string.h>

#include "api/handle.h"
#include "loadblock/import.h"

void lode_import_options_init(lode_import_options *options)
{
    if (!options)
        return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

static lode_status check_writer(const lode *h)
{
    LODE_NEEDS(h, "no handle");
    LODE_NEEDS(!h->read_only, "the directory was opened for reading");
    return lode_ok();
}

/* A request to stop ends one call. */
static lode_status end_call(lode *h, lode_status s)
{
    if (s.code == LODE_CANCELLED)
        __atomic_store_n(&h->chain->interrupted, 0, __ATOMIC_RELAXED);
    s = lode_handle_tell(h, s);
    lode_mutex_unlock(&h->lock);
    return s;
}

lode_status lode_import(lode *h, const lode_import_options *given, lode_import_result *result)
{
    lode_import_options o;
    lode_import_result local;
    lode_status s;

    LODE_TRY(check_writer(h));
    lode_import_options_init(&o);
    if (given) {
        LODE_NEEDS(given->size, "options are not initialised: call lode_import_options_init");
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    }
    LODE_NEEDS(!o.path_count || o.paths, "paths are missing");
    for (size_t i = 0; i < o.path_count; i++)
        LODE_NEEDS(o.paths[i], "a path is NULL");
    lode_mutex_lock(&h->lock);
    s = lode_handle_check(h);
    if (!lode_failed(s))
        s = lode_import_run(h->chain, &o, h->stop_at_height, result ? result : &local);
    return end_call(h, s);
}

lode_status lode_submit_block(lode *h, lode_submit_result *result, const void *block, size_t len)
{
    lode_status s;
    LODE_TRY(check_writer(h));
    LODE_NEEDS(result, "nowhere to put the verdict");
    LODE_NEEDS(block || !len, "no block");
    lode_mutex_lock(&h->lock);
    s = lode_handle_check(h);
    if (!lode_failed(s))
        s = lode_import_one(h->chain, result, block, len);
    return end_call(h, s);
}

lode_status lode_flush(lode *h)
{
    lode_status s;
    LODE_TRY(check_writer(h));
    lode_mutex_lock(&h->lock);
    s = lode_handle_check(h);
    if (!lode_failed(s) && h->chain->tip)
        s = lode_handle_flush(h);
    return end_call(h, s);
}

typedef lode_status (*entry_function)(lode_chain *chain, lode_entry *entry);

static lode_status with_entry(lode *h, int *found, const uint8_t hash[32], entry_function act)
{
    lode_block_hash wanted;
    lode_entry *entry;
    lode_status s;

    LODE_TRY(check_writer(h));
    LODE_NEEDS(found && hash, "an argument is NULL");
    memcpy(wanted.bytes, hash, 32);
    lode_mutex_lock(&h->lock);
    s = lode_handle_check(h);
    if (!lode_failed(s)) {
        entry = lode_block_index_find(h->chain->index, &wanted);
        *found = entry != NULL;
        if (entry)
            s = act(h->chain, entry);
    }
    return end_call(h, s);
}

lode_status lode_invalidate_block(lode *h, int *found, const uint8_t hash[32])
{
    return with_entry(h, found, hash, lode_import_invalidate);
}

lode_status lode_reconsider_block(lode *h, int *found, const uint8_t hash[32])
{
    return with_entry(h, found, hash, lode_import_reconsider);
}
