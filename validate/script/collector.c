/* validate/script/collector.c: the checker that answers first and asks later.
 *
 * Touches:  its own arrays, made once. Keys and signatures are copied, since a script may have them on its stack only.
 */
#include "validate/script/collector.h"

#include <stdlib.h>

#include "validate/script/encoding.h"

#define KEY_ROOM 65
#define SIGNATURE_ROOM 72 /* strict DER; what is longer is verified at once */

typedef struct job {
    const lode_tx_hashes *hashes;
    uint32_t input;
    uint32_t flags;
    uint32_t first_check; /* its checks end where the next job's begin */
    bool must_rerun;      /* the script failed */
} job;

struct lode_sig_collector {
    /* constant after create */
    uint32_t capacity;

    job *jobs;
    uint32_t job_count;
    uint64_t settled; /* jobs that were dealt with since the last finish */
    bool failed;
    uint64_t failed_job;
    lode_script_error failed_error;

    /* by check */
    uint32_t check_count;
    uint8_t (*digests)[32];
    uint8_t (*keys)[KEY_ROOM];
    uint8_t (*signatures)[SIGNATURE_ROOM];
    const uint8_t **key_pointers;       /* constant: into keys */
    const uint8_t **signature_pointers; /* constant: into signatures */
    uint8_t *key_lengths;
    uint16_t *signature_lengths;
    bool *verdicts;
};

/* The immediate checker, with two answers replaced. */
typedef struct collecting_checker {
    lode_tx_checker tx;
    lode_sig_collector *collector;
} collecting_checker;

static bool has_room(const lode_sig_collector *c, lode_slice sig)
{
    return c->check_count < c->capacity && sig.len <= SIGNATURE_ROOM;
}

static void collect(lode_sig_collector *c, const uint8_t digest[32], lode_slice key, lode_slice sig)
{
    uint32_t i = c->check_count++;
    memcpy(c->digests[i], digest, 32);
    memcpy(c->keys[i], key.data, key.len);
    c->key_lengths[i] = (uint8_t)key.len;
    if (sig.len > 0)
        memcpy(c->signatures[i], sig.data, sig.len);
    c->signature_lengths[i] = (uint16_t)sig.len;
}

static bool collect_ecdsa(lode_sig_checker *self, lode_slice sig, lode_slice pubkey, lode_slice script_code,
                          lode_sig_version version)
{
    collecting_checker *c = (collecting_checker *)self;
    uint8_t digest[32];
    if (sig.len == 0 || !lode_pubkey_is_possible(pubkey))
        return false;
    lode_slice der = lode_slice_of(sig.data, sig.len - 1);
    lode_tx_checker_ecdsa_digest(digest, &c->tx, sig.data[sig.len - 1], script_code, version);
    if (self->may_fail || !has_room(c->collector, der))
        return lode_ecdsa_verify(pubkey, der, digest);
    collect(c->collector, digest, pubkey, der);
    return true;
}

static bool collect_schnorr(lode_sig_checker *self, lode_slice sig, const uint8_t pubkey[32],
                            const lode_tapscript_context *context, lode_script_error *error)
{
    collecting_checker *c = (collecting_checker *)self;
    uint8_t digest[32];
    if (!lode_tx_checker_schnorr_digest(digest, &c->tx, sig, context, error))
        return false;
    *error = LODE_SCRIPT_SCHNORR_SIG;
    if (!has_room(c->collector, lode_slice_of(sig.data, 64)))
        return lode_schnorr_verify(pubkey, sig.data, digest);
    collect(c->collector, digest, lode_slice_of(pubkey, 32), lode_slice_of(sig.data, 64));
    return true;
}

static bool run_script(lode_script_error *error, const job *j, lode_sig_checker *checker)
{
    const lode_txin *in = &j->hashes->tx->inputs[j->input];
    const lode_txout *spent = &j->hashes->spent[j->input];
    return lode_script_verify(error, lode_slice_of(in->script_sig, in->script_sig_len),
                              lode_slice_of(spent->script, spent->script_len), in, j->flags, checker);
}

static bool run_at_once(lode_script_error *error, const job *j)
{
    lode_tx_checker checker;
    lode_tx_checker_init(&checker, j->hashes, j->input, NULL, false);
    return run_script(error, j, &checker.base);
}

static bool needs_rerun(const lode_sig_collector *c, uint32_t number)
{
    const job *j = &c->jobs[number];
    uint32_t end = number + 1 < c->job_count ? j[1].first_check : c->check_count;
    for (uint32_t i = j->first_check; i < end; i++)
        if (!c->verdicts[i])
            return true;
    return j->must_rerun;
}

/* Verifies everything collected; of the inputs that fail, the first is remembered. */
static void settle(lode_sig_collector *c)
{
    lode_sig_batch batch = { c->check_count,        (const uint8_t(*)[32])c->digests,
                             c->key_pointers,       c->key_lengths,
                             c->signature_pointers, c->signature_lengths };
    if (!c->failed)
        lode_sig_batch_verify(c->verdicts, &batch);
    for (uint32_t i = 0; i < c->job_count && !c->failed; i++) {
        if (needs_rerun(c, i) && !run_at_once(&c->failed_error, &c->jobs[i])) {
            c->failed = true;
            c->failed_job = c->settled + i;
        }
    }
    c->settled += c->job_count;
    c->job_count = c->check_count = 0;
}

void lode_sig_collector_add(lode_sig_collector *c, const lode_tx_hashes *hashes, uint32_t input, uint32_t flags)
{
    collecting_checker checker;
    lode_script_error error;
    if (c->job_count == c->capacity || c->check_count == c->capacity)
        settle(c);

    job *j = &c->jobs[c->job_count++];
    *j = (job){ hashes, input, flags, c->check_count, false };
    if (c->failed)
        return; /* an earlier input decides; this one is only counted */
    lode_tx_checker_init(&checker.tx, hashes, input, NULL, false);
    checker.tx.base.check_ecdsa = collect_ecdsa;
    checker.tx.base.check_schnorr = collect_schnorr;
    checker.collector = c;
    j->must_rerun = !run_script(&error, j, &checker.tx.base);
}

bool lode_sig_collector_finish(lode_sig_collector *c, lode_script_error *error, uint64_t *failed)
{
    settle(c);
    bool good = !c->failed;
    *error = good ? LODE_SCRIPT_OK : c->failed_error;
    if (!good)
        *failed = c->failed_job;
    c->failed = false;
    c->settled = 0;
    return good;
}

static bool make_arrays(lode_sig_collector *c)
{
    size_t n = c->capacity;
    c->jobs = calloc(n, sizeof *c->jobs);
    c->digests = calloc(n, sizeof *c->digests);
    c->keys = calloc(n, sizeof *c->keys);
    c->signatures = calloc(n, sizeof *c->signatures);
    c->key_pointers = calloc(n, sizeof *c->key_pointers);
    c->signature_pointers = calloc(n, sizeof *c->signature_pointers);
    c->key_lengths = calloc(n, sizeof *c->key_lengths);
    c->signature_lengths = calloc(n, sizeof *c->signature_lengths);
    c->verdicts = calloc(n, sizeof *c->verdicts);
    if (!c->jobs || !c->digests || !c->keys || !c->signatures || !c->key_pointers || !c->signature_pointers ||
        !c->key_lengths || !c->signature_lengths || !c->verdicts)
        return false;
    for (size_t i = 0; i < n; i++) {
        c->key_pointers[i] = c->keys[i];
        c->signature_pointers[i] = c->signatures[i];
    }
    return true;
}

lode_sig_collector *lode_sig_collector_create(uint32_t capacity)
{
    lode_sig_collector *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->capacity = capacity ? capacity : 1;
    if (!make_arrays(c)) {
        lode_sig_collector_destroy(c);
        return NULL;
    }
    return c;
}

void lode_sig_collector_destroy(lode_sig_collector *c)
{
    if (!c)
        return;
    free(c->jobs);
    free(c->digests);
    free(c->keys);
    free(c->signatures);
    free(c->key_pointers);
    free(c->signature_pointers);
    free(c->key_lengths);
    free(c->signature_lengths);
    free(c->verdicts);
    free(c);
}
