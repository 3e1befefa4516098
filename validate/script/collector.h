/* validate/script/collector.h: script checks of many inputs, their signatures verified together.
 *
 * Scripts run at once and are told "valid" wherever they ask for a signature; digest, key and signature go into arrays.
 * When the arrays are full, or at the end, all are verified in bulk. The verdict is the immediate checker's, always:
 *
 *   - A script that ended well, all of whose collected signatures verify, saw only true answers, so its run was the
 * run.
 *   - Any other input is run again with immediate checks. That a signature is wrong need not fail the script
 *     (OP_CHECKSIG OP_NOT), nor need a script fail that failed while it was told "valid".
 *
 * Which inputs stand together changes no verdict.
 */
#ifndef LODE_VALIDATE_SCRIPT_COLLECTOR_H
#define LODE_VALIDATE_SCRIPT_COLLECTOR_H

#include "validate/script/sigcheck.h"

typedef struct lode_sig_collector lode_sig_collector;

/* Room for `capacity` signatures and as many inputs, at least 1; NULL when memory is out. given:
 * lode_sig_collector_destroy. One thread at a time. */
lode_sig_collector *lode_sig_collector_create(uint32_t capacity);
void lode_sig_collector_destroy(lode_sig_collector *collector);

/* One more input. hashes, its transaction and the spent outputs are kept until finish. */
void lode_sig_collector_add(lode_sig_collector *collector, const lode_tx_hashes *hashes, uint32_t input,
                            uint32_t flags);

/* Verifies what is left, and starts anew. False: *failed is the number of the first input that fails, counted in the
 * order of adding since the last finish, and *error why it fails. */
bool lode_sig_collector_finish(lode_sig_collector *collector, lode_script_error *error, uint64_t *failed);

#endif
