/* storage/log_writer.h: appends records to a log or manifest. */
#ifndef LODE_STORAGE_LOG_WRITER_H
#define LODE_STORAGE_LOG_WRITER_H

#include "support/bytes.h"
#include "support/env.h"

typedef struct lode_log_writer lode_log_writer;

/* A new, empty file; LODE_EXISTS if there is one. With `may_map` small records are stored into mapped room instead of
 * written with a call each; the room that is left over reads as zeros, and is cut off at close. */
lode_status lode_log_writer_create(lode_log_writer **out, lode_env *env, const char *path, bool may_map);
/* A record that goes out with the next append, in one write. */
void lode_log_writer_add(lode_log_writer *w, lode_slice record);
/* One record. After a failure every later call fails the same way: what stands in the file is no longer known. */
lode_status lode_log_writer_append(lode_log_writer *w, lode_slice record);
lode_status lode_log_writer_sync(lode_log_writer *w);
uint64_t lode_log_writer_bytes(const lode_log_writer *w);
void lode_log_writer_close(lode_log_writer *w); /* NULL does nothing; nothing is synced */

#endif
