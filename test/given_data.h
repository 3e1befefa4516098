/* test/given_data.h: what Bitcoin Core answered, read from $LODE_DATA or ../shared/data beside the sources.
 *
 * Nothing from there is committed, so a test says that it is absent and skips those cases.
 */
#ifndef LODE_TEST_GIVEN_DATA_H
#define LODE_TEST_GIVEN_DATA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole of a file, given (free it), or NULL after a line that says it is absent. */
static inline uint8_t *given_data_read(const char *name, size_t *len)
{
    const char *directory = getenv("LODE_DATA"), *source = getenv("srcdir");
    char path[1024];

    if (directory)
        snprintf(path, sizeof path, "%s/%s", directory, name);
    else
        snprintf(path, sizeof path, "%s/../shared/data/%s", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("given data is absent, skipped: %s\n", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc((size_t)size + 1);
    if (data && fread(data, 1, (size_t)size, file) == (size_t)size)
        data[size] = 0;
    else
        exit(99); /* a hard error, in automake's numbers */
    fclose(file);
    *len = (size_t)size;
    return data;
}

/* The next block of a plain block file, in place: 4 bytes of magic, length, block. False at the end. */
static inline int given_data_next_block(const uint8_t *file, size_t len, size_t *at, const uint8_t **block,
                                        size_t *size)
{
    if (len - *at < 8)
        return 0;
    const uint8_t *p = file + *at;
    size_t n = (size_t)p[4] | (size_t)p[5] << 8 | (size_t)p[6] << 16 | (size_t)p[7] << 24;
    if (n == 0 || n > len - *at - 8)
        return 0;
    *block = p + 8;
    *size = n;
    *at += 8 + n;
    return 1;
}

#endif
