/* api/load.c: a coin snapshot into the directory, through the handle. */
#include <string.h>

#include "api/handle.h"
#include "snapshot/load.h"

lode_status lode_load_coins(lode *h, lode_load_result *result, const char *path, const char *trusted)
{
    lode_load_info info;
    uint8_t hash[32];
    lode_status s;

    LODE_NEEDS(path && *path, "no path");
    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(!trusted || lode_hash_from_hex(hash, trusted), "a hash is 64 hexadecimal digits");
    LODE_NEEDS(!h || !h->read_only, "the handle was opened for reading");
    LODE_TRY(lode_handle_lock_for_walk(h, result, __func__));
    s = lode_coins_load_file(&info, h->chain, path, trusted ? hash : NULL);
    if (!lode_failed(s)) {
        lode_load_result full = {
            .size = sizeof full, .coins = info.coins, .height = info.base->node.height, .is_cores = info.is_cores
        };
        __atomic_store_n(&h->is_broken, LODE_HANDLE_HAS_LOADED, __ATOMIC_RELEASE);
        lode_hash_to_hex(full.block, info.base->node.hash.bytes);
        LODE_PUT_RESULT(result, full);
    }
    return lode_handle_end_answer(h, s);
}
