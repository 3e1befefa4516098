/* snapshot/coin_file_reader.h: a coin file, believed in nothing. */
#ifndef LODE_SNAPSHOT_COIN_FILE_READER_H
#define LODE_SNAPSHOT_COIN_FILE_READER_H

#include "snapshot/coin_file.h"

typedef struct lode_coin_file_reader lode_coin_file_reader;

/* Reads and checks the header.
 * Out:     *out  given: lode_coin_file_reader_close.
 * Errors:  LODE_CORRUPT when the file is no coin file of this network, LODE_MISSING, LODE_IO. */
lode_status lode_coin_file_reader_open(lode_coin_file_reader **out, lode_env *env, const char *path,
                                       const lode_chain_params *params);
void lode_coin_file_reader_close(lode_coin_file_reader *r); /* closing NULL does nothing */

const lode_coin_file_header *lode_coin_file_reader_header(const lode_coin_file_reader *r);
uint64_t lode_coin_file_reader_size(const lode_coin_file_reader *r); /* bytes of the file */

/* The next coin, in key order. *found false once as many have come as the header says, and nothing follows them.
 * Out:     view  lent until the next call.
 * Errors:  LODE_CORRUPT: the file ends early or goes on, counts do not fit, keys are not in order, or a coin does not
 *          decode, is worth more than can exist, or is younger than max_height. */
lode_status lode_coin_file_reader_next(lode_coin_file_reader *r, bool *found, uint8_t prevout[36], lode_coin_view *view,
                                       uint32_t max_height);

#endif
