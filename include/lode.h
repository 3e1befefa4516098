/* lode.h: a Bitcoin UTXO and transaction-index engine to embed.
 *
 * Open a data directory (Bitcoin Core's, byte for byte), import block files or submit blocks, ask for coins,
 * transactions and whole answers. Handles are opaque; nothing prints, exits or installs a signal handler.
 *
 * Words: "borrowed" is used during the call only; "kept" must outlive the handle; "given" is the caller's to free with
 * the named function; "lent" is valid until the event named. Every struct that the caller fills begins with its size,
 * set by its _init function, so that older callers meet newer libraries.
 */
#ifndef LODE_H
#define LODE_H

#include <stddef.h>
#include <stdint.h>

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LODE_API
#if defined(__GNUC__)
#define LODE_API __attribute__((visibility("default")))
#else
#define LODE_API
#endif
#endif

#define LODE_VERSION_MAJOR 0
#define LODE_VERSION_MINOR 1
#define LODE_VERSION_PATCH 0
LODE_API const char *lode_version(void); /* "0.1.0", static */

typedef struct lode lode;
struct lode_env;

/* ---- opening ---- */

typedef struct lode_options {
    size_t size;
    const char *datadir;   /* required; Core's -datadir: network folders stand below it */
    const char *blocksdir; /* Core's -blocksdir, or NULL */
    const char *blocks_from; /* a node's blocks folder: its full files are linked, the last one copied, then indexed here */
    const char *chain;     /* main, test, testnet4, signet, regtest; default main */
    const char *const *chain_options; /* "testactivationheight=segwit@100", "test=bip94", "vbparams=...", "signetchallenge=..." */
    size_t chain_option_count;
    int read_only;         /* touch nothing, create nothing; fails with LODE_LOCKED when a writer is at work */
    int create_if_missing; /* default 1 for writers; readers never create */
    int threads;           /* workers; 0: one per processor; at most 256 */
    uint64_t dbcache_bytes; /* default 450 MiB */
    int txindex;           /* 1: keep the transaction index; it is used by readers whenever it is there */
    int check_scripts;     /* default 1; 0: scripts are not run, everything else is checked */
    const char *assume_valid; /* 64 hex digits, or NULL/"0": run every script */
    const char *minimum_chain_work; /* hex, or NULL for the network's own: matters to assume_valid only */
    int reindex;           /* rebuild everything from our own block files */
    int reindex_chainstate; /* rebuild the coins from our own block files */
    int random_xor_key;    /* -blocksxor=1 for a new directory */
    int32_t stop_at_height; /* 0: no */
    void (*log)(void *context, int level, const char *line); /* any thread; levels as syslog-like 0 error .. 3 debug */
    void *log_context;
    int log_level;         /* default 2, information */
    int64_t (*clock)(void *context); /* seconds since 1970; NULL: the system's */
    void *clock_context;
    struct lode_env *env;  /* kept; NULL: the system's files */
} lode_options;

LODE_API void lode_options_init(lode_options *options);
/* *out is NULL on failure. Replays what a cut-off flush left (writers). Strings are borrowed. */
LODE_API lode_status lode_open(lode **out, const lode_options *options);
/* Flushes what is pending, syncs and frees. Closing NULL does nothing. */
LODE_API lode_status lode_close(lode *handle);
/* Ask running work to stop soon with LODE_CANCELLED; what was done is kept. When nothing is running, the next work is
 * stopped at once. One call stops one piece of work. Safe from any thread and from a signal handler. */
LODE_API void lode_interrupt(lode *handle);

/* ---- importing ---- */

typedef enum lode_phase {
    LODE_PHASE_OPENING = 0,
    LODE_PHASE_REPLAYING = 1,
    LODE_PHASE_IMPORTING = 2,
    LODE_PHASE_CONNECTING = 3, /* blocks that were stored before */
    LODE_PHASE_FLUSHING = 4,
    LODE_PHASE_INDEXING = 5,
    LODE_PHASE_DONE = 6
} lode_phase;

typedef struct lode_progress {
    size_t size;
    lode_phase phase;
    int32_t height;      /* of the connected tip */
    uint32_t block_time; /* of it, seconds since 1970 */
    uint64_t blocks, transactions, inputs; /* connected in this run */
    uint64_t bytes_read, bytes_total;      /* of the input; total 0: unknown */
    uint64_t cache_bytes, cache_limit_bytes, coins_cached;
    uint64_t elapsed_ns;
    double fraction; /* 0 to 1, of this run's work as well as it is known */
    const char *file; /* being read, borrowed; NULL: none */
} lode_progress;

typedef struct lode_rejection {
    size_t size;
    const char *file;   /* path, or NULL for a submitted or stored block */
    uint64_t offset;    /* of the block itself within the file */
    char hash[65];      /* hex as people read it; empty when the bytes are no block */
    int32_t height;     /* -1: unknown */
    const char *reason; /* Core's words */
    const char *detail; /* which transaction and input, in a sentence; may be empty */
} lode_rejection;

typedef struct lode_stage_times { /* nanoseconds; wall of the thread that does it, CPU over all threads */
    uint64_t read_wall, parse_cpu, fetch_cpu, accept_wall, connect_wall, coins_wait_wall, script_cpu, script_wait_wall;
    uint64_t flush_wall, flush_wait_wall, store_wall, undo_wall, txindex_wall, compaction_cpu, idle_wall;
} lode_stage_times;

typedef struct lode_import_result {
    size_t size;
    uint64_t blocks_read, blocks_new, blocks_known, blocks_connected, blocks_rejected, blocks_disconnected;
    uint64_t transactions, inputs, outputs, scripts_checked;
    uint64_t bytes_read, bytes_skipped; /* skipped: neither blocks nor zero padding */
    uint64_t undecodable;               /* frames that were no block */
    uint64_t blocks_waiting;            /* whose parent never came */
    uint64_t files_missing;             /* numbers left out of a numbered set */
    int32_t height;
    char best_block[65];
    uint64_t elapsed_ns, cpu_ns, peak_rss_bytes;
    uint64_t coins_cached, coins_cache_bytes;
    lode_stage_times times;
} lode_import_result;

typedef struct lode_import_options {
    size_t size;
    const char *const *paths; /* files, directories of blkNNNNN.dat, or "-" for standard input */
    size_t path_count;        /* 0: only go on with what is stored (and -reindex) */
    const char *xor_key;      /* 16 hex digits for all inputs; NULL: xor.dat beside each file, if any */
    int txindex_only;         /* build the transaction index of what is connected, nothing else */
    void *context;
    void (*on_progress)(void *context, const lode_progress *progress); /* a few times a second, one thread at a time */
    void (*on_rejection)(void *context, const lode_rejection *rejection);
    /* something worth a line: a missing file, a waiting block, damage and its place */
    void (*on_notice)(void *context, const char *line);
} lode_import_options;

LODE_API void lode_import_options_init(lode_import_options *options);
/* Reads all inputs, follows most work, flushes. LODE_CANCELLED after lode_interrupt: everything done is kept. Inputs
 * that cannot be opened fail the call before anything is written. `result` (may be NULL) is filled also on failure. */
LODE_API lode_status lode_import(lode *handle, const lode_import_options *options, lode_import_result *result);

/* ---- one block ---- */

typedef struct lode_submit_result {
    size_t size;
    int accepted;      /* stored (or known before); not necessarily in the best chain */
    int in_best_chain; /* its scripts verified, as far as scripts are checked */
    char hash[65];
    char reason[128];  /* Core's words when refused: also for a block found invalid while connecting */
} lode_submit_result;

/* A serialised block (BIP 144). The verdict is an answer: the status tells only what the world did. */
LODE_API lode_status lode_submit_block(lode *handle, lode_submit_result *result, const void *block, size_t len);
LODE_API lode_status lode_flush(lode *handle);

/* Core's invalidateblock and reconsiderblock: hash in internal order. *found false: unknown block. The best chain
 * without it (or with it again) is connected when this returns. */
LODE_API lode_status lode_invalidate_block(lode *handle, int *found, const uint8_t hash[32]);
LODE_API lode_status lode_reconsider_block(lode *handle, int *found, const uint8_t hash[32]);

/* ---- asking ---- */

typedef struct lode_tip {
    size_t size;
    int32_t height;
    uint8_t hash[32]; /* internal order */
    uint32_t time, median_time;
} lode_tip;
LODE_API lode_status lode_get_tip(lode *handle, lode_tip *tip);

typedef struct lode_coin_info {
    size_t size;
    int64_t value_sat;
    int32_t height;
    int is_coinbase;
    uint8_t *script; /* given: lode_free */
    size_t script_len;
} lode_coin_info;
/* txid in internal order. *found tells. */
LODE_API lode_status lode_get_coin(lode *handle, int *found, lode_coin_info *coin, const uint8_t txid[32], uint32_t index);
/* Raw bytes with witness; given: lode_free. block_hash (may be NULL): of the block it stands in. Needs the transaction index: LODE_UNSUPPORTED without it. */
LODE_API lode_status lode_get_transaction(lode *handle, int *found, uint8_t **raw, size_t *len, uint8_t block_hash[32], const uint8_t txid[32]);

typedef struct lode_set_info {
    size_t size;
    int32_t height;
    uint8_t best_block[32];
    uint64_t txouts, transactions, bogosize;
    int64_t total_sat;
    uint8_t hash_serialized_3[32], muhash[32]; /* zero unless asked for */
} lode_set_info;
enum { LODE_HASH_NONE = 0, LODE_HASH_SERIALIZED_3 = 1, LODE_HASH_MUHASH = 2 };
LODE_API lode_status lode_get_set_info(lode *handle, lode_set_info *info, int hash);

/* One of bitcoin-cli's commands with its arguments, answered as JSON (or bare text where bitcoin-cli prints bare text:
 * *is_text). *answer is NUL-terminated, given: lode_free. A command that fails as Core's would (unknown block, bad
 * argument) gives LODE_OK, *answer NULL, *error_code (Core's RPC code, never 0) and *error_text (given). */
LODE_API lode_status lode_query(lode *handle, const char *command, const char *const *arguments, size_t argument_count,
                                char **answer, int *is_text, int *error_code, char **error_text);
/* The commands that lode_query knows, one at a time: NULL past the end. Static. */
LODE_API const char *lode_query_name(size_t i);
LODE_API const char *lode_query_help(const char *command); /* NULL: unknown. Static */

/* All unspent outputs as rows for other programs. format: "csv", "jsonl" or "sqlite" (LODE_UNSUPPORTED in a build without
 * it). Columns: txid, vout, value in satoshis, coinbase, height, scriptpubkey in hexadecimal, type, address. at: a height
 * or a block hash of the active chain, reached by undoing blocks in memory; NULL: the tip. The file is PATH.incomplete
 * until it is whole, and none is left when the call fails. LODE_EXISTS at once when there is one. */
typedef struct lode_export_result {
    size_t size;
    uint64_t coins;
    int32_t height; /* of the block whose set it is */
    char block[65];
} lode_export_result;
LODE_API lode_status lode_export_coins(lode *handle, lode_export_result *result, const char *format, const char *path,
                                       const char *at);
/* Core's dumptxoutset: the same set in the form that loadtxoutset reads. */
LODE_API lode_status lode_dump_coins(lode *handle, lode_export_result *result, const char *path, const char *at);

/* Core's loadtxoutset, for a handle that may write: the file becomes a second chainstate, from which bitcoind goes on and
 * validates the blocks below it in the background. The header of its block must be known (bitcoind fetches headers), lie
 * on the chain of headers with most work, and have more work than the tip. trusted: the set's hash_serialized_3, 64
 * digits, where Core does not vouch for the block itself; NULL: none. Nothing is written before the whole file was found
 * to be what is trusted, and nothing stays when the call fails. Afterwards the handle can only be closed; a reader then
 * answers from the loaded coins, and Lode writes to the directory again when bitcoind has finished.
 * Errors: LODE_UNSUPPORTED when it is not trusted or does not fit; LODE_CORRUPT with the byte; LODE_CANCELLED. */
typedef struct lode_load_result {
    size_t size;
    uint64_t coins;
    int32_t height;
    char block[65];
    int is_cores; /* 0: bitcoind does not vouch for this block, and does not start on the directory */
} lode_load_result;
LODE_API lode_status lode_load_coins(lode *handle, lode_load_result *result, const char *path, const char *trusted);

LODE_API void lode_free(void *memory);

/* ---- checking ---- */

/* Told now and then by long answers (lode_query too): `done` of `total` (0: not known) steps of what is named in words.
 * Called by the thread that asks. NULL: no more. Set while nothing runs. */
LODE_API void lode_set_progress(lode *handle, void *context,
                                void (*on_progress)(void *context, const char *what, uint64_t done, uint64_t total));

/* A check has three answers. What could not be looked at (missing files, no memory, an interruption) is never called
 * good. */
enum { LODE_CHECK_GOOD = 0, LODE_CHECK_BAD = 1, LODE_CHECK_UNFINISHED = 2 };
typedef struct lode_check_result {
    size_t size;
    int answer;       /* LODE_CHECK_... */
    uint64_t checked; /* of what was to be checked (blocks), so many passed */
    uint64_t asked;
    int32_t height;   /* of the block that is bad; -1: none, or not a block */
    char text[512];   /* the answer in a sentence: what and where, or how far */
} lode_check_result;
/* Core's verifychain: the last `blocks` blocks (0: all) from the tip down, at `level`: 0 they can be read, 1 they are
 * valid by themselves, 2 their undo data fits, 3 undoing them in memory finds the coins they made, 4 they connect again,
 * scripts included where lode_options ask for them. Nothing is changed, on disk or in the handle. The answer is in
 * `result`; the status tells only what kept the check from beginning. */
LODE_API lode_status lode_verify_chain(lode *handle, lode_check_result *result, int level, int32_t blocks);

typedef struct lode_check_options {
    size_t size;
    int deep; /* default 0; 1: the coins are held against the set hash that all blocks and their undo data give */
    void *context;
    void (*on_finding)(void *context, const char *line); /* each thing that is bad or could not be looked at */
} lode_check_options;
LODE_API void lode_check_options_init(lode_check_options *options);
/* Reads everything: checksums of the databases, the block index against itself and against every stored block and its
 * undo data, the transaction index against the active chain, every coin. Goes on after a finding; changes nothing.
 * options NULL: the defaults. The answer is in `result`. */
LODE_API lode_status lode_check_directory(lode *handle, lode_check_result *result, const lode_check_options *options);

#ifdef __cplusplus
}
#endif
#endif
