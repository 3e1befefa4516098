/* bench/lode-genchain-out.c: where lode-genchain's blocks go.
 *
 * Room:     frames blocks (magic, length), cuts a directory into files of 128 MiB, obfuscates, shuffles.
 * Touches:  the files named by its path. Shuffling keeps all blocks in a file beside them, which is removed.
 * Promise:  memory does not grow with the chain but for 16 bytes a block.
 */
#include "bench/lode-genchain-out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/chain/random.h"
#include "support/bytes.h"

#define FILE_LIMIT UINT64_C(0x8000000) /* Core's MAX_BLOCKFILE_SIZE */
#define FRAME 8

typedef struct lode_block_place {
    uint64_t offset; /* in the file of all blocks */
    uint32_t size;
    uint64_t rank; /* blocks are written by this */
} lode_block_place;

struct lode_block_out {
    lode_block_out_options options;
    bool is_directory;
    FILE *file;
    uint64_t file_bytes;
    uint32_t file_number;
    uint64_t bytes;
    uint8_t *scratch;
    size_t scratch_capacity;
    /* shuffling */
    FILE *pile;
    char *pile_path;
    uint64_t pile_bytes;
    lode_block_place *places;
    size_t place_count, place_capacity;
};

static lode_status open_next(lode_block_out *o)
{
    char path[4096];

    if (o->file && fclose(o->file) != 0) {
        o->file = NULL;
        return lode_fail_errno(errno, "%s: cannot be closed", o->options.path);
    }
    if (o->is_directory)
        snprintf(path, sizeof path, "%s/blk%05u.dat", o->options.path, o->file_number++);
    else
        snprintf(path, sizeof path, "%s", o->options.path);
    o->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    o->file_bytes = 0;
    return o->file ? lode_ok() : lode_fail_errno(errno, "%s: cannot be written", path);
}

static lode_status write_xor_key(const lode_block_out *o)
{
    char path[4096];
    FILE *f;
    bool good;

    snprintf(path, sizeof path, "%s/xor.dat", o->options.path);
    f = fopen(path, "wb");
    if (!f)
        return lode_fail_errno(errno, "%s: cannot be written", path);
    good = fwrite(o->options.xor_key, 1, 8, f) == 8;
    good = fclose(f) == 0 && good;
    return good ? lode_ok() : lode_fail_errno(errno, "%s: cannot be written", path);
}

static lode_status open_directory(lode_block_out *o)
{
    const char *path = o->options.path;
    struct stat info;

    o->is_directory = path[strlen(path) - 1] == '/' || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
    if (!o->is_directory)
        return o->options.has_xor_key
                   ? lode_fail(LODE_INVALID_ARGUMENT, "%s: a key needs a directory to stand in", path)
                   : lode_ok();
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return lode_fail_errno(errno, "%s: cannot be created", path);
    return o->options.has_xor_key ? write_xor_key(o) : lode_ok();
}

static lode_status open_pile(lode_block_out *o)
{
    size_t len = strlen(o->options.path) + 32;

    if (strcmp(o->options.path, "-") == 0) {
        o->pile = tmpfile();
        return o->pile ? lode_ok() : lode_fail_errno(errno, "no temporary file for shuffling");
    }
    o->pile_path = (char *)malloc(len);
    if (!o->pile_path)
        return lode_fail(LODE_NO_MEMORY, "no memory for a path");
    snprintf(o->pile_path, len, o->is_directory ? "%s/unshuffled.part" : "%s.part", o->options.path);
    o->pile = fopen(o->pile_path, "w+b");
    return o->pile ? lode_ok() : lode_fail_errno(errno, "%s: cannot be written", o->pile_path);
}

lode_status lode_block_out_open(lode_block_out **out, const lode_block_out_options *options)
{
    lode_block_out *o = (lode_block_out *)calloc(1, sizeof *o);
    lode_status s;

    *out = NULL;
    if (!o)
        return lode_fail(LODE_NO_MEMORY, "no memory for the output");
    o->options = *options;
    s = open_directory(o);
    if (!lode_failed(s))
        s = open_next(o);
    if (!lode_failed(s) && options->shuffle_window > 1)
        s = open_pile(o);
    if (lode_failed(s)) {
        lode_block_out_close(o);
        return s;
    }
    *out = o;
    return lode_ok();
}

void lode_block_out_close(lode_block_out *o)
{
    if (!o)
        return;
    if (o->file && o->file != stdout)
        fclose(o->file);
    if (o->pile)
        fclose(o->pile);
    if (o->pile_path)
        unlink(o->pile_path);
    free(o->pile_path);
    free(o->places);
    free(o->scratch);
    free(o);
}

uint64_t lode_block_out_bytes(const lode_block_out *o)
{
    return o->bytes;
}

static lode_status reserve_scratch(lode_block_out *o, size_t size)
{
    if (o->scratch_capacity >= size)
        return lode_ok();
    free(o->scratch);
    o->scratch_capacity = 0;
    o->scratch = (uint8_t *)malloc(size * 2);
    if (!o->scratch)
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %zu bytes", size);
    o->scratch_capacity = size * 2;
    return lode_ok();
}

/* Bytes of scratch from FRAME on are the block. */
static lode_status write_framed(lode_block_out *o, uint32_t size)
{
    static const uint8_t magic[4] = { 0xfa, 0xbf, 0xb5, 0xda };
    uint8_t *frame = o->scratch;

    memcpy(frame, magic, 4);
    lode_write_le32(frame + 4, size);
    if (o->is_directory && o->file_bytes && o->file_bytes + FRAME + size > FILE_LIMIT)
        LODE_TRY(open_next(o));
    for (size_t i = 0; o->options.has_xor_key && i < FRAME + size; i++)
        frame[i] ^= o->options.xor_key[(o->file_bytes + i) % 8];
    if (fwrite(frame, 1, FRAME + size, o->file) != FRAME + size)
        return lode_fail_errno(errno, "%s: cannot be written", o->options.path);
    o->file_bytes += FRAME + size;
    return lode_ok();
}

/* Block i goes to where i and a random number below the window say: no block is more than a window out of place, as
 * nodes download at most that far ahead of what they lack. Genesis, which no node downloads, stays first. */
static lode_status add_place(lode_block_out *o, uint32_t size)
{
    uint64_t noise = lode_mix64(o->options.seed ^ lode_mix64(o->place_count));

    if (o->place_count == o->place_capacity) {
        size_t capacity = o->place_capacity ? o->place_capacity * 2 : 1024;
        lode_block_place *places = (lode_block_place *)realloc(o->places, capacity * sizeof *places);

        if (!places)
            return lode_fail(LODE_NO_MEMORY, "no memory for the places of %zu blocks", capacity);
        o->places = places;
        o->place_capacity = capacity;
    }
    o->places[o->place_count] = (lode_block_place){
        .offset = o->pile_bytes,
        .size = size,
        .rank = o->place_count ? o->place_count + noise % o->options.shuffle_window : 0,
    };
    o->place_count++;
    return lode_ok();
}

lode_status lode_block_out_add(lode_block_out *o, const lode_made_block *block)
{
    o->bytes += FRAME + block->size;
    if (!o->pile) {
        LODE_TRY(reserve_scratch(o, FRAME + (size_t)block->size));
        memcpy(o->scratch + FRAME, block->raw, block->size);
        return write_framed(o, block->size);
    }
    LODE_TRY(add_place(o, block->size));
    if (fwrite(block->raw, 1, block->size, o->pile) != block->size)
        return lode_fail_errno(errno, "%s: cannot be written", o->pile_path ? o->pile_path : "temporary file");
    o->pile_bytes += block->size;
    return lode_ok();
}

static int compare_places(const void *a, const void *b)
{
    const lode_block_place *x = (const lode_block_place *)a, *y = (const lode_block_place *)b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static lode_status write_shuffled(lode_block_out *o)
{
    qsort(o->places, o->place_count, sizeof *o->places, compare_places);
    for (size_t i = 0; i < o->place_count; i++) {
        const lode_block_place *p = &o->places[i];

        LODE_TRY(reserve_scratch(o, FRAME + (size_t)p->size));
        if (fseeko(o->pile, (off_t)p->offset, SEEK_SET) != 0 ||
            fread(o->scratch + FRAME, 1, p->size, o->pile) != p->size)
            return lode_fail_errno(errno, "%s: cannot be read back", o->pile_path ? o->pile_path : "temporary file");
        LODE_TRY(write_framed(o, p->size));
    }
    return lode_ok();
}

lode_status lode_block_out_finish(lode_block_out *o)
{
    if (o->pile)
        LODE_TRY(write_shuffled(o));
    if (fflush(o->file) != 0)
        return lode_fail_errno(errno, "%s: cannot be written", o->options.path);
    return lode_ok();
}
