/* loadblock/input.h: which files an import reads, in which order, and how their bytes are decoded. */
#ifndef LODE_LOADBLOCK_INPUT_H
#define LODE_LOADBLOCK_INPUT_H

#include "support/bytes.h"
#include "support/env.h"

typedef struct lode_input {
    char *path;        /* owned; "-" is standard input */
    uint64_t size;     /* bytes; 0 for standard input */
    uint8_t key[8];    /* XOR by file offset; zeros: plain */
    bool has_key;      /* the key is not all zeros */
    bool is_stream;    /* standard input or a pipe: read once, in order */
    int64_t number;    /* N of blkN.dat, or -1 */
    int32_t own_file;  /* number among our own block files (reindex), or -1 */
} lode_input;

typedef struct lode_inputs {
    lode_input *items;
    size_t count, capacity;
    uint64_t total_bytes;   /* 0 when a stream is among them */
    bool has_stream;
    uint64_t missing_count; /* numbers left out of numbered sets */
    lode_buf missing;       /* their names, one a line */
} lode_inputs;

/* Every path is looked at (and opened once) before anything else happens: the first that cannot be read is the error.
 * Directories give their blkNNNNN.dat in numeric order; a directory without any is LODE_MISSING.
 * xor_key: 8 bytes for all inputs, or NULL: xor.dat beside each file when there is one. */
lode_status lode_inputs_collect(lode_inputs *inputs, lode_env *env, const char *const *paths, size_t count, const uint8_t *xor_key);
/* All of `more` behind what is there; `more` is empty then. */
lode_status lode_inputs_append(lode_inputs *inputs, lode_inputs *more);
void lode_inputs_clear(lode_inputs *inputs);

/* data was read from `offset` of the file: undo the key in place. */
void lode_input_decode(const lode_input *input, uint8_t *data, size_t len, uint64_t offset);

#endif
