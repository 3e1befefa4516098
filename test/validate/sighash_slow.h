/* test/validate/sighash_slow.h: signature hashes the long way round, from the descriptions and with nothing shared. */
#ifndef LODE_TEST_SIGHASH_SLOW_H
#define LODE_TEST_SIGHASH_SLOW_H

#include "validate/script/sighash.h"

void slow_sighash_legacy(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice code, int32_t hash_type);
void slow_sighash_v0(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice code, int64_t value,
                     int32_t hash_type);

#endif
