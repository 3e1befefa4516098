/* test/validate/script_maker.h: random transactions whose scripts mostly make sense.
 *
 * Each has one input worth looking at. Its script is a row of phrases (a check of a signature, arithmetic, a branch,
 * now and then noise), wrapped as any kind of output; the signatures are real, then sometimes damaged. The same seed
 * gives the same spend.
 */
#ifndef LODE_TEST_SCRIPT_MAKER_H
#define LODE_TEST_SCRIPT_MAKER_H

#include "test/validate/script_keys.h"
#include "validate/script/sigcheck.h"

enum { MAKER_MAX_INPUTS = 4, MAKER_MAX_OUTPUTS = 4, MAKER_MAX_ITEMS = 64, MAKER_MAX_MARKS = 64 };

typedef struct maker_mark {
    uint8_t bytes[71]; /* what stands in the scripts until the signature is known */
    uint8_t sig[71];
    size_t len; /* 71, 64 or 65 */
    unsigned key;
    bool is_signed;
} maker_mark;

typedef struct maker {
    uint64_t random;

    lode_tx tx;
    lode_txin inputs[MAKER_MAX_INPUTS];
    lode_txout outputs[MAKER_MAX_OUTPUTS];
    lode_txout spent[MAKER_MAX_INPUTS];
    uint8_t prevouts[MAKER_MAX_INPUTS][36];
    uint8_t filler[600];
    uint32_t input; /* the one worth looking at */

    /* how it is wrapped */
    bool is_v0, is_tapscript, within_p2sh, is_bare;
    lode_buf script;                 /* what runs in the end */
    lode_buf items[MAKER_MAX_ITEMS]; /* its first stack, bottom first */
    size_t item_count;
    lode_buf control, annex, redeem, script_pubkey, script_sig, witness;

    maker_mark marks[MAKER_MAX_MARKS];
    size_t mark_count;
} maker;

void maker_make(maker *m, uint64_t seed);
void maker_clear(maker *m);
uint64_t maker_random(maker *m, uint64_t below);
/* The whole transaction as it goes over the wire. */
void maker_serialize(lode_buf *out, const maker *m);

#endif
