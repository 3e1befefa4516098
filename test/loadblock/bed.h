/* test/loadblock/bed.h: a place to import in: files, an open handle, and everything that was told.
 *
 *     bed b;
 *     bed_init(&b, "regtest");                       files in memory; $LODE_TEST_DISK=1: in a folder of their own on
 * disk lode_buf file = LODE_BUF_EMPTY; bed_put_frame(&b, &file, &chain.blocks[1]); const char *path = bed_write(&b,
 * "blk00000.dat", &file); assert_ok(bed_import(&b, &path, 1));           opens when nothing is open bed_assert_tip(&b,
 * &chain.blocks[1]); bed_clear(&b);
 */
#ifndef LODE_TEST_BED_H
#define LODE_TEST_BED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lode.h"
#include "support/bytes.h"
#include "support/env.h"
#include "support/thread.h"
#include "test/loadblock/made_blocks.h"

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        lode_status assert_status_ = (call);                                                                           \
        if (assert_status_.code != LODE_OK)                                                                            \
            fail_msg("%s:%d: code %d: %s", __FILE__, __LINE__, assert_status_.code, assert_status_.text);              \
    } while (0)

#define assert_fails_with(expected, call)                                                                              \
    do {                                                                                                               \
        lode_status assert_status_ = (call);                                                                           \
        if (assert_status_.code != (int32_t)(expected))                                                                \
            fail_msg("%s:%d: code %d, not %d: %s", __FILE__, __LINE__, assert_status_.code, (int)(expected),           \
                     assert_status_.text);                                                                             \
    } while (0)

typedef struct bed_rejection {
    char file[256];
    uint64_t offset;
    char hash[65];
    int32_t height;
    char reason[128];
    char detail[256];
} bed_rejection;

/* What a chain state is, in numbers that must be equal when it is the same. */
typedef struct bed_print {
    int32_t height;
    uint8_t best[32];
    uint64_t txouts, transactions, bogosize;
    int64_t total_sat;
    uint8_t hash_serialized_3[32], muhash[32];
} bed_print;

typedef struct bed {
    lode_env *env;
    bool on_disk;
    char root[128];
    char datadir[160];
    lode_options options; /* set by init; a test changes what it needs before the next open */
    lode_import_options import;
    uint8_t magic[4];
    lode *h;
    lode_import_result result; /* of the last import */
    bed_rejection *rejections; /* since the last bed_forget */
    size_t rejection_count;
    lode_buf notices; /* lines */
    lode_mutex log_lock;
    lode_buf log;    /* lines; from any thread */
    char *paths[64]; /* of written files */
    size_t path_count;
    int64_t now;         /* what options.clock answers after bed_use_clock */
    uint64_t clock_asks; /* how often it was asked: once for each new header */
    uint64_t act_at_ask; /* when it is asked for this time, `act` is called; 0: never */
    void (*act)(struct bed *b);
    /* called on every progress, when not NULL */
    void (*on_progress)(struct bed *b, const lode_progress *progress);
    uint64_t progress_count;
    void *hook_context;
} bed;

void bed_init(bed *b, const char *chain);
void bed_init_on_disk(bed *b, const char *chain);
void bed_clear(bed *b);
void bed_use_clock(bed *b, int64_t now);

/* ---- files ---- */
void bed_put_frame(const bed *b, lode_buf *out, const made_block *block);
void bed_put_frame_of(const bed *b, lode_buf *out, const void *bytes, size_t len, uint32_t stated_len);
void bed_put_chain(const bed *b, lode_buf *out, const made_chain *chain, size_t first, size_t end);
/* Writes root/name, makes folders of the name; the path is lent until clear. The buffer is emptied. */
const char *bed_write(bed *b, const char *name, lode_buf *content);
const char *bed_path(bed *b, const char *name); /* the path alone, lent likewise */
void bed_read(bed *b, const char *name, lode_buf *out);
bool bed_exists(bed *b, const char *name);
void bed_remove_datadir(bed *b);

/* ---- streams ---- */

/* A thread that writes to a pipe, some bytes at a time. */
typedef struct bed_feeder {
    lode_thread thread;
    char *path; /* opened for writing; NULL: fd is */
    int fd;
    const uint8_t *data;
    size_t len, piece;
} bed_feeder;
void bed_feed_start(bed_feeder *feeder, const char *path, int fd, const lode_buf *content, size_t piece);
/* Makes a named pipe in a bed on disk, and starts feeding it. */
const char *bed_feed_pipe(bed *b, bed_feeder *feeder, const lode_buf *content, size_t piece);
void bed_feed_end(bed_feeder *feeder);

/* ---- work ---- */
void bed_open(bed *b);
void bed_close(bed *b);
void bed_reopen(bed *b);
lode_status bed_import(bed *b, const char *const *paths, size_t count);
/* Import this chain from one file, in order; asserts success. */
void bed_import_chain(bed *b, const made_chain *chain, size_t first, size_t end);
void bed_forget(bed *b); /* notices, rejections and log so far */

/* ---- what is told ---- */
lode_tip bed_tip(bed *b);
void bed_assert_tip(bed *b, const made_block *block);
bed_print bed_take_print(bed *b);
void bed_assert_print(bed *b, const bed_print *expected);
bool bed_noticed(const bed *b, const char *text);
bool bed_logged(bed *b, const char *text);
const bed_rejection *bed_find_rejection(const bed *b, const char *hash_hex); /* NULL: none */
char *bed_query(bed *b, const char *command, const char *argument);          /* free it; NULL: refused */

#endif
