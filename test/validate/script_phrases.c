/* test/validate/script_phrases.c: the pieces of which script_maker.c makes scripts.
 *
 * A phrase appends opcodes, and asks for the items that must be on the stack when it begins, top first. The items asked
 * for in all are the first stack, turned round.
 */
#include "test/validate/script_phrases.h"

#include "test/validate/script_words.h"
#include "validate/script/opcode.h"

void maker_put_push(lode_buf *out, lode_slice data)
{
    script_put_push(out, data);
}

void maker_put_minimal_push(lode_buf *out, lode_slice data)
{
    if (data.len == 1 && data.data[0] >= 1 && data.data[0] <= 16)
        lode_buf_put_u8(out, (uint8_t)(0x50 + data.data[0]));
    else if (data.len == 1 && data.data[0] == 0x81)
        lode_buf_put_u8(out, LODE_OP_1NEGATE);
    else
        script_put_push(out, data);
}

static void put_op(maker *m, uint8_t op)
{
    lode_buf_put_u8(&m->script, op);
}

/* The next item of the first stack; the last one again when there are too many. */
static lode_buf *ask_item(maker *m)
{
    if (m->item_count < MAKER_MAX_ITEMS)
        m->item_count++;
    lode_buf *item = &m->items[m->item_count - 1];
    lode_buf_reset(item);
    return item;
}

void maker_put_mark(maker *m, lode_buf *out, unsigned key)
{
    static const uint8_t ecdsa_types[] = { 1, 1, 1, 2, 3, 0x81, 0x82, 0x83, 0, 4, 0x21, 0x41, 0x84, 0xff };
    static const uint8_t schnorr_types[] = { 0, 0, 0, 1, 2, 3, 0x81, 0x82, 0x83, 4 };
    if (m->mark_count == MAKER_MAX_MARKS)
        return;
    maker_mark *mark = &m->marks[m->mark_count++];
    uint8_t type = m->is_tapscript ? schnorr_types[maker_random(m, sizeof schnorr_types)]
                                   : ecdsa_types[maker_random(m, sizeof ecdsa_types)];
    memset(mark->bytes, 0xee, sizeof mark->bytes);
    mark->bytes[0] = (uint8_t)m->mark_count;
    mark->key = key;
    mark->len = m->is_tapscript ? (type ? 65 : 64) : 71;
    if (mark->len != 64)
        mark->bytes[mark->len - 1] = type;
    lode_buf_append(out, mark->bytes, mark->len);
}

static unsigned any_key(maker *m)
{
    return (unsigned)maker_random(m, TEST_KEY_COUNT);
}

static lode_slice key_bytes(maker *m, unsigned number)
{
    const test_key *key = test_key_at(number);
    if (m->is_tapscript)
        return maker_random(m, 30) ? lode_slice_of(key->x_only, 32) : lode_slice_of(key->compressed, 33);
    switch (maker_random(m, 12)) {
    case 0:
        return lode_slice_of(key->uncompressed, 65);
    case 1:
        return lode_slice_of(key->hybrid, 65);
    case 2:
        return maker_random(m, 3) ? lode_slice_of(key->compressed, 33)
                                  : lode_slice_of(key->compressed, maker_random(m, 34));
    default:
        return lode_slice_of(key->compressed, 33);
    }
}

/* What stands where a signature is wanted: mostly one, sometimes nothing. */
static void ask_signature(maker *m, unsigned key)
{
    lode_buf *item = ask_item(m);
    if (maker_random(m, 12))
        maker_put_mark(m, item, key);
}

/* OP_VERIFY mostly, so that what is true goes on; the verdict may be dropped or turned round as well. */
static void put_ending(maker *m, uint8_t op, uint8_t op_verify)
{
    switch (maker_random(m, 8)) {
    case 0:
        put_op(m, op);
        put_op(m, LODE_OP_DROP);
        break;
    case 1:
        put_op(m, op);
        put_op(m, LODE_OP_NOT);
        put_op(m, LODE_OP_DROP);
        break;
    case 2:
        put_op(m, op);
        put_op(m, LODE_OP_VERIFY);
        break;
    default:
        put_op(m, op_verify);
        break;
    }
}

static void put_check_sig(maker *m)
{
    unsigned key = any_key(m);
    ask_signature(m, key);
    maker_put_push(&m->script, key_bytes(m, key));
    put_ending(m, LODE_OP_CHECKSIG, LODE_OP_CHECKSIGVERIFY);
}

static void put_check_sig_add(maker *m)
{
    unsigned key = any_key(m);
    ask_signature(m, key);
    script_put_number(&m->script, (int64_t)maker_random(m, 3));
    maker_put_push(&m->script, key_bytes(m, key));
    put_op(m, LODE_OP_CHECKSIGADD);
    put_op(m, maker_random(m, 2) ? LODE_OP_VERIFY : LODE_OP_DROP);
}

static void put_multisig(maker *m)
{
    unsigned keys = (unsigned)maker_random(m, 5), first = any_key(m);
    unsigned sigs = (unsigned)maker_random(m, keys + 1);
    for (unsigned i = 0, key = keys; i < sigs; i++) { /* the last signature lies on top */
        key -= 1 + (key > sigs - i ? (unsigned)maker_random(m, key - (sigs - i) + 1) : 0);
        ask_signature(m, first + key);
    }
    lode_buf *dummy = ask_item(m);
    if (maker_random(m, 6) == 0)
        lode_buf_put_u8(dummy, 1);
    script_put_number(&m->script, sigs);
    for (unsigned i = 0; i < keys; i++)
        maker_put_push(&m->script, key_bytes(m, first + i));
    script_put_number(&m->script, keys);
    put_ending(m, LODE_OP_CHECKMULTISIG, LODE_OP_CHECKMULTISIGVERIFY);
}

/* A signature that stands in the script it signs. */
static void put_embedded_sig(maker *m)
{
    unsigned key = any_key(m);
    size_t before = m->mark_count;
    lode_buf *item = ask_item(m);
    maker_put_mark(m, item, key);
    if (m->mark_count > before)
        maker_put_push(&m->script, lode_buf_slice(item));
    else
        put_op(m, 0);
    put_op(m, LODE_OP_DROP);
    maker_put_push(&m->script, key_bytes(m, key));
    put_ending(m, LODE_OP_CHECKSIG, LODE_OP_CHECKSIGVERIFY);
}

static int64_t any_number(maker *m)
{
    static const int64_t edges[] = { 0,           1,      -1,         2,           16,           17,
                                     127,         128,    -128,       255,         256,          32767,
                                     32768,       -32768, 0x7fffffff, -0x7fffffff, 0x80000000LL, -0x80000000LL,
                                     0xffffffffLL };
    return maker_random(m, 3) ? edges[maker_random(m, sizeof edges / sizeof edges[0])]
                              : (int64_t)maker_random(m, 2000) - 1000;
}

static void put_arithmetic(maker *m)
{
    static const uint8_t binary[] = { 0x93, 0x94, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4 };
    static const uint8_t unary[] = { 0x8b, 0x8c, 0x8f, 0x90, 0x91, 0x92, LODE_OP_SIZE, LODE_OP_IFDUP };
    script_put_number(&m->script, any_number(m));
    script_put_number(&m->script, any_number(m));
    put_op(m, binary[maker_random(m, sizeof binary)]);
    put_op(m, unary[maker_random(m, sizeof unary)]);
    put_op(m, LODE_OP_DROP);
}

static void put_hash(maker *m)
{
    maker_put_push(&m->script, lode_slice_of(m->filler, maker_random(m, 80)));
    put_op(m, (uint8_t)(LODE_OP_RIPEMD160 + maker_random(m, 5)));
    put_op(m, LODE_OP_DROP);
}

static void put_stack_play(maker *m)
{
    for (uint64_t i = 0, n = 3 + maker_random(m, 5); i < n; i++)
        script_put_number(&m->script, any_number(m));
    for (uint64_t i = 0, n = maker_random(m, 6); i < n; i++) {
        if (maker_random(m, 4) == 0)
            script_put_number(&m->script, (int64_t)maker_random(m, 5) - (maker_random(m, 20) == 0));
        put_op(m, (uint8_t)(LODE_OP_TOALTSTACK + maker_random(m, LODE_OP_TUCK - LODE_OP_TOALTSTACK + 1)));
    }
    put_op(m, LODE_OP_DEPTH);
    put_op(m, LODE_OP_DROP);
}

static void put_lock(maker *m)
{
    static const int64_t locks[] = { 0,         10,       16,           100, 101,          499999999,
                                     500000000, 0x400010, 0x80000000LL, -1,  0xffffffffLL, 0x7fffffffffLL };
    script_put_number(&m->script, maker_random(m, 30) ? locks[maker_random(m, 12)] : any_number(m));
    put_op(m, maker_random(m, 2) ? LODE_OP_CHECKLOCKTIMEVERIFY : LODE_OP_CHECKSEQUENCEVERIFY);
    put_op(m, LODE_OP_DROP);
}

static void put_any_push(maker *m)
{
    static const size_t sizes[] = { 0, 1, 1, 2, 4, 5, 32, 75, 76, 255, 256, 520, 521 };
    size_t len = sizes[maker_random(m, 11 + (maker_random(m, 10) == 0) * 2)];
    lode_slice data = lode_slice_of(m->filler + maker_random(m, 70), len);
    if (maker_random(m, 3)) {
        maker_put_push(&m->script, data);
    } else {
        put_op(m, LODE_OP_PUSHDATA4);
        lode_buf_put_le32(&m->script, (uint32_t)len);
        lode_buf_append(&m->script, data.data, len);
    }
    put_op(m, LODE_OP_DROP);
}

static void put_phrase(maker *m, int depth);

static void put_branch(maker *m, int depth)
{
    lode_buf *condition = ask_item(m);
    bool negate = maker_random(m, 3) == 0, with_else = maker_random(m, 2);
    bool truth = maker_random(m, 2);
    if (truth)
        lode_buf_put_u8(condition, maker_random(m, 10) ? 1 : 2);
    else if (maker_random(m, 10) == 0)
        lode_buf_put_u8(condition, 0x80);
    put_op(m, negate ? LODE_OP_NOTIF : LODE_OP_IF);
    for (int side = 0; side <= with_else; side++) {
        size_t items = m->item_count;
        if (side)
            put_op(m, LODE_OP_ELSE);
        if (maker_random(m, 3))
            put_phrase(m, depth + 1);
        if ((truth != negate) == (side == 1))
            m->item_count = items; /* this side does not run */
    }
    put_op(m, LODE_OP_ENDIF);
}

static void put_noise(maker *m)
{
    put_op(m, (uint8_t)maker_random(m, 256));
}

static void put_phrase(maker *m, int depth)
{
    switch (maker_random(m, 18)) {
    case 0:
    case 1:
    case 2:
    case 3:
        put_check_sig(m);
        break;
    case 4:
    case 5:
        if (m->is_tapscript)
            put_check_sig_add(m);
        else
            put_multisig(m);
        break;
    case 6:
        put_arithmetic(m);
        break;
    case 7:
        put_hash(m);
        break;
    case 8:
        put_stack_play(m);
        break;
    case 9:
        put_lock(m);
        break;
    case 10:
        put_any_push(m);
        break;
    case 11:
    case 12:
        if (depth < 3)
            put_branch(m, depth);
        break;
    case 13:
    case 14:
        put_op(m, LODE_OP_CODESEPARATOR);
        break;
    case 15:
        put_embedded_sig(m);
        break;
    case 16:
        if (maker_random(m, 3) == 0)
            put_noise(m);
        break;
    default:
        put_op(m, maker_random(m, 2) ? LODE_OP_NOP : LODE_OP_NOP10);
        break;
    }
}

static void turn_items(maker *m)
{
    for (size_t i = 0, k = m->item_count; i + 1 < k; i++) {
        lode_buf kept = m->items[i];
        m->items[i] = m->items[--k];
        m->items[k] = kept;
    }
}

void maker_put_phrases(maker *m)
{
    for (uint64_t i = 0, n = 1 + maker_random(m, 5); i < n; i++)
        put_phrase(m, 0);
    if (maker_random(m, 15))
        put_op(m, LODE_OP_1);
    turn_items(m);
    if (maker_random(m, 20) == 0) { /* one too many, at the bottom */
        lode_buf_reset(&m->items[m->item_count < MAKER_MAX_ITEMS ? m->item_count++ : 0]);
    }
}

static bool is_der(const lode_buf *item)
{
    return item->len == 71 && item->data[0] == 0x30 && item->data[3] == 32;
}

/* One more zero in front of R: laxly readable, the same number. */
static void pad_r(lode_buf *item)
{
    if (!lode_buf_extend(item, 1))
        return;
    memmove(item->data + 5, item->data + 4, item->len - 5);
    item->data[4] = 0;
    item->data[3]++;
    item->data[1]++;
}

void maker_damage_item(maker *m, lode_buf *item)
{
    uint8_t other[73];
    uint64_t how = maker_random(m, 6);
    if (how == 0 && is_der(item)) {
        uint8_t type = item->data[70];
        size_t len = test_flip_s(other, lode_slice_of(item->data, 70));
        lode_buf_reset(item);
        lode_buf_append(item, other, len);
        lode_buf_put_u8(item, type);
    } else if (how == 1 && is_der(item)) {
        pad_r(item);
    } else if (how == 2) {
        lode_buf_reset(item);
    } else if (how == 3) {
        lode_buf_put_u8(item, (uint8_t)maker_random(m, 256));
    } else if (how == 4 && item->len > 0) {
        item->data[item->len - 1] ^= (uint8_t)(1 + maker_random(m, 255));
    } else if (item->len > 0) {
        item->data[maker_random(m, item->len)] ^= (uint8_t)(1u << maker_random(m, 8));
    }
}
