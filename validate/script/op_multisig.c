/* validate/script/op_multisig.c: m of n signatures. Legacy and v0 only. */
#include "validate/script/encoding.h"
#include "validate/script/number.h"

/* ( dummy sig_1 .. sig_m m key_1 .. key_n n -- ); depths count from the top. */
typedef struct multisig {
    uint32_t key_count, sig_count;
    uint32_t first_key, first_sig; /* depth of the last one written */
    uint32_t size;                 /* items without the dummy */
} multisig;

static lode_script_error read_count(lode_eval *e, uint32_t *count, uint32_t depth, uint32_t max,
                                    lode_script_error too_many)
{
    int64_t n;
    LODE_NEED(e, depth);
    LODE_TRY_OP(lode_number_read(&n, lode_stack_at(&e->stack, depth), e, LODE_NUMBER_BYTES));
    if (n < 0 || n > (int64_t)max)
        return too_many;
    *count = (uint32_t)n;
    return LODE_SCRIPT_OK;
}

static lode_script_error read_layout(lode_eval *e, multisig *m)
{
    LODE_TRY_OP(read_count(e, &m->key_count, 1, LODE_MAX_PUBKEYS_PER_MULTISIG, LODE_SCRIPT_PUBKEY_COUNT));
    e->op_count += m->key_count;
    if (e->op_count > LODE_MAX_OPS_PER_SCRIPT)
        return LODE_SCRIPT_OP_COUNT;
    m->first_key = 2;
    LODE_TRY_OP(read_count(e, &m->sig_count, 2 + m->key_count, m->key_count, LODE_SCRIPT_SIG_COUNT));
    m->first_sig = 3 + m->key_count;
    m->size = 2 + m->key_count + m->sig_count;
    LODE_NEED(e, m->size + 1); /* and the dummy */
    return LODE_SCRIPT_OK;
}

/* All signatures go out of the script code before any is checked. */
static lode_script_error make_code(lode_eval *e, lode_slice *code, const multisig *m)
{
    *code = lode_eval_code(e);
    if (e->version != LODE_SIG_BASE)
        return LODE_SCRIPT_OK;
    for (uint32_t i = 0; i < m->sig_count; i++) {
        uint32_t found;
        *code = lode_eval_delete_sig(e, *code, lode_stack_at(&e->stack, m->first_sig + i), &found);
        if (found > 0 && (e->flags & LODE_VERIFY_CONST_SCRIPTCODE))
            return LODE_SCRIPT_SIG_FINDANDDELETE;
    }
    return LODE_SCRIPT_OK;
}

/* Signatures must stand in the order of their keys. Each try uses up a key; only a good one uses up a signature.
 * *good stays true while enough keys are left; encodings are looked at as far as the tries go and no further. */
static lode_script_error try_keys(lode_eval *e, bool *good, const multisig *m, lode_slice code)
{
    uint32_t keys = m->key_count, sigs = m->sig_count;
    *good = true;
    while (*good && sigs > 0) {
        lode_slice sig = lode_stack_at(&e->stack, m->first_sig + m->sig_count - sigs);
        lode_slice key = lode_stack_at(&e->stack, m->first_key + m->key_count - keys);
        LODE_TRY_OP(lode_sig_check_encoding(sig, e->flags));
        LODE_TRY_OP(lode_pubkey_check_encoding(key, e->flags, e->version));

        e->checker->may_fail = keys > sigs;
        if (sig.len > 0 && e->checker->check_ecdsa(e->checker, sig, key, code, e->version))
            sigs--;
        e->checker->may_fail = false;
        keys--;
        *good = sigs <= keys;
    }
    return LODE_SCRIPT_OK;
}

/* After a failure every signature, tried or not, must be empty. Source: BIP 146. */
static lode_script_error check_null_fail(lode_eval *e, bool good, const multisig *m)
{
    if (good || !(e->flags & LODE_VERIFY_NULLFAIL))
        return LODE_SCRIPT_OK;
    for (uint32_t i = 0; i < m->sig_count; i++)
        if (lode_stack_at(&e->stack, m->first_sig + i).len > 0)
            return LODE_SCRIPT_SIG_NULLFAIL;
    return LODE_SCRIPT_OK;
}

/* One item more than needed is taken, an old mistake that is consensus now; BIP 147 wants it empty. */
static lode_script_error take_dummy(lode_eval *e)
{
    if ((e->flags & LODE_VERIFY_NULLDUMMY) && lode_stack_at(&e->stack, 1).len > 0)
        return LODE_SCRIPT_SIG_NULLDUMMY;
    lode_stack_drop(&e->stack, 1);
    return LODE_SCRIPT_OK;
}

static lode_script_error check_multisig(lode_eval *e, bool *good)
{
    multisig m;
    lode_slice code;
    if (e->version == LODE_SIG_TAPSCRIPT)
        return LODE_SCRIPT_TAPSCRIPT_CHECKMULTISIG;
    LODE_TRY_OP(read_layout(e, &m));
    LODE_TRY_OP(make_code(e, &code, &m));
    LODE_TRY_OP(try_keys(e, good, &m, code));
    LODE_TRY_OP(check_null_fail(e, *good, &m));
    lode_stack_drop(&e->stack, m.size);
    return take_dummy(e);
}

lode_script_error lode_op_check_multisig(lode_eval *e, uint8_t opcode)
{
    bool good;
    LODE_TRY_OP(check_multisig(e, &good));
    lode_stack_push_bool(&e->stack, good);
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_check_multisig_verify(lode_eval *e, uint8_t opcode)
{
    bool good;
    LODE_TRY_OP(check_multisig(e, &good));
    return good ? LODE_SCRIPT_OK : LODE_SCRIPT_CHECKMULTISIGVERIFY;
}
