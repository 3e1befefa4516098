/* bench/script_check.c: how much does a script check cost beside the signature in it?
 *
 * For each kind of output: checks per second of one core, against bare libsecp256k1 (parse key, parse signature,
 * verify; ECDSA or Schnorr as the kind uses) of the same keys and signatures. Both run in turns of one run, timed by
 * the thread's processor time; the ratio of a kind is the median over the turns. Multisig counts signatures;
 * p2tr_script holds one more multiplication, the commitment. Warm, one thread, no cache of signatures.
 *
 *     bench/script_check [turns, 15] [checks per turn, 400]
 */
#include <stdio.h>
#include <stdlib.h>

#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include "bench/common/report.h"
#include "primitives/encode.h"
#include "support/thread.h"
#include "validate/script/lax_der.h"
#include "validate/script/opcode.h"
#include "validate/script/sigcheck.h"
#include "validate/script/taproot.h"

enum { INPUTS = 200, MAX_TURNS = 101 };
enum {
    FLAGS = LODE_VERIFY_P2SH | LODE_VERIFY_DERSIG | LODE_VERIFY_NULLDUMMY | LODE_VERIFY_CHECKLOCKTIMEVERIFY |
            LODE_VERIFY_CHECKSEQUENCEVERIFY | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT
};

typedef struct spend_kind spend_kind;

/* One transaction whose inputs all spend one kind, two outputs. */
typedef struct spends {
    lode_tx tx;
    lode_txin inputs[INPUTS];
    lode_txout spent[INPUTS], outputs[2];
    uint8_t prevouts[INPUTS][36];
    uint8_t scripts[INPUTS][200], sigs[INPUTS][400], witnesses[INPUTS][400];
    lode_tx_hashes hashes;

    /* what the bare loop verifies, by input */
    uint8_t digests[INPUTS][32], keys[INPUTS][33], bare_sigs[INPUTS][72];
    size_t bare_sig_lens[INPUTS];
    bool is_schnorr;
    double sigs_per_input;
} spends;

struct spend_kind {
    const char *name;
    void (*make_script)(spends *s, uint32_t i);
    void (*sign)(spends *s, uint32_t i);
    bool is_schnorr;
    double sigs;
};

static secp256k1_context *signer;

static void stop(const char *why)
{
    fprintf(stderr, "script_check: %s\n", why);
    exit(1);
}

static void make_secret(uint8_t secret[32], uint32_t i, uint32_t which)
{
    memset(secret, 1, 32);
    lode_write_le32(secret, i + 1);
    lode_write_le32(secret + 4, which + 1);
    secret[31] = 7;
}

static void make_key(uint8_t key[33], uint32_t i, uint32_t which)
{
    secp256k1_pubkey point;
    uint8_t secret[32];
    size_t len = 33;
    make_secret(secret, i, which);
    if (!secp256k1_ec_pubkey_create(signer, &point, secret))
        stop("no key");
    secp256k1_ec_pubkey_serialize(signer, key, &len, &point, SECP256K1_EC_COMPRESSED);
}

/* DER and hash type; the first signature of an input is the bare loop's, too. */
static size_t sign_ecdsa(spends *s, uint8_t *out, uint32_t i, uint32_t which, const uint8_t digest[32])
{
    secp256k1_ecdsa_signature sig;
    uint8_t secret[32];
    size_t len = 72;
    make_secret(secret, i, which);
    if (!secp256k1_ecdsa_sign(signer, &sig, digest, secret, NULL, NULL))
        stop("no signature");
    secp256k1_ecdsa_signature_serialize_der(signer, out, &len, &sig);
    if (which == 0) {
        memcpy(s->digests[i], digest, 32);
        make_key(s->keys[i], i, 0);
        memcpy(s->bare_sigs[i], out, len);
        s->bare_sig_lens[i] = len;
    }
    out[len++] = LODE_SIGHASH_ALL;
    return len;
}

static size_t put_push(uint8_t *out, const uint8_t *data, size_t len)
{
    out[0] = (uint8_t)len;
    memcpy(out + 1, data, len);
    return len + 1;
}

static void set_script(spends *s, uint32_t i, size_t len)
{
    s->spent[i] = (lode_txout){ { 100000 + i }, s->scripts[i], (uint32_t)len };
}

static void set_witness(spends *s, uint32_t i, size_t len, uint32_t count)
{
    s->inputs[i].witness = s->witnesses[i];
    s->inputs[i].witness_len = (uint32_t)len;
    s->inputs[i].witness_count = count;
}

static size_t put_key_hash_script(uint8_t *out, uint32_t i)
{
    static const uint8_t head[] = { LODE_OP_DUP, LODE_OP_HASH160, 20 };
    uint8_t key[33];
    make_key(key, i, 0);
    memcpy(out, head, 3);
    lode_hash160(out + 3, key, 33);
    out[23] = LODE_OP_EQUALVERIFY;
    out[24] = LODE_OP_CHECKSIG;
    return 25;
}

static void make_p2pkh(spends *s, uint32_t i)
{
    set_script(s, i, put_key_hash_script(s->scripts[i], i));
}

static void sign_p2pkh(spends *s, uint32_t i)
{
    uint8_t digest[32], sig[73], key[33];
    lode_sighash_legacy(digest, &s->tx, i, lode_slice_of(s->scripts[i], 25), LODE_SIGHASH_ALL, NULL);
    size_t len = put_push(s->sigs[i], sig, sign_ecdsa(s, sig, i, 0, digest));
    make_key(key, i, 0);
    len += put_push(s->sigs[i] + len, key, 33);
    s->inputs[i].script_sig = s->sigs[i];
    s->inputs[i].script_sig_len = (uint32_t)len;
}

static void make_p2wpkh(spends *s, uint32_t i)
{
    uint8_t key[33];
    make_key(key, i, 0);
    s->scripts[i][0] = 0;
    s->scripts[i][1] = 20;
    lode_hash160(s->scripts[i] + 2, key, 33);
    set_script(s, i, 22);
    set_witness(s, i, 0, 1); /* so that the hashes it needs are made */
}

static void sign_p2wpkh(spends *s, uint32_t i)
{
    uint8_t digest[32], sig[73], key[33], code[25];
    put_key_hash_script(code, i);
    lode_sighash_v0(digest, &s->hashes, i, lode_slice_of(code, 25), s->spent[i].value, LODE_SIGHASH_ALL, NULL);
    size_t len = put_push(s->witnesses[i], sig, sign_ecdsa(s, sig, i, 0, digest));
    make_key(key, i, 0);
    len += put_push(s->witnesses[i] + len, key, 33);
    set_witness(s, i, len, 2);
}

static size_t put_multisig(uint8_t *out, uint32_t i, uint32_t sigs, uint32_t keys)
{
    size_t len = 0;
    uint8_t key[33];
    out[len++] = (uint8_t)(LODE_OP_1 + sigs - 1);
    for (uint32_t k = 0; k < keys; k++) {
        make_key(key, i, k);
        len += put_push(out + len, key, 33);
    }
    out[len++] = (uint8_t)(LODE_OP_1 + keys - 1);
    out[len++] = LODE_OP_CHECKMULTISIG;
    return len;
}

static void make_p2wsh_multisig(spends *s, uint32_t i)
{
    uint8_t script[110];
    s->scripts[i][0] = 0;
    s->scripts[i][1] = 32;
    lode_sha256(s->scripts[i] + 2, script, put_multisig(script, i, 2, 3));
    set_script(s, i, 34);
    set_witness(s, i, 0, 1);
}

/* The last two keys sign, so each try is a good one. */
static void sign_p2wsh_multisig(spends *s, uint32_t i)
{
    uint8_t digest[32], sig[73], script[110];
    size_t script_len = put_multisig(script, i, 2, 3), len = 0;
    lode_sighash_v0(digest, &s->hashes, i, lode_slice_of(script, script_len), s->spent[i].value, LODE_SIGHASH_ALL,
                    NULL);
    sign_ecdsa(s, sig, i, 0, digest);
    s->witnesses[i][len++] = 0;
    len += put_push(s->witnesses[i] + len, sig, sign_ecdsa(s, sig, i, 1, digest));
    len += put_push(s->witnesses[i] + len, sig, sign_ecdsa(s, sig, i, 2, digest));
    len += put_push(s->witnesses[i] + len, script, script_len);
    set_witness(s, i, len, 4);
}

static void make_pair(secp256k1_keypair *pair, uint8_t x_only[32], uint32_t i)
{
    secp256k1_xonly_pubkey key;
    uint8_t secret[32];
    make_secret(secret, i, 0);
    if (!secp256k1_keypair_create(signer, pair, secret) || !secp256k1_keypair_xonly_pub(signer, &key, NULL, pair))
        stop("no key pair");
    secp256k1_xonly_pubkey_serialize(signer, x_only, &key);
}

static void sign_schnorr(spends *s, uint8_t sig[64], uint32_t i, const uint8_t digest[32])
{
    secp256k1_keypair pair;
    uint8_t x_only[32];
    make_pair(&pair, x_only, i);
    if (!secp256k1_schnorrsig_sign32(signer, sig, digest, &pair, NULL))
        stop("no signature");
    memcpy(s->digests[i], digest, 32);
    memcpy(s->keys[i], x_only, 32);
    memcpy(s->bare_sigs[i], sig, 64);
    s->bare_sig_lens[i] = 64;
}

static void make_taproot_key(spends *s, uint32_t i)
{
    secp256k1_keypair pair;
    s->scripts[i][0] = LODE_OP_1;
    s->scripts[i][1] = 32;
    make_pair(&pair, s->scripts[i] + 2, i);
    set_script(s, i, 34);
    set_witness(s, i, 0, 1);
}

static void sign_taproot_key(spends *s, uint32_t i)
{
    lode_tapscript_context context = { .is_script_path = false };
    uint8_t digest[32], sig[64];
    lode_sighash_taproot(digest, &s->hashes, i, LODE_SIGHASH_DEFAULT, &context, NULL);
    sign_schnorr(s, sig, i, digest);
    set_witness(s, i, put_push(s->witnesses[i], sig, 64), 1);
}

/* <key> OP_CHECKSIG as the only leaf, under the same key. */
static void make_leaf(uint8_t script[34], uint8_t leaf_hash[32], uint32_t i)
{
    secp256k1_keypair pair;
    script[0] = 32;
    make_pair(&pair, script + 1, i);
    script[33] = LODE_OP_CHECKSIG;
    lode_tapleaf_hash(leaf_hash, LODE_TAPROOT_LEAF_TAPSCRIPT, lode_slice_of(script, 34));
}

static int make_output_key(uint8_t output_key[32], uint32_t i)
{
    uint8_t script[34], leaf_hash[32], tweak[32];
    secp256k1_keypair pair;
    secp256k1_xonly_pubkey key;
    int parity;
    make_leaf(script, leaf_hash, i);
    lode_taproot_tweak(tweak, script + 1, leaf_hash);
    make_pair(&pair, output_key, i);
    if (!secp256k1_keypair_xonly_tweak_add(signer, &pair, tweak) ||
        !secp256k1_keypair_xonly_pub(signer, &key, &parity, &pair))
        stop("no output key");
    secp256k1_xonly_pubkey_serialize(signer, output_key, &key);
    return parity;
}

static void make_taproot_script(spends *s, uint32_t i)
{
    s->scripts[i][0] = LODE_OP_1;
    s->scripts[i][1] = 32;
    make_output_key(s->scripts[i] + 2, i);
    set_script(s, i, 34);
    set_witness(s, i, 0, 1);
}

static void sign_taproot_script(spends *s, uint32_t i)
{
    lode_tapscript_context context = { .is_script_path = true, .code_separator_position = UINT32_MAX };
    uint8_t digest[32], sig[64], script[34], control[33], output_key[32];
    make_leaf(script, context.leaf_hash, i);
    lode_sighash_taproot(digest, &s->hashes, i, LODE_SIGHASH_DEFAULT, &context, NULL);
    sign_schnorr(s, sig, i, digest);
    control[0] = (uint8_t)(LODE_TAPROOT_LEAF_TAPSCRIPT | make_output_key(output_key, i));
    memcpy(control + 1, script + 1, 32);
    size_t len = put_push(s->witnesses[i], sig, 64);
    len += put_push(s->witnesses[i] + len, script, 34);
    len += put_push(s->witnesses[i] + len, control, 33);
    set_witness(s, i, len, 3);
}

static const spend_kind kinds[] = {
    { "p2pkh", make_p2pkh, sign_p2pkh, false, 1 },
    { "p2wpkh", make_p2wpkh, sign_p2wpkh, false, 1 },
    { "p2wsh_2of3", make_p2wsh_multisig, sign_p2wsh_multisig, false, 2 },
    { "p2tr_key", make_taproot_key, sign_taproot_key, true, 1 },
    { "p2tr_script", make_taproot_script, sign_taproot_script, true, 1 },
};

static void make_spends(spends *s, const spend_kind *kind, uint32_t inputs)
{
    memset(s, 0, sizeof *s);
    s->tx.version = 2;
    s->tx.inputs = s->inputs;
    s->tx.outputs = s->outputs;
    s->tx.input_count = inputs;
    s->tx.output_count = 2;
    s->is_schnorr = kind->is_schnorr;
    s->sigs_per_input = kind->sigs;
    for (uint32_t i = 0; i < inputs; i++) {
        memset(s->prevouts[i], (int)(i + 1), 36);
        s->inputs[i] = (lode_txin){ .prevout = s->prevouts[i], .sequence = 0xfffffffdu };
        kind->make_script(s, i);
    }
    for (int i = 0; i < 2; i++)
        s->outputs[i] = (lode_txout){ { 5000 }, s->scripts[0], s->spent[0].script_len };
    lode_tx_hashes_init(&s->hashes, &s->tx, s->spent, false);
    for (uint32_t i = 0; i < inputs; i++)
        kind->sign(s, i);
}

static double run_scripts(const spends *s, uint32_t checks)
{
    uint64_t start = lode_thread_cpu_ns();
    for (uint32_t done = 0; done < checks; done += s->tx.input_count) {
        lode_tx_hashes hashes;
        lode_script_error error;
        uint32_t failed;
        lode_tx_hashes_init(&hashes, &s->tx, s->spent, false);
        if (!lode_tx_check_scripts(&error, &failed, &hashes, 0, s->tx.input_count, FLAGS, NULL))
            stop(lode_script_error_name(error));
    }
    return (double)(lode_thread_cpu_ns() - start);
}

static bool verify_bare(const spends *s, uint32_t i)
{
    const secp256k1_context *context = secp256k1_context_static;
    if (s->is_schnorr) {
        secp256k1_xonly_pubkey key;
        return secp256k1_xonly_pubkey_parse(context, &key, s->keys[i]) &&
               secp256k1_schnorrsig_verify(context, s->bare_sigs[i], s->digests[i], 32, &key);
    }
    secp256k1_pubkey key;
    secp256k1_ecdsa_signature sig;
    return secp256k1_ec_pubkey_parse(context, &key, s->keys[i], 33) &&
           secp256k1_ecdsa_signature_parse_der(context, &sig, s->bare_sigs[i], s->bare_sig_lens[i]) &&
           secp256k1_ecdsa_verify(context, &sig, s->digests[i], &key);
}

static double run_bare(const spends *s, uint32_t checks)
{
    uint64_t start = lode_thread_cpu_ns();
    for (uint32_t done = 0; done < checks; done += s->tx.input_count)
        for (uint32_t i = 0; i < s->tx.input_count; i++)
            if (!verify_bare(s, i))
                stop("a bare signature is wrong");
    return (double)(lode_thread_cpu_ns() - start);
}

static void measure(const spend_kind *kind, uint32_t inputs, uint32_t turns, uint32_t checks)
{
    static spends s;
    double rates[MAX_TURNS], ratios[MAX_TURNS];
    make_spends(&s, kind, inputs);
    uint32_t done = (checks + inputs - 1) / inputs * inputs;
    run_scripts(&s, done);
    for (uint32_t t = 0; t < turns; t++) {
        double bare, ours;
        if (t & 1) {
            bare = run_bare(&s, done);
            ours = run_scripts(&s, done);
        } else {
            ours = run_scripts(&s, done);
            bare = run_bare(&s, done);
        }
        rates[t] = done / (ours * 1e-9);
        ratios[t] = bare * s.sigs_per_input / ours;
    }
    lode_sort_doubles(rates, turns);
    lode_sort_doubles(ratios, turns);
    printf("script_check_%s inputs=%u checks/s/core %.0f %.0f %.0f   of_bare %.4f %.4f %.4f\n", kind->name, inputs,
           rates[0], rates[turns / 2], rates[turns - 1], ratios[0], ratios[turns / 2], ratios[turns - 1]);
}

int main(int argc, char **argv)
{
    uint32_t turns = argc > 1 ? (uint32_t)atoi(argv[1]) : 15, checks = argc > 2 ? (uint32_t)atoi(argv[2]) : 400;
    if (turns < 1 || turns > MAX_TURNS || checks < 1)
        stop("turns are 1 to 101, checks at least 1");
    signer = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        measure(&kinds[k], 2, turns, checks);
        measure(&kinds[k], 100, turns, checks);
    }
    secp256k1_context_destroy(signer);
    return 0;
}
