/* bench/chain/unlock.c: signatures, and the input scripts and witnesses around them.
 *
 * Room:     one input at a time, from the coin's kind.
 * Touches:  libsecp256k1, whose own nonces (RFC 6979, BIP 340 without extra randomness) make the same bytes every time.
 * Threads:  any; the ring is only read.
 */
#include "bench/chain/unlock.h"

#include <string.h>

#include <secp256k1_schnorrsig.h>

#include "bench/chain/script_kind.h"
#include "primitives/encode.h"
#include "validate/script/opcode.h"

/* Fixed room for one signature with its hash type: 72 bytes of DER (71 and a needless zero) and 1. */
typedef struct lode_made_sig {
    uint8_t bytes[80];
    size_t len;
} lode_made_sig;

static void put_script_push(lode_buf *b, const void *data, size_t len)
{
    if (len > 75)
        lode_buf_put_u8(b, LODE_OP_PUSHDATA1);
    lode_buf_put_u8(b, (uint8_t)len);
    lode_buf_append(b, data, len);
}

static void put_item(lode_buf *b, const void *data, size_t len)
{
    lode_buf_put_compact_size(b, len);
    lode_buf_append(b, data, len);
}

static uint8_t ecdsa_hash_type(const lode_unlock_job *job)
{
    return job->input->sighash == LODE_SIGHASH_DEFAULT ? LODE_SIGHASH_ALL : job->input->sighash;
}

static void hash_message(uint8_t hash[32], const lode_unlock_job *job, lode_slice code)
{
    const lode_made_coin *coin = &job->input->coin;

    if (lode_coin_kind_has_witness((lode_coin_kind)coin->kind))
        lode_sighash_v0(hash, job->hashes, job->index, code, (lode_amount){ coin->value }, ecdsa_hash_type(job), NULL);
    else
        lode_sighash_legacy(hash, job->tx, job->index, code, ecdsa_hash_type(job), NULL);
    if (job->input->spoil == LODE_SPOIL_MESSAGE)
        hash[0] ^= 1;
}

/* 30 len 02 rlen R ...: R gets a zero in front. */
static void pad_der(lode_made_sig *sig)
{
    memmove(sig->bytes + 5, sig->bytes + 4, sig->len - 4);
    sig->bytes[4] = 0;
    sig->bytes[3]++;
    sig->bytes[1]++;
    sig->len++;
}

static bool sign_ecdsa(lode_made_sig *sig, const lode_unlock_job *job, uint32_t key, lode_slice code)
{
    const lode_maker_key *k = lode_key_ring_at(job->ring, key);
    secp256k1_ecdsa_signature made;
    uint8_t hash[32];

    sig->len = 0;
    if (job->input->spoil == LODE_SPOIL_NO_SIG)
        return true;
    hash_message(hash, job, code);
    sig->len = 72;
    if (!secp256k1_ecdsa_sign(job->ring->context, &made, hash, k->secret, NULL, NULL) ||
        !secp256k1_ecdsa_signature_serialize_der(job->ring->context, sig->bytes, &sig->len, &made))
        return false;
    if (job->input->spoil == LODE_SPOIL_DER)
        pad_der(sig);
    sig->bytes[sig->len++] = ecdsa_hash_type(job);
    return true;
}

static bool sign_schnorr(lode_made_sig *sig, const lode_unlock_job *job, const secp256k1_keypair *pair,
                         const lode_tapscript_context *context)
{
    uint8_t hash[32];
    uint8_t type = job->input->sighash;

    sig->len = 0;
    if (job->input->spoil == LODE_SPOIL_NO_SIG)
        return true;
    if (!lode_sighash_taproot(hash, job->hashes, job->index, type, context, NULL))
        return false;
    if (job->input->spoil == LODE_SPOIL_MESSAGE)
        hash[0] ^= 1;
    if (!secp256k1_schnorrsig_sign32(job->ring->context, sig->bytes, hash, pair, NULL))
        return false;
    sig->len = 64;
    if (job->input->spoil == LODE_SPOIL_HASH_TYPE)
        type = 4;
    if (type != LODE_SIGHASH_DEFAULT)
        sig->bytes[sig->len++] = type;
    return true;
}

/* The key that is shown. */
static const lode_maker_key *shown_key(const lode_unlock_job *job)
{
    return lode_key_ring_at(job->ring, job->input->coin.key + (job->input->spoil == LODE_SPOIL_KEY));
}

static size_t write_inner(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_unlock_job *job)
{
    const lode_made_coin *coin = &job->input->coin;
    return lode_script_inner(out, job->ring, (lode_coin_kind)coin->kind, coin->key, coin->height);
}

/* The script that is shown: the same, or another's. */
static size_t write_shown(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_unlock_job *job)
{
    const lode_made_coin *coin = &job->input->coin;
    uint32_t key = coin->key + (job->input->spoil == LODE_SPOIL_SCRIPT);
    return lode_script_inner(out, job->ring, (lode_coin_kind)coin->kind, key, coin->height);
}

/* Keys 0 and 2 of three. */
static bool sign_multisig(lode_made_sig sigs[2], const lode_unlock_job *job, lode_slice code)
{
    bool swap = job->input->spoil == LODE_SPOIL_ORDER;

    return sign_ecdsa(&sigs[swap ? 1 : 0], job, job->input->coin.key, code) &&
           sign_ecdsa(&sigs[swap ? 0 : 1], job, job->input->coin.key + 2u, code);
}

static bool unlock_bare(lode_buf *script_sig, const lode_unlock_job *job)
{
    uint8_t code[LODE_MADE_SCRIPT_MAX], shown[LODE_MADE_SCRIPT_MAX];
    lode_coin_kind kind = (lode_coin_kind)job->input->coin.kind;
    size_t code_len = write_inner(code, job);
    lode_made_sig sigs[2];

    if (kind == LODE_KIND_MULTISIG || kind == LODE_KIND_P2SH_MULTISIG) {
        if (!sign_multisig(sigs, job, lode_slice_of(code, code_len)))
            return false;
        lode_buf_put_u8(script_sig, job->input->spoil == LODE_SPOIL_DUMMY ? LODE_OP_1 : LODE_OP_0);
        put_script_push(script_sig, sigs[0].bytes, sigs[0].len);
        put_script_push(script_sig, sigs[1].bytes, sigs[1].len);
    } else {
        if (!sign_ecdsa(&sigs[0], job, job->input->coin.key, lode_slice_of(code, code_len)))
            return false;
        put_script_push(script_sig, sigs[0].bytes, sigs[0].len);
    }
    if (kind == LODE_KIND_P2PKH)
        put_script_push(script_sig, shown_key(job)->compressed, 33);
    if (kind == LODE_KIND_P2PKH_UNCOMPRESSED)
        put_script_push(script_sig, shown_key(job)->uncompressed, 65);
    if (kind == LODE_KIND_P2SH_MULTISIG || kind == LODE_KIND_CLTV_P2SH || kind == LODE_KIND_CSV_P2SH)
        put_script_push(script_sig, shown, write_shown(shown, job));
    return true;
}

/* One item that no block has room for. */
static bool put_huge_witness(lode_buf *witness)
{
    uint8_t *item;

    lode_buf_put_u8(witness, 1);
    lode_buf_put_compact_size(witness, 4000000);
    item = lode_buf_extend(witness, 4000000);
    if (item)
        memset(item, 0, 4000000);
    return true;
}

static bool unlock_v0(lode_buf *witness, const lode_unlock_job *job)
{
    static const uint8_t one = 1;
    uint8_t code[LODE_MADE_SCRIPT_MAX];
    lode_coin_kind kind = (lode_coin_kind)job->input->coin.kind;
    size_t code_len = write_inner(code, job);
    bool is_multisig = kind == LODE_KIND_P2WSH || kind == LODE_KIND_P2SH_P2WSH;
    lode_made_sig sigs[2];

    if (job->input->spoil == LODE_SPOIL_HUGE_WITNESS)
        return put_huge_witness(witness);
    if (is_multisig ? !sign_multisig(sigs, job, lode_slice_of(code, code_len))
                    : !sign_ecdsa(&sigs[0], job, job->input->coin.key, lode_slice_of(code, code_len)))
        return false;
    lode_buf_put_u8(witness, is_multisig ? 4 : 2);
    if (is_multisig)
        put_item(witness, &one, job->input->spoil == LODE_SPOIL_DUMMY ? 1 : 0);
    put_item(witness, sigs[0].bytes, sigs[0].len);
    if (is_multisig)
        put_item(witness, sigs[1].bytes, sigs[1].len);
    if (kind == LODE_KIND_P2WPKH || kind == LODE_KIND_P2SH_P2WPKH)
        put_item(witness, shown_key(job)->compressed, 33);
    else
        put_item(witness, code, write_shown(code, job));
    return true;
}

static bool unlock_key_path(lode_buf *witness, const lode_unlock_job *job)
{
    const lode_tapscript_context context = { .is_script_path = false };
    lode_made_sig sig;

    if (!sign_schnorr(&sig, job, &lode_key_ring_at(job->ring, job->input->coin.key)->taproot_keypair, &context))
        return false;
    lode_buf_put_u8(witness, 1);
    put_item(witness, sig.bytes, sig.len);
    return true;
}

/* Signatures in the order in which the leaf asks for their keys, last key's first on the stack: key 1 does not sign. */
static bool put_leaf_sigs(lode_buf *witness, const lode_unlock_job *job, const lode_tapscript_context *context)
{
    const lode_made_coin *coin = &job->input->coin;
    bool is_multisig = coin->kind == LODE_KIND_P2TR_MULTISIG;
    lode_made_sig sig;

    if (is_multisig) {
        if (!sign_schnorr(&sig, job, &lode_key_ring_at(job->ring, coin->key + 2u)->keypair, context))
            return false;
        put_item(witness, sig.bytes, sig.len);
        put_item(witness, NULL, 0);
    }
    if (!sign_schnorr(&sig, job, &lode_key_ring_at(job->ring, coin->key)->keypair, context))
        return false;
    put_item(witness, sig.bytes, sig.len);
    return true;
}

static bool unlock_script_path(lode_buf *witness, const lode_unlock_job *job)
{
    const lode_made_coin *coin = &job->input->coin;
    lode_tapscript_context context = { .is_script_path = true, .code_separator_position = UINT32_C(0xffffffff) };
    uint8_t leaf[LODE_MADE_SCRIPT_MAX], control[65];
    size_t control_len =
        lode_script_control_block(control, job->ring, (lode_coin_kind)coin->kind, coin->key, coin->height);

    if (job->input->spoil == LODE_SPOIL_CONTROL)
        control_len--;
    lode_maker_leaf_hash(context.leaf_hash, leaf, write_inner(leaf, job));
    lode_buf_put_u8(witness, coin->kind == LODE_KIND_P2TR_MULTISIG ? 5 : 3);
    if (!put_leaf_sigs(witness, job, &context))
        return false;
    put_item(witness, leaf, write_shown(leaf, job));
    put_item(witness, control, control_len);
    return true;
}

static bool unlock_witness(lode_buf *witness, const lode_unlock_job *job)
{
    lode_coin_kind kind = (lode_coin_kind)job->input->coin.kind;

    if (job->input->spoil == LODE_SPOIL_NO_WITNESS) {
        lode_buf_put_u8(witness, 0);
        return true;
    }
    if (kind == LODE_KIND_P2TR)
        return unlock_key_path(witness, job);
    return lode_coin_kind_is_taproot(kind) ? unlock_script_path(witness, job) : unlock_v0(witness, job);
}

bool lode_unlock(lode_buf *script_sig, lode_buf *witness, const lode_unlock_job *job)
{
    const lode_made_coin *coin = &job->input->coin;
    lode_coin_kind kind = (lode_coin_kind)coin->kind;
    uint8_t nested[LODE_MADE_SCRIPT_MAX];

    if (!lode_coin_kind_has_witness(kind)) {
        lode_buf_put_u8(witness, 0);
        return unlock_bare(script_sig, job);
    }
    if (kind == LODE_KIND_P2SH_P2WPKH || kind == LODE_KIND_P2SH_P2WSH)
        put_script_push(script_sig, nested, lode_script_nested(nested, job->ring, kind, coin->key, coin->height));
    else if (job->input->spoil == LODE_SPOIL_SCRIPT_SIG)
        lode_buf_put_u8(script_sig, LODE_OP_1);
    return unlock_witness(witness, job);
}
