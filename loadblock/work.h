/* loadblock/work.h: one block on its way through the import, and what workers do with it.
 *
 *     found by scan ──▶ parse (worker) ──▶ accept, connect (chain's thread) ──▶ script checks (workers) ──▶ settled
 */
#ifndef LODE_LOADBLOCK_WORK_H
#define LODE_LOADBLOCK_WORK_H

#include "chainstate/connect.h"
#include "loadblock/chunk.h"
#include "loadblock/input.h"
#include "support/pool.h"
#include "support/waiter.h"

typedef struct lode_work lode_work;
typedef struct lode_workshop lode_workshop;

typedef enum lode_work_kind {
    LODE_WORK_BLOCK,  /* a block to parse */
    LODE_WORK_REPEAT, /* a header seen before: parsed only if the first copy was no good */
    LODE_WORK_STORED, /* a block of the index, read from our own files */
    LODE_WORK_INDEXED, /* the same, of which only txids and their places are wanted; facts say whether the root fits */
} lode_work_kind;

/* Script checks of some transactions, or some inputs of one, as one task. */
typedef struct lode_check {
    lode_task task;
    lode_work *work;
    uint32_t first_tx, end_tx;
    uint32_t first_input, end_input; /* with one transaction; end 0: all of its inputs */
    bool failed;
    uint32_t failed_tx, failed_input;
    lode_script_error error;
    lode_status status; /* LODE_NO_MEMORY, or OK */
} lode_check;

struct lode_work {
    lode_task task; /* parsing */
    lode_work *next; /* of whichever list holds it */
    lode_workshop *shop;
    lode_work_kind kind;

    /* where the bytes are */
    const lode_input *input; /* NULL: submitted or stored */
    uint64_t offset;         /* of the block within the input */
    uint32_t frame_size;     /* what the record's length said */
    uint32_t available;      /* bytes of it that are there: less than frame_size at the end of a file */
    lode_chunk *chunk;       /* holds raw; NULL: the parser reads it (waiting blocks, stored blocks) */
    const uint8_t *raw;
    size_t reach;            /* bytes in memory from raw on, with what follows the frame; 0: not known */
    lode_block_hash hash;    /* of the header, from the scan */

    /* parsed: filled by a worker, published by `parsed` */
    int parsed; /* atomic */
    lode_status status; /* reading failed, or memory is out */
    bool is_block;
    lode_parse_error parse_error;
    lode_arena arena;
    lode_block block;
    lode_block_facts facts;
    lode_block_prep prep;
    lode_buf stored_bytes;

    /* connecting: the chain's thread */
    lode_entry *entry;
    lode_connected connected;
    bool runs_scripts;
    lode_check *checks;
    uint32_t check_count;
    int checks_left; /* atomic; 0: all done */
};

/* Shared by all work of one import. */
struct lode_workshop {
    lode_chain *chain;
    lode_chunk_pool *chunks;
    lode_waiter *waiter; /* the chain's; told when a parse or the last check of a block is done */
    lode_work *free_list; /* under lock */
    lode_mutex lock;
    uint64_t parse_ns, fetch_ns, script_ns; /* atomic; CPU */
    uint64_t scripts_checked;               /* atomic; inputs */
    int given_up; /* atomic: checks end early, their blocks are being taken back unjudged */
};

void lode_workshop_init(lode_workshop *shop, lode_chain *chain, lode_chunk_pool *chunks);
void lode_workshop_clear(lode_workshop *shop);

lode_work *lode_work_take(lode_workshop *shop, lode_work_kind kind); /* NULL when memory is out */
void lode_work_release(lode_work *work); /* its tasks have ended; NULL does nothing */

void lode_work_submit_parse(lode_work *work, lode_pool_priority priority);
void lode_work_parse_now(lode_work *work); /* in the calling thread */
static inline bool lode_work_is_parsed(const lode_work *work)
{
    return __atomic_load_n(&work->parsed, __ATOMIC_ACQUIRE) != 0;
}

/* Cut the block's script checks into tasks and queue them. connected must be filled. */
lode_status lode_work_submit_checks(lode_work *work);
static inline bool lode_work_is_checked(const lode_work *work)
{
    return __atomic_load_n(&work->checks_left, __ATOMIC_ACQUIRE) == 0;
}
/* After all checks ended: the first failure in block order, or a valid verdict. */
lode_status lode_work_verdict(lode_verdict *verdict, const lode_work *work);

#endif
