/* validate/script/op_crypto.c: hashes, OP_CODESEPARATOR and checks of one signature. */
#include "validate/script/encoding.h"
#include "validate/script/number.h"

#include "primitives/hash.h"

#define WEIGHT_PER_SIGOP_PASSED 50 /* BIP 342 */

/* ( v -- hash(v) ) */
lode_script_error lode_op_hash(lode_eval *e, uint8_t opcode)
{
    uint8_t hash[32];
    uint32_t len = 20;
    LODE_NEED(e, 1);
    lode_slice v = lode_stack_at(&e->stack, 1);

    if (opcode == LODE_OP_RIPEMD160) {
        lode_ripemd160(hash, v.data, v.len);
    } else if (opcode == LODE_OP_SHA1) {
        lode_sha1(hash, v.data, v.len);
    } else if (opcode == LODE_OP_HASH160) {
        lode_hash160(hash, v.data, v.len);
    } else {
        len = 32;
        if (opcode == LODE_OP_SHA256)
            lode_sha256(hash, v.data, v.len);
        else
            lode_sha256d(hash, v.data, v.len);
    }
    lode_stack_drop(&e->stack, 1);
    lode_stack_push_own(&e->stack, hash, len);
    return LODE_SCRIPT_OK;
}

/* That legacy scripts may forbid it even in branches that are off is eval.c's business. */
lode_script_error lode_op_code_separator(lode_eval *e, uint8_t opcode)
{
    e->code_begin = e->at;
    e->tapscript.code_separator_position = e->op_position;
    return LODE_SCRIPT_OK;
}

/* Legacy and v0. *good: the signature's verdict; an error fails the script whatever it does with the verdict. */
static lode_script_error check_ecdsa(lode_eval *e, bool *good, lode_slice sig, lode_slice key)
{
    lode_slice code = lode_eval_code(e);
    if (e->version == LODE_SIG_BASE) {
        uint32_t found;
        code = lode_eval_delete_sig(e, code, sig, &found);
        if (found > 0 && (e->flags & LODE_VERIFY_CONST_SCRIPTCODE))
            return LODE_SCRIPT_SIG_FINDANDDELETE;
    }
    LODE_TRY_OP(lode_sig_check_encoding(sig, e->flags));
    LODE_TRY_OP(lode_pubkey_check_encoding(key, e->flags, e->version));

    *good = sig.len > 0 && e->checker->check_ecdsa(e->checker, sig, key, code, e->version);
    if (!*good && sig.len > 0 && (e->flags & LODE_VERIFY_NULLFAIL))
        return LODE_SCRIPT_SIG_NULLFAIL;
    return LODE_SCRIPT_OK;
}

/* Tapscript: a signature is empty (false) or must be right. Keys that are not 32 bytes are for later rules and count as
 * right. The order of the checks is consensus. Source: BIP 342. */
static lode_script_error check_schnorr(lode_eval *e, bool *good, lode_slice sig, lode_slice key)
{
    *good = sig.len > 0;
    if (*good && (e->weight_left -= WEIGHT_PER_SIGOP_PASSED) < 0)
        return LODE_SCRIPT_TAPSCRIPT_VALIDATION_WEIGHT;
    if (key.len == 0)
        return LODE_SCRIPT_TAPSCRIPT_EMPTY_PUBKEY;
    if (key.len != 32)
        return e->flags & LODE_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE ? LODE_SCRIPT_DISCOURAGE_UPGRADABLE_PUBKEYTYPE
                                                                       : LODE_SCRIPT_OK;
    lode_script_error error = LODE_SCRIPT_SCHNORR_SIG;
    if (*good && !e->checker->check_schnorr(e->checker, sig, key.data, &e->tapscript, &error))
        return error;
    return LODE_SCRIPT_OK;
}

static lode_script_error check_sig(lode_eval *e, bool *good, lode_slice sig, lode_slice key)
{
    return e->version == LODE_SIG_TAPSCRIPT ? check_schnorr(e, good, sig, key) : check_ecdsa(e, good, sig, key);
}

/* ( sig key -- good? ) */
lode_script_error lode_op_check_sig(lode_eval *e, uint8_t opcode)
{
    bool good;
    LODE_NEED(e, 2);
    LODE_TRY_OP(check_sig(e, &good, lode_stack_at(&e->stack, 2), lode_stack_at(&e->stack, 1)));
    lode_stack_drop(&e->stack, 2);
    lode_stack_push_bool(&e->stack, good);
    return LODE_SCRIPT_OK;
}

/* ( sig key -- ) */
lode_script_error lode_op_check_sig_verify(lode_eval *e, uint8_t opcode)
{
    bool good;
    LODE_NEED(e, 2);
    LODE_TRY_OP(check_sig(e, &good, lode_stack_at(&e->stack, 2), lode_stack_at(&e->stack, 1)));
    lode_stack_drop(&e->stack, 2);
    return good ? LODE_SCRIPT_OK : LODE_SCRIPT_CHECKSIGVERIFY;
}

/* ( sig n key -- n + good? ) */
lode_script_error lode_op_check_sig_add(lode_eval *e, uint8_t opcode)
{
    bool good;
    int64_t n;
    if (e->version != LODE_SIG_TAPSCRIPT)
        return LODE_SCRIPT_BAD_OPCODE;
    LODE_NEED(e, 3);
    LODE_TRY_OP(lode_number_read(&n, lode_stack_at(&e->stack, 2), e, LODE_NUMBER_BYTES));
    LODE_TRY_OP(check_sig(e, &good, lode_stack_at(&e->stack, 3), lode_stack_at(&e->stack, 1)));
    lode_stack_drop(&e->stack, 3);
    lode_stack_push_number(&e->stack, n + good);
    return LODE_SCRIPT_OK;
}
