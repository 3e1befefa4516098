/* test/validate/script_phrases.h: the pieces of which script_maker.c makes scripts. */
#ifndef LODE_TEST_SCRIPT_PHRASES_H
#define LODE_TEST_SCRIPT_PHRASES_H

#include "test/validate/script_maker.h"

void maker_put_push(lode_buf *out, lode_slice data);
void maker_put_minimal_push(lode_buf *out, lode_slice data);
/* A mark for a signature by key `key`, with a random hash type. */
void maker_put_mark(maker *m, lode_buf *out, unsigned key);
/* m->script and m->items, for how m is wrapped. */
void maker_put_phrases(maker *m);
/* A signature becomes wrong, or right in another way; other items become anything. */
void maker_damage_item(maker *m, lode_buf *item);

#endif
