/* bench/sync/stand_in.h: a storage engine of others in the place of Lode's store. */
#ifndef LODE_BENCH_SYNC_STAND_IN_H
#define LODE_BENCH_SYNC_STAND_IN_H

#include "bench/engines/engine.h"
#include "storage/format.h"
#include "support/status.h"

/* What stands where in a process: set before anything is opened, constant afterwards. */
typedef struct lode_stand_in_wish {
    const lode_engine *engine;     /* NULL: Lode's own store, with the settings below */
    lode_engine_settings settings; /* of each database */
    bool sync;                     /* false: no write waits for the disk, whatever it asks for */
} lode_stand_in_wish;
extern lode_stand_in_wish lode_stand_in_wished;

/* One database: the calls of lode/store.h that the coins and the transaction index make. An engine that fails ends the
 * process, so only what lode/store.h itself may refuse is a status.
 * Threads: any number that read, one at a time that writes; an engine that cannot do that is locked around each call.
 */
typedef struct lode_stand_in lode_stand_in;
lode_stand_in *lode_stand_in_open(const char *path);
void lode_stand_in_close(lode_stand_in *db);
void lode_stand_in_destroy(const char *path);

/* All or nothing where the engine has batches. */
lode_status lode_stand_in_write(lode_stand_in *db, const lode_batch *batch, bool sync);
/* visit is called for each key that is there, in order of keys. */
void lode_stand_in_get(lode_stand_in *db, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *context);

/* The order of keys. */
static inline int lode_stand_in_compare(lode_bytes a, lode_bytes b)
{
    return lode_compare_bytes(lode_slice_of(a.data, a.len), lode_slice_of(b.data, b.len));
}

/* In order of keys: of an engine without order all entries are taken into memory and sorted. */
typedef struct lode_stand_in_cursor lode_stand_in_cursor;
lode_stand_in_cursor *lode_stand_in_cursor_create(lode_stand_in *db);
void lode_stand_in_cursor_destroy(lode_stand_in_cursor *cursor);
void lode_stand_in_cursor_seek(lode_stand_in_cursor *cursor, lode_bytes key);
void lode_stand_in_cursor_next(lode_stand_in_cursor *cursor);
/* NULL at the end. Lent until the cursor moves. */
const lode_engine_entry *lode_stand_in_cursor_entry(const lode_stand_in_cursor *cursor);

#endif
