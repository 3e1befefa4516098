/* storage/log_reader.h: reads the records of a log or manifest. */
#ifndef LODE_STORAGE_LOG_READER_H
#define LODE_STORAGE_LOG_READER_H

#include "support/bytes.h"
#include "support/env.h"

typedef struct lode_log_reader lode_log_reader;

lode_status lode_log_reader_open(lode_log_reader **out, lode_env *env, const char *path);

/* For repair: damage is passed over, up to the next block, instead of being an error. */
void lode_log_reader_pass_over_damage(lode_log_reader *r);
uint64_t lode_log_reader_passed_over(const lode_log_reader *r); /* how often that happened */

/* Out:     found   false at the end, which may be a torn tail: a writer or the power died while it was written.
 *          record  lent until the next call. Marks (log_format.h) are records, too.
 * Errors:  LODE_CORRUPT with the offset when what is broken was whole once: a record begins after it, in a file without
 *          marks, or a mark comes after it. LODE_IO.
 */
lode_status lode_log_reader_next(lode_log_reader *r, bool *found, lode_slice *record);

/* This log was written with marks. */
void lode_log_reader_expect_marks(lode_log_reader *r);
/* So far: there was a mark after the first record, which vouches for older logs. */
bool lode_log_reader_vouches(const lode_log_reader *r);

/* After the end: the file has a torn tail, and *offset is where it begins. */
bool lode_log_reader_is_torn(const lode_log_reader *r, uint64_t *offset);

void lode_log_reader_close(lode_log_reader *r); /* NULL does nothing */

#endif
