/* test/fuzz/script_fuzz.c: any scripts under any flags: the same verdict whichever way it is found.
 *
 * Input: flags u32 | fewer u32 | wrapping u8 | script_sig length u16 | script length u16 | script_sig | script |
 * witness items as serialised. Wrapping 1: P2SH, 2: v0, 3: v0 in P2SH, 4: tapscript, else none. Lock time and sequence
 * are taken from `fewer`, which says which flags a second run does without.
 */
#include "validate/script/collector.h"

#include <secp256k1_extrakeys.h>

#include "primitives/encode.h"
#include "test/fuzz/fuzz.h"
#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"
#include "validate/script/taproot.h"

typedef struct wrapped {
    lode_buf script_sig, script_pubkey;
    lode_slice script;
    uint8_t control[33];
    bool by_witness, by_taproot;
} wrapped;

static void put_program(lode_buf *out, uint8_t version_op, const uint8_t hash[32])
{
    lode_buf_put_u8(out, version_op);
    script_put_push(out, lode_slice_of(hash, 32));
}

static void wrap_taproot(wrapped *w)
{
    static const uint8_t internal_key[32] = { 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62,
                                              0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce,
                                              0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98 };
    const secp256k1_context *context = secp256k1_context_static;
    secp256k1_xonly_pubkey internal, output;
    secp256k1_pubkey tweaked;
    uint8_t leaf[32], tweak[32], key[32];
    int parity;
    lode_tapleaf_hash(leaf, LODE_TAPROOT_LEAF_TAPSCRIPT, w->script);
    lode_taproot_tweak(tweak, internal_key, leaf);
    FUZZ_CHECK(secp256k1_xonly_pubkey_parse(context, &internal, internal_key));
    FUZZ_CHECK(secp256k1_xonly_pubkey_tweak_add(context, &tweaked, &internal, tweak));
    FUZZ_CHECK(secp256k1_xonly_pubkey_from_pubkey(context, &output, &parity, &tweaked));
    secp256k1_xonly_pubkey_serialize(context, key, &output);
    w->control[0] = (uint8_t)(LODE_TAPROOT_LEAF_TAPSCRIPT | parity);
    memcpy(w->control + 1, internal_key, 32);
    put_program(&w->script_pubkey, 0x51, key);
}

static void wrap_p2sh(wrapped *w, lode_slice redeem)
{
    uint8_t hash[20];
    script_put_push(&w->script_sig, redeem);
    lode_hash160(hash, redeem.data, redeem.len);
    lode_buf_put_u8(&w->script_pubkey, 0xa9);
    script_put_push(&w->script_pubkey, lode_slice_of(hash, 20));
    lode_buf_put_u8(&w->script_pubkey, 0x87);
}

static void wrap(wrapped *w, uint8_t wrapping)
{
    lode_buf program = LODE_BUF_EMPTY;
    uint8_t hash[32];
    w->by_witness = wrapping >= 2 && wrapping <= 4;
    w->by_taproot = wrapping == 4;
    lode_sha256(hash, w->script.data, w->script.len);
    put_program(&program, 0, hash);
    if (wrapping == 1)
        wrap_p2sh(w, w->script);
    else if (wrapping == 2)
        lode_buf_append(&w->script_pubkey, program.data, program.len);
    else if (wrapping == 3)
        wrap_p2sh(w, lode_buf_slice(&program));
    else if (wrapping == 4)
        wrap_taproot(w);
    else
        lode_buf_append(&w->script_pubkey, w->script.data, w->script.len);
    lode_buf_clear(&program);
}

static void check_spend(spend *s, uint32_t flags, uint32_t fewer)
{
    lode_tx_hashes hashes;
    lode_script_error error, collected;
    uint32_t failed;
    uint64_t failed_job;
    lode_tx_hashes_init(&hashes, &s->tx, &s->spent, false);
    bool good = lode_tx_check_scripts(&error, &failed, &hashes, 0, 1, flags, NULL);
    FUZZ_CHECK(good == (error == LODE_SCRIPT_OK));

    lode_sig_collector *collector = lode_sig_collector_create(3);
    FUZZ_CHECK(collector);
    lode_sig_collector_add(collector, &hashes, 0, flags);
    FUZZ_CHECK(lode_sig_collector_finish(collector, &collected, &failed_job) == good && collected == error);
    lode_sig_collector_destroy(collector);

    if (good) /* fewer rules refuse nothing more */
        FUZZ_CHECK(lode_tx_check_scripts(&error, &failed, &hashes, 0, 1, script_trim_flags(flags & ~fewer), NULL));
    lode_slice script_pubkey = lode_slice_of(s->spent.script, s->spent.script_len);
    FUZZ_CHECK(lode_script_sigops(script_pubkey, true) <= lode_script_sigops(script_pubkey, false));
    lode_script_witness_sigops(&s->input, script_pubkey, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len);
    wrapped w = { .script_sig = LODE_BUF_EMPTY, .script_pubkey = LODE_BUF_EMPTY };
    lode_slice item;
    spend s;

    uint32_t flags = script_fill_flags(lode_reader_u32(&r) & script_all_flags), fewer = lode_reader_u32(&r);
    uint8_t wrapping = lode_reader_u8(&r);
    size_t sig_len = lode_reader_u16(&r), script_len = lode_reader_u16(&r);
    const uint8_t *sig = lode_reader_take(&r, sig_len);
    w.script = lode_slice_of(lode_reader_take(&r, script_len), script_len);
    if (r.bad)
        return 0;
    lode_buf_append(&w.script_sig, sig, sig_len);
    wrap(&w, wrapping);

    spend_init(&s, lode_buf_slice(&w.script_sig), lode_buf_slice(&w.script_pubkey), 1000);
    s.tx.version = 2;
    s.tx.lock_time = fewer;
    s.input.sequence = fewer >> 4;
    while (lode_reader_left(&r) > 0 && lode_witness_next(&r, &item))
        spend_add_witness(&s, item);
    if (w.by_witness)
        spend_add_witness(&s, w.script);
    if (w.by_taproot)
        spend_add_witness(&s, lode_slice_of(w.control, sizeof w.control));
    check_spend(&s, flags, fewer);

    spend_clear(&s);
    lode_buf_clear(&w.script_sig);
    lode_buf_clear(&w.script_pubkey);
    return 0;
}
