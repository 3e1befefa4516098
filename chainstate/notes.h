/* chainstate/notes.h: a small text file in `lode/`: what Lode remembers and Core has no place for.
 *
 *     lode notes 1
 *     scripts=5c1d95eab9218b4f6a04e00a7c0efaab0f8d231703e850efc2496de9946cf192
 *     rules=a3f0
 *     check=1f3c77a0
 *
 * `check` is the first four bytes of SHA-256 over all that stands before it. A file that is absent, damaged or of
 * another version is no error: then nothing is known, and what depended on it is done again. So every note must be one
 * whose loss costs time only.
 */
#ifndef LODE_CHAINSTATE_NOTES_H
#define LODE_CHAINSTATE_NOTES_H

#include "chainstate/block_index.h"
#include "chainstate/directory.h"

typedef struct lode_notes lode_notes;

/* `directory` is kept. Reading only: also when the directory is read-only. Errors: LODE_NO_MEMORY, LODE_IO. */
lode_status lode_notes_open(lode_notes **out, const lode_directory *directory, const char *name);
void lode_notes_close(lode_notes *notes); /* does not write */

const char *lode_notes_get(const lode_notes *notes, const char *key); /* lent until the next set; NULL: not known */
/* key: letters, digits, '_', '-', '.', at most 64. value: printable ASCII, at most 1000. NULL value: forget. */
lode_status lode_notes_set(lode_notes *notes, const char *key, const char *value);
/* A note that is a block hash: its entry, or NULL when it is not known, not a hash, or not in this index. */
lode_entry *lode_notes_get_block(const lode_notes *notes, const char *key, const lode_block_index *index);
lode_status lode_notes_set_block(lode_notes *notes, const char *key, const lode_block_hash *hash);
/* Atomic and durable. Costs nothing when nothing changed since open or the last write. */
lode_status lode_notes_write(lode_notes *notes);

#endif
