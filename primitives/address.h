/* primitives/address.h: Base58Check, and segwit addresses in Bech32 and Bech32m (BIP 173, BIP 350). */
#ifndef LODE_PRIMITIVES_ADDRESS_H
#define LODE_PRIMITIVES_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LODE_BASE58_PAYLOAD_MAX 128
#define LODE_BASE58_TEXT_MAX 184 /* of the longest payload with its checksum, NUL included */
#define LODE_SEGWIT_TEXT_MAX 91  /* BIP 173: 90 characters */

/* Base58 of payload and the first four bytes of its double SHA-256. False when the payload is longer than
 * LODE_BASE58_PAYLOAD_MAX; out is then empty. */
bool lode_base58check_encode(char out[LODE_BASE58_TEXT_MAX], const uint8_t *payload, size_t len);

/* Version 0 in Bech32, 1 to 16 in Bech32m. False, and out empty, unless the program has 2 to 40 bytes and the whole
 * fits in 90 characters. `prefix` is lower case. */
bool lode_segwit_address_encode(char out[LODE_SEGWIT_TEXT_MAX], const char *prefix, int version, const uint8_t *program,
                                size_t len);

/* The payload without its checksum, at most `capacity` bytes. False when the text is not Base58, its checksum does not
 * fit, or it is longer. */
bool lode_base58check_decode(uint8_t *payload, size_t *len, size_t capacity, const char *text);
/* Version and program of a segwit address with this prefix, in either case but not mixed. False when it is none. */
bool lode_segwit_address_decode(int *version, uint8_t program[40], size_t *len, const char *prefix, const char *text);

#endif
