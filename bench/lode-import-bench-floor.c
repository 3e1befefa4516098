/* bench/lode-import-bench-floor.c: what libsecp256k1 alone needs for all signatures of an imported chain.
 *
 * Room:     walks the best chain in Lode's directory, rebuilds what each input spends from undo data, runs the scripts
 *           with a checker that notes key, signature and digest, and every so often verifies all that was noted. Only
 *           that last part is timed.
 * Threads:  collecting is one thread's; verifying is shared in pieces of 64 signatures.
 * Note:     the commitment of a taproot script path, one more multiplication, is no signature and not in the floor.
 */
#include "bench/lode-import-bench-floor.h"

#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chainstate/chain.h"
#include "chainstate/undo.h"
#include "support/thread.h"
#include "validate/rules/block.h"
#include "validate/script/encoding.h"
#include "validate/script/lax_der.h"
#include "validate/script/sigcheck.h"

enum { NOTED_MAX = 1 << 17, PIECE = 64, THREADS_MAX = 256 };

/* ---- one signature ---- */

typedef struct noted {
    uint8_t digest[32], key[65], sig[72];
    uint8_t key_len; /* 32: Schnorr */
    uint8_t sig_len;
} noted;

static bool verify_noted(const noted *n)
{
    const secp256k1_context *context = secp256k1_context_static;
    secp256k1_xonly_pubkey x_only;
    secp256k1_pubkey key;
    secp256k1_ecdsa_signature sig;

    if (n->key_len == 32)
        return secp256k1_xonly_pubkey_parse(context, &x_only, n->key) &&
               secp256k1_schnorrsig_verify(context, n->sig, n->digest, 32, &x_only);
    if (!secp256k1_ec_pubkey_parse(context, &key, n->key, n->key_len) ||
        !lode_der_parse_lax(&sig, lode_slice_of(n->sig, n->sig_len)))
        return false;
    secp256k1_ecdsa_signature_normalize(context, &sig, &sig);
    return secp256k1_ecdsa_verify(context, &sig, n->digest, &key);
}

/* ---- many ---- */

typedef struct meter {
    noted *all;
    uint32_t count;
    uint32_t next;  /* atomic: the next piece */
    uint64_t wrong; /* atomic */
    int threads;
    lode_bench_floor floor;
    lode_status status; /* the first failure */
} meter;

static void *verify_pieces(void *context)
{
    meter *m = (meter *)context;
    uint64_t wrong = 0;

    for (;;) {
        uint32_t at = __atomic_fetch_add(&m->next, PIECE, __ATOMIC_RELAXED);
        if (at >= m->count)
            break;
        for (uint32_t i = at; i < at + PIECE && i < m->count; i++)
            wrong += !verify_noted(&m->all[i]);
    }
    __atomic_fetch_add(&m->wrong, wrong, __ATOMIC_RELAXED);
    return NULL;
}

static double process_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void verify_all(meter *m)
{
    lode_thread threads[THREADS_MAX] = { 0 };
    double cpu_s = process_cpu_s();
    uint64_t start_ns = lode_clock_ns();

    m->next = 0;
    for (int i = 1; i < m->threads && !lode_failed(m->status); i++)
        m->status = lode_thread_start(&threads[i], "floor", verify_pieces, m);
    verify_pieces(m);
    for (int i = 1; i < m->threads; i++)
        lode_thread_join(&threads[i]);
    m->floor.cost.wall_s += (double)(lode_clock_ns() - start_ns) * 1e-9;
    m->floor.cost.cpu_s += process_cpu_s() - cpu_s;
    m->floor.signatures += m->count;
    m->floor.false_ones = (double)m->wrong;
    m->count = 0;
}

/* ---- collecting ---- */

/* The immediate checker, with two answers replaced: true for now, unless another key may be tried. */
typedef struct noting_checker {
    lode_tx_checker tx;
    meter *meter;
} noting_checker;

static void note(meter *m, const uint8_t digest[32], lode_slice key, lode_slice sig)
{
    if (m->count == NOTED_MAX)
        verify_all(m);
    noted *n = &m->all[m->count++];
    memcpy(n->digest, digest, 32);
    memcpy(n->key, key.data, key.len);
    memcpy(n->sig, sig.data, sig.len);
    n->key_len = (uint8_t)key.len;
    n->sig_len = (uint8_t)sig.len;
}

static bool note_ecdsa(lode_sig_checker *self, lode_slice sig, lode_slice pubkey, lode_slice script_code,
                       lode_sig_version version)
{
    noting_checker *c = (noting_checker *)self;
    uint8_t digest[32];

    if (sig.len == 0 || !lode_pubkey_is_possible(pubkey))
        return false;
    lode_slice der = lode_slice_of(sig.data, sig.len - 1);
    lode_tx_checker_ecdsa_digest(digest, &c->tx, sig.data[sig.len - 1], script_code, version);
    if (der.len <= sizeof c->meter->all->sig)
        note(c->meter, digest, pubkey, der);
    return self->may_fail ? lode_ecdsa_verify(pubkey, der, digest) : true;
}

static bool note_schnorr(lode_sig_checker *self, lode_slice sig, const uint8_t pubkey[32],
                         const lode_tapscript_context *context, lode_script_error *error)
{
    noting_checker *c = (noting_checker *)self;
    uint8_t digest[32];

    if (!lode_tx_checker_schnorr_digest(digest, &c->tx, sig, context, error))
        return false;
    note(c->meter, digest, lode_slice_of(pubkey, 32), lode_slice_of(sig.data, 64));
    return true;
}

static lode_status collect_tx(meter *m, const lode_tx *tx, const lode_txout *spent, uint32_t flags)
{
    lode_tx_hashes hashes;
    noting_checker c = { .meter = m };
    lode_sighash_prefix prefix = { .has_hash = false };
    lode_script_error error;

    lode_tx_hashes_init(&hashes, tx, spent, false);
    for (uint32_t i = 0; i < tx->input_count; i++) {
        const lode_txin *in = &tx->inputs[i];
        lode_tx_checker_init(&c.tx, &hashes, i, NULL, false);
        c.tx.sighash.prefix = &prefix;
        c.tx.base.check_ecdsa = note_ecdsa;
        c.tx.base.check_schnorr = note_schnorr;
        if (!lode_script_verify(&error, lode_slice_of(in->script_sig, in->script_sig_len),
                                lode_slice_of(spent[i].script, spent[i].script_len), in, flags, &c.tx.base))
            return lode_fail(LODE_CORRUPT, "a script fails: %s", lode_script_error_name(error));
    }
    return m->status;
}

/* What the transaction spends, from undo data. */
static lode_status read_spent(lode_txout *spent, lode_undo_reader *u, uint32_t count, lode_arena *arena)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *scratch = (uint8_t *)lode_arena_take(arena, 67);
        uint64_t amount;
        uint32_t height;
        bool is_coinbase;
        lode_slice stored, script;

        if (!scratch)
            return lode_fail(LODE_NO_MEMORY, "no memory for a script");
        if (!lode_undo_next_coin(u, &height, &is_coinbase, &amount, &stored))
            return lode_fail(LODE_CORRUPT, "undo data ends early");
        lode_reader r = lode_reader_of(stored.data, stored.len);
        lode_reader_script(&r, &script, scratch);
        if (r.bad)
            return lode_fail(LODE_CORRUPT, "a script in undo data does not decode");
        spent[i] = (lode_txout){ { (int64_t)lode_amount_decompress(amount) }, script.data, (uint32_t)script.len };
    }
    return lode_ok();
}

static lode_status collect_block(meter *m, const lode_block *block, lode_slice undo, uint32_t flags, lode_arena *arena)
{
    lode_undo_reader u;
    uint64_t tx_count, input_count;

    lode_undo_reader_init(&u, undo.data, undo.len, &tx_count);
    for (uint32_t i = 1; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        lode_txout *spent = (lode_txout *)lode_arena_take_array(arena, tx->input_count, sizeof *spent);

        if (!spent)
            return lode_fail(LODE_NO_MEMORY, "no memory for outputs");
        if (!lode_undo_next_tx(&u, &input_count) || input_count != tx->input_count)
            return lode_fail(LODE_CORRUPT, "undo data is another block's");
        LODE_TRY(read_spent(spent, &u, tx->input_count, arena));
        LODE_TRY(collect_tx(m, tx, spent, flags));
    }
    return lode_ok();
}

static lode_status walk(meter *m, lode_chain *chain)
{
    lode_buf raw = LODE_BUF_EMPTY, undo = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_status s = lode_ok();

    for (int32_t height = 1; height <= chain->tip->node.height && !lode_failed(s); height++) {
        const lode_entry *e = lode_chain_at(chain, height);
        lode_block block;

        lode_arena_reset(&arena);
        s = lode_chain_read_block(chain, &block, &raw, &arena, e);
        if (!lode_failed(s) && block.tx_count > 1)
            s = lode_chain_read_undo(chain, &undo, e);
        if (!lode_failed(s) && block.tx_count > 1)
            s = collect_block(m, &block, lode_buf_slice(&undo), lode_block_script_flags(&e->node, &chain->params),
                              &arena);
    }
    if (!lode_failed(s)) {
        verify_all(m);
        s = m->status;
    }
    lode_buf_clear(&raw);
    lode_buf_clear(&undo);
    lode_arena_clear(&arena);
    return s;
}

/* ---- a process of its own ---- */

typedef struct report {
    lode_status status;
    lode_bench_floor floor;
    long height, quiet_from;
    double inputs, megabytes;
} report;

static lode_status open_chain(lode_chain **chain, const lode_bench_place *place)
{
    lode_network network;
    lode_chain_params params;
    lode_chain_options o = { .datadir = lode_bench_directory(place, LODE_BENCH_LODE),
                             .params = &params,
                             .env = lode_env_system(),
                             .read_only = true,
                             .threads = 1,
                             .cache_bytes = 8 << 20 };

    *chain = NULL;
    if (!lode_chain_from_name(&network, place->network))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s is no network", place->network);
    lode_chain_params_init(&params, network);
    return lode_chain_open(chain, &o);
}

static lode_status count_chain(report *r, lode_chain *chain)
{
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_status s = lode_ok();

    r->height = chain->tip->node.height;
    for (int32_t height = 1; height <= r->height && !lode_failed(s); height++) {
        const lode_entry *e = lode_chain_at(chain, height);
        lode_block block;

        lode_arena_reset(&arena);
        s = lode_chain_read_block(chain, &block, &raw, &arena, e);
        if (lode_failed(s))
            break;
        if (block.tx_count > 1)
            r->quiet_from = height + 1;
        r->inputs += (double)(block.input_count - 1);
        r->megabytes += (double)(block.size + 8) * 1e-6;
    }
    lode_buf_clear(&raw);
    lode_arena_clear(&arena);
    return s;
}

static lode_status make_report(report *r, const lode_bench_place *place, int threads)
{
    lode_chain *chain;
    meter m = { .threads = threads, .status = lode_ok() };
    lode_status s = open_chain(&chain, place);

    if (!lode_failed(s) && threads == 0)
        s = count_chain(r, chain);
    if (!lode_failed(s) && threads > 0) {
        m.all = (noted *)malloc(NOTED_MAX * sizeof *m.all);
        s = m.all ? walk(&m, chain) : lode_fail(LODE_NO_MEMORY, "no memory for signatures");
        free(m.all);
        r->floor = m.floor;
    }
    if (chain)
        lode_ignore(lode_chain_close(chain)); /* only read */
    return s;
}

/* threads 0: counts the chain. */
static bool ask_child(report *r, char why[256], const lode_bench_place *place, int threads)
{
    int ends[2], status = 0;
    size_t got = 0;
    pid_t pid;

    fflush(NULL);
    if (pipe(ends) != 0 || (pid = fork()) < 0)
        lode_bench_stop("no process for reading the chain");
    if (pid == 0) {
        report mine = { .floor = { .signatures = 0 } };
        mine.status = make_report(&mine, place, threads);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    while (got < sizeof *r) {
        ssize_t n = read(ends[0], (uint8_t *)r + got, sizeof *r - got);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (got < sizeof *r)
        snprintf(why, 256, "reading the chain ended early");
    else if (lode_failed(r->status))
        snprintf(why, 256, "%.255s", r->status.text);
    return got == sizeof *r && !lode_failed(r->status);
}

bool lode_bench_inspect(char why[256], const lode_bench_place *place, lode_bench_chain *chain)
{
    report r;

    if (!ask_child(&r, why, place, 0))
        return false;
    chain->height = r.height;
    chain->quiet_from = r.quiet_from;
    chain->inputs = r.inputs;
    chain->megabytes = r.megabytes;
    return true;
}

bool lode_bench_measure_floor(lode_bench_floor *floor, char why[256], const lode_bench_place *place, int threads)
{
    report r;

    if (!ask_child(&r, why, place, threads < THREADS_MAX ? threads : THREADS_MAX))
        return false;
    *floor = r.floor;
    return true;
}
