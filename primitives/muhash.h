/* primitives/muhash.h: MuHash3072, the set hash whose order of additions does not matter (Core's crypto/muhash). */
#ifndef LODE_PRIMITIVES_MUHASH_H
#define LODE_PRIMITIVES_MUHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct lode_num3072 {
    uint64_t limbs[48]; /* little endian, below 2^3072 */
} lode_num3072;

typedef struct lode_muhash {
    lode_num3072 numerator;
    lode_num3072 denominator;
} lode_muhash;

void lode_muhash_init(lode_muhash *m);
void lode_muhash_insert(lode_muhash *m, const void *data, size_t len);
void lode_muhash_remove(lode_muhash *m, const void *data, size_t len);
void lode_muhash_combine(lode_muhash *m, const lode_muhash *other); /* union: what threads made in parts */
void lode_muhash_final(uint8_t out[32], const lode_muhash *m);

#endif
