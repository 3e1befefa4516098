/* test/fuzz/fuzz.h: what every fuzz target is made of.
 *
 * A target is one file with LLVMFuzzerTestOneInput, which hands bytes to a decoder and holds what comes back against
 * an identity. With --enable-fuzz (clang) it becomes a libFuzzer program; else replay.c feeds it its corpus, every
 * prefix of each file and each file with every byte changed, as part of `make check`.
 */
#ifndef LODE_TEST_FUZZ_H
#define LODE_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A broken identity: libFuzzer and the replay both report an abort, with the input. */
#define FUZZ_CHECK(x)                                                                                                  \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
