/* primitives/amount.h: money, in satoshis, with checked sums. */
#ifndef LODE_PRIMITIVES_AMOUNT_H
#define LODE_PRIMITIVES_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lode_amount {
    int64_t sat;
} lode_amount;

#define LODE_COIN INT64_C(100000000)
#define LODE_MAX_MONEY (INT64_C(21000000) * LODE_COIN) /* Core's MAX_MONEY */

static inline bool lode_amount_is_money(lode_amount a)
{
    return a.sat >= 0 && a.sat <= LODE_MAX_MONEY;
}
/* False when the sum wraps or is not money; *total is then unspecified. */
static inline bool lode_amount_add(lode_amount *total, lode_amount a)
{
    return !__builtin_add_overflow(total->sat, a.sat, &total->sat) && lode_amount_is_money(*total);
}

#endif
