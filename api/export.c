/* api/export.c: the coin set into files, through the handle. */
#include <stdlib.h>

#include "api/handle.h"
#include "query/export.h"
#include "snapshot/coin_file.h"
#include "snapshot/earlier_coins.h"

static lode_status find_block(const lode *h, lode_entry **entry, const char *at)
{
    *entry = h->chain->tip;
    return at ? lode_chain_find_named(entry, h->chain, at) : lode_ok();
}

static void fill(lode_export_result *result, const lode_entry *entry, uint64_t coins)
{
    lode_export_result full = { .size = sizeof full, .coins = coins, .height = entry->node.height };

    lode_hash_to_hex(full.block, entry->node.hash.bytes);
    LODE_PUT_RESULT(result, full);
}

lode_status lode_export_coins(lode *h, lode_export_result *result, const char *format, const char *path, const char *at)
{
    lode_export_format f;
    lode_entry *entry = NULL;
    uint64_t count = 0;
    lode_status s;

    LODE_NEEDS(path && *path, "no path");
    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(format && lode_export_format_from_name(&f, format), "the formats are csv, jsonl and sqlite");
    LODE_TRY(lode_handle_lock_for_walk(h, result, __func__));
    s = find_block(h, &entry, at);
    if (!lode_failed(s))
        s = lode_coins_export(&count, h->chain, entry, f, path);
    if (!lode_failed(s))
        fill(result, entry, count);
    return lode_handle_end_answer(h, s);
}

lode_status lode_dump_coins(lode *h, lode_export_result *result, const char *path, const char *at)
{
    lode_dump_info info;
    lode_entry *entry = NULL;
    lode_status s;

    LODE_NEEDS(path && *path, "no path");
    LODE_NEEDS_SIZE(result);
    LODE_TRY(lode_handle_lock_for_walk(h, result, __func__));
    s = find_block(h, &entry, at);
    if (!lode_failed(s))
        s = lode_coins_dump(&info, h->chain, entry, path);
    if (!lode_failed(s))
        fill(result, entry, info.coins);
    return lode_handle_end_answer(h, s);
}
