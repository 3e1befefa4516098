/* test/validate/script_maker.c: random transactions whose scripts mostly make sense. */
#include "test/validate/script_maker.h"

#include "primitives/encode.h"
#include "test/validate/script_phrases.h"
#include "validate/script/opcode.h"
#include "validate/script/taproot.h"

uint64_t maker_random(maker *m, uint64_t below)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random * UINT64_C(0x2545f4914f6cdd1d) % below;
}

static void make_transaction(maker *m)
{
    static const uint32_t versions[] = { 1, 2, 2, 3, 0, 0xffffffffu, 0x80000000u };
    static const uint32_t lock_times[] = { 0, 100, 499999999, 500000000, 0xffffffffu };
    static const uint32_t sequences[] = { 0xffffffffu, 0xfffffffeu, 0, 10, 0x400010, 0x80000005u, 0x10010 };
    for (size_t i = 0; i < sizeof m->filler; i++)
        m->filler[i] = (uint8_t)maker_random(m, 256);

    m->tx.version = (int32_t)versions[maker_random(m, 7)];
    m->tx.lock_time = lock_times[maker_random(m, 5)];
    m->tx.inputs = m->inputs;
    m->tx.outputs = m->outputs;
    m->tx.input_count = 1 + (uint32_t)maker_random(m, MAKER_MAX_INPUTS);
    m->tx.output_count = (uint32_t)maker_random(m, MAKER_MAX_OUTPUTS + 1);
    m->input = (uint32_t)maker_random(m, m->tx.input_count);
    for (uint32_t i = 0; i < m->tx.input_count; i++) {
        memcpy(m->prevouts[i], m->filler + 40 * i, 36);
        m->inputs[i] = (lode_txin){ .prevout = m->prevouts[i], .sequence = sequences[maker_random(m, 7)] };
        m->spent[i] = (lode_txout){ { (int64_t)maker_random(m, 1000000) }, m->filler, (uint32_t)maker_random(m, 40) };
    }
    for (uint32_t i = 0; i < m->tx.output_count; i++)
        m->outputs[i] =
            (lode_txout){ { (int64_t)maker_random(m, 1000000) }, m->filler, (uint32_t)maker_random(m, 600) };
}

/* How the script is wrapped. */
static void choose_wrapping(maker *m)
{
    uint64_t kind = maker_random(m, 7);
    m->is_bare = kind == 0;
    m->within_p2sh = kind == 1 || kind == 3;
    m->is_v0 = kind == 2 || kind == 3;
    m->is_tapscript = kind >= 5;
}

static void make_program(lode_buf *out, uint8_t version, const uint8_t *program, size_t len)
{
    lode_buf_put_u8(out, version ? (uint8_t)(LODE_OP_1 + version - 1) : 0);
    maker_put_push(out, lode_slice_of(program, len));
}

static void make_tapscript_output(maker *m)
{
    uint8_t leaf[32], root[32], output_key[32], sibling[32];
    const test_key *key = test_key_at((unsigned)maker_random(m, TEST_KEY_COUNT));
    uint8_t leaf_version = maker_random(m, 20) ? LODE_TAPROOT_LEAF_TAPSCRIPT : 0xc2;
    lode_buf_put_u8(&m->control, leaf_version);
    lode_buf_append(&m->control, key->x_only, 32);
    for (uint64_t depth = maker_random(m, 3); depth > 0; depth--) {
        memset(sibling, (int)maker_random(m, 256), 32);
        lode_buf_append(&m->control, sibling, 32);
    }
    lode_tapleaf_hash(leaf, leaf_version, lode_buf_slice(&m->script));
    lode_taproot_root(root, lode_buf_slice(&m->control), leaf);
    m->control.data[0] |= (uint8_t)test_tweak(output_key, key, root);
    make_program(&m->script_pubkey, 1, output_key, 32);
    if (maker_random(m, 4) == 0) {
        lode_buf_put_u8(&m->annex, 0x50);
        lode_buf_append(&m->annex, m->filler, maker_random(m, 300));
    }
}

static void make_output(maker *m)
{
    uint8_t hash[32];
    if (m->is_tapscript) {
        make_tapscript_output(m);
        return;
    }
    lode_buf program = LODE_BUF_EMPTY;
    if (m->is_v0) {
        lode_sha256(hash, m->script.data, m->script.len);
        make_program(&program, 0, hash, 32);
    } else {
        lode_buf_append(&program, m->script.data, m->script.len);
    }
    if (m->within_p2sh) {
        lode_buf_append(&m->redeem, program.data, program.len);
        lode_hash160(hash, program.data, program.len);
        lode_buf_put_u8(&m->script_pubkey, LODE_OP_HASH160);
        maker_put_push(&m->script_pubkey, lode_slice_of(hash, 20));
        lode_buf_put_u8(&m->script_pubkey, LODE_OP_EQUAL);
    } else {
        lode_buf_append(&m->script_pubkey, program.data, program.len);
    }
    lode_buf_clear(&program);
}

static void put_witness_item(maker *m, const lode_buf *item)
{
    lode_buf_put_compact_size(&m->witness, item->len);
    lode_buf_append(&m->witness, item->data, item->len);
    m->inputs[m->input].witness_count++;
}

/* script_sig and witness from the items as they are now. */
static void assemble(maker *m)
{
    lode_txin *in = &m->inputs[m->input];
    bool by_witness = m->is_v0 || m->is_tapscript;
    lode_buf_reset(&m->script_sig);
    lode_buf_reset(&m->witness);
    in->witness_count = 0;
    for (size_t i = 0; i < m->item_count; i++) {
        if (by_witness)
            put_witness_item(m, &m->items[i]);
        else
            maker_put_minimal_push(&m->script_sig, lode_buf_slice(&m->items[i]));
    }
    if (by_witness)
        put_witness_item(m, &m->script);
    if (m->is_tapscript)
        put_witness_item(m, &m->control);
    if (m->annex.len)
        put_witness_item(m, &m->annex);
    if (m->within_p2sh)
        maker_put_push(&m->script_sig, lode_buf_slice(&m->redeem));

    in->script_sig = m->script_sig.data;
    in->script_sig_len = (uint32_t)m->script_sig.len;
    in->witness = m->witness.data;
    in->witness_len = (uint32_t)m->witness.len;
    m->spent[m->input].script = m->script_pubkey.data;
    m->spent[m->input].script_len = (uint32_t)m->script_pubkey.len;
    m->tx.has_witness = in->witness_count > 0;
}

/* A checker that recognises marks, learns what they are to sign, and is content. */
typedef struct signing_checker {
    lode_tx_checker tx;
    maker *maker;
} signing_checker;

static maker_mark *find_mark(maker *m, lode_slice sig)
{
    for (size_t i = 0; i < m->mark_count; i++)
        if (lode_slice_is_equal(sig, lode_slice_of(m->marks[i].bytes, m->marks[i].len)))
            return &m->marks[i];
    return NULL;
}

static bool sign_ecdsa(lode_sig_checker *self, lode_slice sig, lode_slice pubkey, lode_slice code,
                       lode_sig_version version)
{
    signing_checker *c = (signing_checker *)self;
    maker_mark *mark = find_mark(c->maker, sig);
    const test_key *key = mark ? test_key_at(mark->key) : NULL;
    uint8_t digest[32];
    if (!mark || mark->len != 71 ||
        !(lode_slice_is_equal(pubkey, lode_slice_of(key->compressed, 33)) ||
          lode_slice_is_equal(pubkey, lode_slice_of(key->uncompressed, 65)) ||
          lode_slice_is_equal(pubkey, lode_slice_of(key->hybrid, 65))))
        return false;
    lode_tx_checker_ecdsa_digest(digest, &c->tx, mark->bytes[70], code, version);
    test_sign_ecdsa(mark->sig, key, digest);
    mark->sig[70] = mark->bytes[70];
    mark->is_signed = true;
    return true;
}

static bool sign_schnorr(lode_sig_checker *self, lode_slice sig, const uint8_t pubkey[32],
                         const lode_tapscript_context *context, lode_script_error *error)
{
    signing_checker *c = (signing_checker *)self;
    maker_mark *mark = find_mark(c->maker, sig);
    uint8_t digest[32];
    if (!mark || !lode_tx_checker_schnorr_digest(digest, &c->tx, sig, context, error))
        return false;
    test_sign_schnorr(mark->sig, test_key_at(mark->key), digest);
    if (mark->len == 65)
        mark->sig[64] = mark->bytes[64];
    mark->is_signed = true;
    return true;
}

static void replace_marks(const maker *m, lode_buf *in)
{
    for (size_t i = 0; i < m->mark_count; i++) {
        const maker_mark *mark = &m->marks[i];
        uint8_t *found = mark->is_signed && in->len ? memmem(in->data, in->len, mark->bytes, mark->len) : NULL;
        for (; found; found = memmem(in->data, in->len, mark->bytes, mark->len))
            memcpy(found, mark->sig, mark->len);
    }
}

static void sign(maker *m)
{
    enum { FLAGS = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT };
    lode_tx_hashes hashes;
    lode_script_error error;
    signing_checker c;
    assemble(m);
    lode_tx_hashes_init(&hashes, &m->tx, m->spent, false);
    lode_tx_checker_init(&c.tx, &hashes, m->input, NULL, false);
    c.tx.base.check_ecdsa = sign_ecdsa;
    c.tx.base.check_schnorr = sign_schnorr;
    c.maker = m;
    lode_script_verify(&error, lode_buf_slice(&m->script_sig), lode_buf_slice(&m->script_pubkey), &m->inputs[m->input],
                       FLAGS, &c.tx.base);
    for (size_t i = 0; i < m->item_count; i++)
        replace_marks(m, &m->items[i]);
    if (m->is_bare || (m->within_p2sh && !m->is_v0)) {
        replace_marks(m, &m->script);
        replace_marks(m, &m->redeem);
        lode_buf_reset(&m->script_pubkey);
        lode_buf_reset(&m->redeem);
        make_output(m);
    }
}

/* A key path spend is not a script: made at once. */
static void make_key_path(maker *m)
{
    static const uint8_t types[] = { 0, 1, 2, 3, 0x81, 0x82, 0x83, 0, 1, 4, 0x80, 0xff };
    const test_key *key = test_key_at((unsigned)maker_random(m, TEST_KEY_COUNT));
    const uint8_t *root = maker_random(m, 2) ? m->filler : NULL;
    uint8_t output_key[32], digest[32] = { 0 }, sig[65], type = types[maker_random(m, sizeof types)];
    lode_tapscript_context context = { .is_script_path = false };
    lode_tx_hashes hashes;

    test_tweak(output_key, key, root);
    make_program(&m->script_pubkey, 1, output_key, 32);
    lode_buf_append(&m->items[0], sig, 64);
    m->item_count = 1;
    if (maker_random(m, 2)) {
        lode_buf_put_u8(&m->annex, 0x50);
        lode_buf_append(&m->annex, m->filler, maker_random(m, 300));
        lode_annex_hash(context.annex_hash, lode_buf_slice(&m->annex));
        context.has_annex = true;
    }
    m->inputs[m->input].witness_count = 1;
    m->spent[m->input].script = m->script_pubkey.data;
    m->spent[m->input].script_len = (uint32_t)m->script_pubkey.len;
    lode_tx_hashes_init(&hashes, &m->tx, m->spent, false);
    lode_sighash_taproot(digest, &hashes, m->input, type, &context, NULL);
    test_sign_tweaked(sig, key, root, digest);
    lode_buf_reset(&m->items[0]);
    lode_buf_append(&m->items[0], sig, 64);
    if (type != 0 || maker_random(m, 20) == 0)
        lode_buf_put_u8(&m->items[0], type);
}

/* Shapes that are a script by themselves. */
static void make_known_shape(maker *m, uint64_t shape)
{
    const test_key *key = test_key_at((unsigned)maker_random(m, TEST_KEY_COUNT));
    uint8_t hash[20];
    lode_hash160(hash, key->compressed, 33);
    maker_put_mark(m, &m->items[0], (unsigned)(key - test_key_at(0)));
    lode_buf_append(&m->items[1], key->compressed, 33);
    m->item_count = 2;
    lode_buf_reset(&m->script);
    if (shape == 0) { /* P2PKH */
        static const uint8_t head[] = { LODE_OP_DUP, LODE_OP_HASH160, 20 },
                             tail[] = { LODE_OP_EQUALVERIFY, LODE_OP_CHECKSIG };
        lode_buf_append(&m->script_pubkey, head, 3);
        lode_buf_append(&m->script_pubkey, hash, 20);
        lode_buf_append(&m->script_pubkey, tail, 2);
    } else { /* P2WPKH, or a program that means something else */
        uint8_t version = maker_random(m, 10) ? 0 : (uint8_t)maker_random(m, 17);
        make_program(&m->script_pubkey, version, hash, maker_random(m, 10) ? 20 : 2 + maker_random(m, 19));
    }
}

static void put_program_witness(maker *m)
{
    lode_txin *in = &m->inputs[m->input];
    lode_buf_reset(&m->witness);
    in->witness_count = 0;
    for (size_t i = 0; i < m->item_count; i++)
        put_witness_item(m, &m->items[i]);
    if (m->annex.len)
        put_witness_item(m, &m->annex);
    in->witness = m->witness.data;
    in->witness_len = (uint32_t)m->witness.len;
    in->script_sig = NULL;
    in->script_sig_len = 0;
    m->spent[m->input].script = m->script_pubkey.data;
    m->spent[m->input].script_len = (uint32_t)m->script_pubkey.len;
    m->tx.has_witness = in->witness_count > 0;
}

static void sign_program(maker *m)
{
    lode_tx_hashes hashes;
    lode_script_error error;
    signing_checker c;
    put_program_witness(m);
    lode_tx_hashes_init(&hashes, &m->tx, m->spent, false);
    lode_tx_checker_init(&c.tx, &hashes, m->input, NULL, false);
    c.tx.base.check_ecdsa = sign_ecdsa;
    c.tx.base.check_schnorr = sign_schnorr;
    c.maker = m;
    lode_script_verify(&error, lode_slice_of(NULL, 0), lode_buf_slice(&m->script_pubkey), &m->inputs[m->input],
                       LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS, &c.tx.base);
    replace_marks(m, &m->items[0]);
}

static void damage(maker *m)
{
    if (m->item_count == 0 || maker_random(m, 3))
        return;
    lode_buf *item = &m->items[maker_random(m, m->item_count)];
    maker_damage_item(m, item);
}

void maker_make(maker *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 4; i++)
        maker_random(m, 2);
    make_transaction(m);

    uint64_t shape = maker_random(m, 12);
    if (shape == 2) {
        make_key_path(m);
        damage(m);
        put_program_witness(m);
    } else if (shape == 1) {
        make_known_shape(m, 1);
        sign_program(m);
        damage(m);
        put_program_witness(m);
    } else if (shape == 0) {
        m->is_bare = true;
        make_known_shape(m, 0);
        lode_buf_append(&m->script, m->script_pubkey.data, m->script_pubkey.len);
        sign(m);
        damage(m);
        assemble(m);
    } else {
        choose_wrapping(m);
        maker_put_phrases(m);
        make_output(m);
        sign(m);
        damage(m);
        assemble(m);
    }
}

void maker_clear(maker *m)
{
    for (size_t i = 0; i < MAKER_MAX_ITEMS; i++)
        lode_buf_clear(&m->items[i]);
    lode_buf_clear(&m->script);
    lode_buf_clear(&m->control);
    lode_buf_clear(&m->annex);
    lode_buf_clear(&m->redeem);
    lode_buf_clear(&m->script_pubkey);
    lode_buf_clear(&m->script_sig);
    lode_buf_clear(&m->witness);
}

static void put_script(lode_buf *out, const uint8_t *script, size_t len)
{
    lode_buf_put_compact_size(out, len);
    lode_buf_append(out, script, len);
}

void maker_serialize(lode_buf *out, const maker *m)
{
    lode_buf_put_le32(out, (uint32_t)m->tx.version);
    if (m->tx.has_witness) {
        lode_buf_put_u8(out, 0);
        lode_buf_put_u8(out, 1);
    }
    lode_buf_put_compact_size(out, m->tx.input_count);
    for (uint32_t i = 0; i < m->tx.input_count; i++) {
        lode_buf_append(out, m->inputs[i].prevout, 36);
        put_script(out, m->inputs[i].script_sig, m->inputs[i].script_sig_len);
        lode_buf_put_le32(out, m->inputs[i].sequence);
    }
    lode_buf_put_compact_size(out, m->tx.output_count);
    for (uint32_t i = 0; i < m->tx.output_count; i++) {
        lode_buf_put_le64(out, (uint64_t)m->outputs[i].value.sat);
        put_script(out, m->outputs[i].script, m->outputs[i].script_len);
    }
    for (uint32_t i = 0; m->tx.has_witness && i < m->tx.input_count; i++) {
        lode_buf_put_compact_size(out, m->inputs[i].witness_count);
        lode_buf_append(out, m->inputs[i].witness, m->inputs[i].witness_len);
    }
    lode_buf_put_le32(out, m->tx.lock_time);
}
