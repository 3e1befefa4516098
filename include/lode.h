/* lode.h: a Bitcoin UTXO and transaction-index engine to embed.
 *
 * Open a data directory (Bitcoin Core's, byte for byte), import block files or submit blocks, ask for coins,
 * transactions and whole answers. Handles are opaque; nothing prints, exits or installs a signal handler.
 *
 * Words: "borrowed" is used during the call only; "kept" must outlive the handle; "given" is the caller's to free with
 * the named function; "lent" is valid until the event named. Every struct begins with its size, which the caller sets
 * (options: the _init function does; results: `= { sizeof result }`), so that older callers meet newer libraries: of
 * options that are shorter the rest has its defaults, of a result no byte past its size is written, and fields that the
 * library does not know stay as they are. No enum value and no function ever changes its meaning.
 *
 * Threads: after lode_open every function may be called by any thread at any time; lode_close is the last call.
 * There is one writer: calls marked [writer] wait for each other. Calls marked [reader] wait for nobody: they answer
 * from the state that was published last, whole and verified, while blocks go on arriving. A state is published when a
 * submitted block, an invalidation, a flush or an import is done, and each time an import has written the coins. (Where
 * no reader was called before a lode_import, the first one called meanwhile waits for its next progress or its end.)
 * A callback may call readers; a writer called there is refused with LODE_INVALID_ARGUMENT.
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
LODE_API const char *lode_version(void); /* "0.1.0", static. Any thread */

typedef struct lode lode;
struct lode_env;
struct lode_event;

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
    uint64_t dbcache_bytes; /* default 450 MiB, at least 4 MiB */
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
    /* Each block that joins or leaves the best chain, verified, in that order. [writer]'s thread, one at a time. Readers
     * see the new state from within the callback, but during imports, whose states are published less often. */
    void (*on_event)(void *context, const struct lode_event *event);
    void *event_context;
    uint64_t signature_cache_bytes; /* for lode_warm_transaction; default 32 MiB, taken when first used */
} lode_options;

typedef enum lode_event_kind {
    LODE_EVENT_CONNECTED = 1,
    LODE_EVENT_DISCONNECTED = 2
} lode_event_kind;
typedef struct lode_event {
    size_t size;
    int32_t kind; /* a lode_event_kind */
    int32_t height;
    uint8_t hash[32]; /* internal order */
    uint8_t prev[32];
} lode_event;

/* The defaults. Options are one thread's at a time. */
LODE_API void lode_options_init(lode_options *options);
/* The handle may be given to other threads once this has returned. *out is NULL on failure. Replays what a cut-off flush left (writers). Strings are borrowed. */
LODE_API lode_status lode_open(lode **out, const lode_options *options);
/* Waits for imports in the background and for submitted blocks, flushes what is pending, syncs and frees. Closing NULL
 * does nothing. LODE_INVALID_ARGUMENT, and the handle stays open, while a lode_coin_walk is open or within a callback
 * (but for `log`, in threads of the library). */
LODE_API lode_status lode_close(lode *handle);
/* The same, but imports in the background are cancelled, and blocks that wait in the queue are told LODE_CANCELLED. */
LODE_API lode_status lode_close_cancel(lode *handle);
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

LODE_API void lode_import_options_init(lode_import_options *options); /* as lode_options_init */
/* Reads all inputs, follows most work, flushes. LODE_CANCELLED after lode_interrupt: everything done is kept. Inputs
 * that cannot be opened fail the call before anything is written. `result` (may be NULL) is filled also on failure.
 * [writer] */
LODE_API lode_status lode_import(lode *handle, const lode_import_options *options, lode_import_result *result);

/* The same in the background. *out is given: lode_import_end. Options and paths are copied, their callbacks come from the
 * library's thread. Several wait for each other. Arguments that lode_import refuses are refused here. Any thread. */
typedef struct lode_import_job lode_import_job;
LODE_API lode_status lode_import_start(lode_import_job **out, lode *handle, const lode_import_options *options);
/* What was told last; phase LODE_PHASE_DONE once it has ended. `file` is NULL here. Any thread. */
LODE_API lode_status lode_import_get_progress(lode_import_job *job, lode_progress *progress);
/* This import stops soon with LODE_CANCELLED, or does not begin; what was done is kept. Any thread. */
LODE_API lode_status lode_import_cancel(lode_import_job *job);
/* Waits up to timeout_ms (negative: as long as it takes). *done tells. Any thread. */
LODE_API lode_status lode_import_wait(lode_import_job *job, int *done, int64_t timeout_ms);
/* Waits, tells how it ended, as lode_import does, and frees the job. `result` may be NULL. Also after lode_close of the
 * handle. The last call with the job. NULL: LODE_OK. */
LODE_API lode_status lode_import_end(lode_import_job *job, lode_import_result *result);

/* ---- one block ---- */

typedef struct lode_submit_result {
    size_t size;
    int accepted;      /* stored (or known before); not necessarily in the best chain */
    int in_best_chain; /* its scripts verified, as far as scripts are checked */
    char hash[65];
    char reason[128];  /* Core's words when refused: also for a block found invalid while connecting */
} lode_submit_result;

/* A serialised block (BIP 144). The verdict is an answer: the status tells only what the world did. [writer] */
LODE_API lode_status lode_submit_block(lode *handle, lode_submit_result *result, const void *block, size_t len);
/* The same in the background, in the order of the calls: the bytes are copied, and when the verdict is there, on_verdict
 * is called once, by the library's thread, also when the block is given up (status LODE_CANCELLED). While 64 MiB wait in
 * the queue, the call waits. Any thread. */
LODE_API lode_status lode_submit_block_async(lode *handle, const void *block, size_t len, void *context,
                                             void (*on_verdict)(void *context, const lode_status *status, const lode_submit_result *result));
/* An 80-byte header. accepted: it is in the tree (or was). [writer] */
LODE_API lode_status lode_submit_header(lode *handle, lode_submit_result *result, const void *header, size_t len);
/* Everything so far becomes durable. [writer] */
LODE_API lode_status lode_flush(lode *handle);
/* Memory for coins and indexes from now on; at least 4 MiB. During an import it is taken at its next progress. Waits for
 * nobody. Any thread. */
LODE_API lode_status lode_set_cache_bytes(lode *handle, uint64_t bytes);

enum { LODE_WITHOUT_WORK = 1 /* a template: proof of work is not asked for */ };
/* Would this block be valid next upon the tip? Scripts are run. Core's TestBlockValidity: `accepted`, or its reason;
 * "inconclusive-not-best-prevblk" when it does not stand on the tip. Nothing is stored or changed. [writer] */
LODE_API lode_status lode_check_block(lode *handle, lode_submit_result *result, const void *block, size_t len, int flags);
/* What can be said of it without its place in the chain (Core's CheckBlock, by the rules of the handle's network).
 * [reader] */
LODE_API lode_status lode_check_block_alone(lode *handle, lode_submit_result *result, const void *block, size_t len, int flags);

/* Core's invalidateblock and reconsiderblock: hash in internal order. *found false: unknown block. The best chain
 * without it (or with it again) is connected when this returns. [writer] */
LODE_API lode_status lode_invalidate_block(lode *handle, int *found, const uint8_t hash[32]);
LODE_API lode_status lode_reconsider_block(lode *handle, int *found, const uint8_t hash[32]);

/* ---- one transaction ---- */

/* Which script rules apply. The consensus rules come first; what follows is policy. */
typedef enum lode_rule {
    LODE_RULE_P2SH = 1 << 0,
    LODE_RULE_DERSIG = 1 << 1,
    LODE_RULE_NULLDUMMY = 1 << 2,
    LODE_RULE_CHECKLOCKTIMEVERIFY = 1 << 3,
    LODE_RULE_CHECKSEQUENCEVERIFY = 1 << 4,
    LODE_RULE_WITNESS = 1 << 5,
    LODE_RULE_TAPROOT = 1 << 6,
    LODE_RULE_STRICTENC = 1 << 7,
    LODE_RULE_LOW_S = 1 << 8,
    LODE_RULE_SIGPUSHONLY = 1 << 9,
    LODE_RULE_MINIMALDATA = 1 << 10,
    LODE_RULE_DISCOURAGE_UPGRADABLE_NOPS = 1 << 11,
    LODE_RULE_CLEANSTACK = 1 << 12,
    LODE_RULE_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM = 1 << 13,
    LODE_RULE_MINIMALIF = 1 << 14,
    LODE_RULE_NULLFAIL = 1 << 15,
    LODE_RULE_WITNESS_PUBKEYTYPE = 1 << 16,
    LODE_RULE_CONST_SCRIPTCODE = 1 << 17,
    LODE_RULE_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION = 1 << 18,
    LODE_RULE_DISCOURAGE_OP_SUCCESS = 1 << 19,
    LODE_RULE_DISCOURAGE_UPGRADABLE_PUBKEYTYPE = 1 << 20,
    LODE_RULE_CONSENSUS = (1 << 7) - 1
} lode_rule;

typedef struct lode_spent_output { /* what one input spends; script is borrowed */
    int64_t value_sat;
    const void *script;
    size_t script_len;
} lode_spent_output;

typedef struct lode_script_result {
    size_t size;
    int valid;
    uint32_t input;   /* the first that fails */
    char reason[128]; /* Core's words; "" when valid */
} lode_script_result;

/* Do the scripts of this transaction (BIP 144 bytes) satisfy the outputs it spends, one for each input in order? A
 * transaction that does not decode, or another number of outputs, is LODE_INVALID_ARGUMENT. WITNESS asks for P2SH,
 * CLEANSTACK for P2SH and WITNESS, as in Core. Pure; any thread, no handle. */
LODE_API lode_status lode_verify_transaction(lode_script_result *result, const void *tx, size_t len, const lode_spent_output *spent,
                                             size_t spent_count, uint32_t rules);
/* The same by the rules of the block that would come next, and what is valid is remembered, so that a block with it need
 * not run its scripts again. spent NULL: the coins are looked up; one that is missing makes it not valid
 * ("bad-txns-inputs-missingorspent"). What is remembered hangs on every byte of transaction, spent outputs and rules, so
 * that wrong outputs here make no block valid. Only scripts are judged here. [reader] */
LODE_API lode_status lode_warm_transaction(lode *handle, lode_script_result *result, const void *tx, size_t len,
                                           const lode_spent_output *spent, size_t spent_count);

/* ---- asking ---- */

typedef struct lode_tip {
    size_t size;
    int32_t height;
    uint8_t hash[32]; /* internal order */
    uint32_t time, median_time;
} lode_tip;
LODE_API lode_status lode_get_tip(lode *handle, lode_tip *tip); /* [reader] */

typedef struct lode_coin_info {
    size_t size;
    int64_t value_sat;
    int32_t height;
    int is_coinbase;
    uint8_t *script; /* given: lode_free */
    size_t script_len;
} lode_coin_info;
/* txid in internal order. *found tells. [reader] */
LODE_API lode_status lode_get_coin(lode *handle, int *found, lode_coin_info *coin, const uint8_t txid[32], uint32_t index);

typedef struct lode_coin_id {
    uint8_t txid[32]; /* internal order */
    uint32_t index;
} lode_coin_id;
/* Many of one state, whose block is told (may be NULL). found and coins have `count` places; each coin's `size` is set by
 * the caller. Scripts are given; on failure none is. [reader] */
LODE_API lode_status lode_get_coins(lode *handle, int *found, lode_coin_info *coins, lode_tip *at, const lode_coin_id *ids, size_t count);

/* Every coin of the state at the time of opening, in Core's order (txid, index), while blocks go on arriving. *out is
 * given: lode_coin_walk_close, before lode_close. `at` (may be NULL) names the state. from (may be NULL): begin with this
 * txid. A walk belongs to one thread at a time. [reader] */
typedef struct lode_coin_walk lode_coin_walk;
LODE_API lode_status lode_coin_walk_open(lode_coin_walk **out, lode *handle, lode_tip *at, const uint8_t from[32]);
/* *found 0 at the end. coin->script is lent until the next call: it is not to be freed. */
LODE_API lode_status lode_coin_walk_next(lode_coin_walk *walk, int *found, lode_coin_id *id, lode_coin_info *coin);
LODE_API void lode_coin_walk_close(lode_coin_walk *walk); /* NULL does nothing */
/* Raw bytes with witness; given: lode_free. block_hash (may be NULL): of the block it stands in. Needs the transaction index: LODE_UNSUPPORTED
 * without it. [reader] */
LODE_API lode_status lode_get_transaction(lode *handle, int *found, uint8_t **raw, size_t *len, uint8_t block_hash[32], const uint8_t txid[32]);

/* ---- blocks and headers ---- */

typedef struct lode_block_info {
    size_t size;
    uint8_t hash[32], prev[32], merkle_root[32]; /* internal order */
    uint8_t chain_work[32];                      /* big endian */
    int32_t height, version;
    uint32_t time, median_time, bits, nonce;
    uint32_t transactions; /* 0: not known */
    int32_t in_best_chain, has_data, has_undo, is_failed;
    int32_t validity; /* Core's, 2 header to 5 scripts */
} lode_block_info;
/* hash in internal order. *found tells. [reader] */
LODE_API lode_status lode_get_block_info(lode *handle, int *found, lode_block_info *info, const uint8_t hash[32]);
/* The block of the best chain at a height. Walking the best chain is a loop over heights; each answer names its parent, so
 * that a reorganisation between two calls shows. [reader] */
LODE_API lode_status lode_get_block_info_at(lode *handle, int *found, lode_block_info *info, int32_t height);
/* The header with most work that is not known to be invalid. [reader] */
LODE_API lode_status lode_get_best_header(lode *handle, lode_block_info *info);
/* Every header of the tree, parents before children, until visit returns 0. `info` is borrowed. [reader] */
LODE_API lode_status lode_visit_headers(lode *handle, void *context, int (*visit)(void *context, const lode_block_info *info));

typedef enum lode_tip_kind { /* as Core's getchaintips */
    LODE_TIP_ACTIVE = 0,
    LODE_TIP_VALID_FORK = 1,
    LODE_TIP_VALID_HEADERS = 2,
    LODE_TIP_HEADERS_ONLY = 3,
    LODE_TIP_INVALID = 4
} lode_tip_kind;
/* The ends of all branches, in no order. branch_length: blocks beside the best chain. [reader] */
LODE_API lode_status lode_visit_chain_tips(lode *handle, void *context,
                                           int (*visit)(void *context, const lode_block_info *info, int kind, int32_t branch_length));

/* Raw bytes with witness; given: lode_free. *found 0: unknown, or its data is not stored. [reader] */
LODE_API lode_status lode_get_block(lode *handle, int *found, uint8_t **raw, size_t *len, const uint8_t hash[32]);
LODE_API lode_status lode_get_block_at(lode *handle, int *found, uint8_t **raw, size_t *len, int32_t height);
/* What the block spent, as Core stores it (CBlockUndo); likewise. Genesis has none. */
LODE_API lode_status lode_get_undo(lode *handle, int *found, uint8_t **raw, size_t *len, const uint8_t hash[32]);
LODE_API lode_status lode_get_undo_at(lode *handle, int *found, uint8_t **raw, size_t *len, int32_t height);

/* ---- the whole ---- */

typedef struct lode_statistics {
    size_t size;
    uint64_t headers;                 /* in the tree */
    uint64_t blocks_connected, blocks_disconnected; /* since the open */
    uint64_t cache_bytes, cache_limit_bytes, coins_cached;
    uint64_t coin_lookups, coin_hits, database_reads, flushes, coins_written, coins_deleted; /* by the writer */
    uint64_t reader_lookups;          /* coins asked for through lode_get_coin and lode_get_coins */
    uint64_t recent_changes, recent_layers; /* of coins, in memory for readers since the last flush */
    uint64_t warm_transactions;       /* remembered as verified, since the open */
    uint64_t warm_hits;               /* and not run again in a block; pieces of large ones count */
    uint64_t submissions_waiting;     /* in the queue of lode_submit_block_async */
} lode_statistics;
LODE_API lode_status lode_get_statistics(lode *handle, lode_statistics *statistics); /* [reader] */

typedef struct lode_set_info {
    size_t size;
    int32_t height;
    uint8_t best_block[32];
    uint64_t txouts, transactions, bogosize;
    int64_t total_sat;
    uint8_t hash_serialized_3[32], muhash[32]; /* zero unless asked for */
} lode_set_info;
enum { LODE_HASH_NONE = 0, LODE_HASH_SERIALIZED_3 = 1, LODE_HASH_MUHASH = 2 };
/* Counts and hashes the whole set; flushes first. [writer] */
LODE_API lode_status lode_get_set_info(lode *handle, lode_set_info *info, int hash);

/* One of bitcoin-cli's commands with its arguments, answered as JSON (or bare text where bitcoin-cli prints bare text:
 * *is_text). *answer is NUL-terminated, given: lode_free. A command that fails as Core's would (unknown block, bad
 * argument) gives LODE_OK, *answer NULL, *error_code (Core's RPC code, never 0) and *error_text (given). [writer] */
LODE_API lode_status lode_query(lode *handle, const char *command, const char *const *arguments, size_t argument_count,
                                char **answer, int *is_text, int *error_code, char **error_text);
/* The commands that lode_query knows, one at a time: NULL past the end. Static. Any thread. */
LODE_API const char *lode_query_name(size_t i);
LODE_API const char *lode_query_help(const char *command); /* NULL: unknown. Static */

/* All unspent outputs as rows for other programs. format: "csv", "jsonl" or "sqlite" (LODE_UNSUPPORTED in a build without
 * it). Columns: txid, vout, value in satoshis, coinbase, height, scriptpubkey in hexadecimal, type, address. at: a height
 * or a block hash of the active chain, reached by undoing blocks in memory; NULL: the tip. The file is PATH.incomplete
 * until it is whole, and none is left when the call fails. LODE_EXISTS at once when there is one. Flushes first.
 * [writer] */
typedef struct lode_export_result {
    size_t size;
    uint64_t coins;
    int32_t height; /* of the block whose set it is */
    char block[65];
} lode_export_result;
LODE_API lode_status lode_export_coins(lode *handle, lode_export_result *result, const char *format, const char *path,
                                       const char *at);
/* Core's dumptxoutset: the same set in the form that loadtxoutset reads. [writer] */
LODE_API lode_status lode_dump_coins(lode *handle, lode_export_result *result, const char *path, const char *at);

/* Core's loadtxoutset, for a handle that may write: the file becomes a second chainstate, from which bitcoind goes on and
 * validates the blocks below it in the background. The header of its block must be known (bitcoind fetches headers), lie
 * on the chain of headers with most work, and have more work than the tip. trusted: the set's hash_serialized_3, 64
 * digits, where Core does not vouch for the block itself; NULL: none. After a flush, nothing is written before the whole
 * file was found to be what is trusted, and nothing stays when the call fails. Afterwards the handle can only be closed; a
 * reader then answers from the loaded coins, and Lode writes to the directory again when bitcoind has finished.
 * Errors: LODE_UNSUPPORTED when it is not trusted or does not fit; LODE_CORRUPT with the byte; LODE_CANCELLED.
 * [writer] */
typedef struct lode_load_result {
    size_t size;
    uint64_t coins;
    int32_t height;
    char block[65];
    int is_cores; /* 0: bitcoind does not vouch for this block, and does not start on the directory */
} lode_load_result;
LODE_API lode_status lode_load_coins(lode *handle, lode_load_result *result, const char *path, const char *trusted);

LODE_API void lode_free(void *memory); /* what the library gave. NULL does nothing. Any thread */

/* ---- checking ---- */

/* Told now and then by long answers (lode_query too): `done` of `total` (0: not known) steps of what is named in words.
 * Called by the thread that asks. NULL: no more. Set while nothing runs. [writer] */
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
 * scripts included where lode_options ask for them. Flushes first; nothing else is changed, on disk or in the handle.
 * The answer is in `result`; the status tells only what kept the check from beginning. [writer] */
LODE_API lode_status lode_verify_chain(lode *handle, lode_check_result *result, int level, int32_t blocks);

typedef struct lode_check_options {
    size_t size;
    int deep; /* default 0; 1: the coins are held against the set hash that all blocks and their undo data give */
    void *context;
    void (*on_finding)(void *context, const char *line); /* each thing that is bad or could not be looked at */
} lode_check_options;
LODE_API void lode_check_options_init(lode_check_options *options);
/* Reads everything: checksums of the databases, the block index against itself and against every stored block and its
 * undo data, the transaction index against the active chain, every coin. Goes on after a finding; flushes first, and
 * changes nothing else. options NULL: the defaults. The answer is in `result`. [writer] */
LODE_API lode_status lode_check_directory(lode *handle, lode_check_result *result, const lode_check_options *options);

#ifdef __cplusplus
}
#endif
#endif
