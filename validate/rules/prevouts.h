/* validate/rules/prevouts.h: does one transaction name a prevout twice? For tx.c only. */
#ifndef LODE_VALIDATE_PREVOUTS_H
#define LODE_VALIDATE_PREVOUTS_H

#include "primitives/tx.h"

/* False when memory is out. Time grows with count * log(count) at worst, whatever the prevouts are. */
bool lode_prevouts_find_repeat(bool *found, const lode_txin *inputs, size_t count, lode_arena *arena);

#endif
