/* validate/script/script.c: reading scripts without running them.
 *
 * Room:     steps through opcodes, recognises the forms that consensus knows, counts signature operations.
 * Touches:  nothing; functions of their arguments.
 */
#include "validate/script/interpreter.h"

#include "validate/script/opcode.h"

/* How many bytes after the opcode hold the length of its push. */
static size_t count_length_bytes(uint8_t op)
{
    switch (op) {
    case LODE_OP_PUSHDATA1:
        return 1;
    case LODE_OP_PUSHDATA2:
        return 2;
    case LODE_OP_PUSHDATA4:
        return 4;
    default:
        return 0;
    }
}

/* On failure *at has moved past what could be read (opcode and length), as Core's GetScriptOp leaves its iterator: the
 * legacy signature hash of a script with a torn push depends on it. */
bool lode_script_next(lode_slice script, size_t *at, uint8_t *opcode, lode_slice *data)
{
    *data = lode_slice_of(NULL, 0);
    *opcode = LODE_OP_INVALIDOPCODE;
    if (*at >= script.len)
        return false;

    uint8_t op = script.data[(*at)++];
    if (op <= LODE_OP_PUSHDATA4) {
        size_t width = count_length_bytes(op);
        size_t size = op;
        if (width > script.len - *at)
            return false;
        if (width > 0) {
            size = 0;
            for (size_t i = 0; i < width; i++)
                size |= (size_t)script.data[*at + i] << (8 * i);
            *at += width;
        }
        if (size > script.len - *at)
            return false;
        *data = lode_slice_of(script.data + *at, size);
        *at += size;
    }
    *opcode = op;
    return true;
}

bool lode_script_is_p2sh(lode_slice script)
{
    return script.len == 23 && script.data[0] == LODE_OP_HASH160 && script.data[1] == 20 &&
           script.data[22] == LODE_OP_EQUAL;
}

bool lode_script_is_witness_program(lode_slice script, int *version, lode_slice *program)
{
    if (script.len < 4 || script.len > 42 || (size_t)script.data[1] + 2 != script.len)
        return false;

    uint8_t op = script.data[0];
    if (op != LODE_OP_0 && (op < LODE_OP_1 || op > LODE_OP_16))
        return false;
    *version = op == LODE_OP_0 ? 0 : op - LODE_OP_1 + 1;
    *program = lode_slice_of(script.data + 2, script.len - 2);
    return true;
}

/* OP_RESERVED counts as a push here, as in Core; running it fails. */
bool lode_script_is_push_only(lode_slice script)
{
    size_t at = 0;
    uint8_t op;
    lode_slice data;
    while (at < script.len)
        if (!lode_script_next(script, &at, &op, &data) || op > LODE_OP_16)
            return false;
    return true;
}

uint32_t lode_script_sigops(lode_slice script, bool accurate)
{
    uint32_t count = 0;
    size_t at = 0;
    uint8_t op, before = LODE_OP_INVALIDOPCODE;
    lode_slice data;
    while (lode_script_next(script, &at, &op, &data)) {
        if (op == LODE_OP_CHECKSIG || op == LODE_OP_CHECKSIGVERIFY)
            count++;
        else if (op == LODE_OP_CHECKMULTISIG || op == LODE_OP_CHECKMULTISIGVERIFY)
            count += accurate && before >= LODE_OP_1 && before <= LODE_OP_16 ? (uint32_t)(before - LODE_OP_1 + 1)
                                                                             : LODE_MAX_PUBKEYS_PER_MULTISIG;
        before = op;
    }
    return count;
}

/* What the last push of a push-only script pushes; empty for OP_1 and its like. False if it is not push-only. */
static bool read_last_push(lode_slice script, lode_slice *last)
{
    size_t at = 0;
    uint8_t op;
    *last = lode_slice_of(NULL, 0);
    while (at < script.len)
        if (!lode_script_next(script, &at, &op, last) || op > LODE_OP_16)
            return false;
    return true;
}

uint32_t lode_script_p2sh_sigops(lode_slice script_sig, lode_slice script_pubkey)
{
    lode_slice redeem;
    if (!lode_script_is_p2sh(script_pubkey) || !read_last_push(script_sig, &redeem))
        return 0;
    return lode_script_sigops(redeem, true);
}

static uint32_t count_program_sigops(const lode_txin *in, int version, lode_slice program)
{
    if (version != 0)
        return 0;
    if (program.len == 20)
        return 1;
    if (program.len != 32 || in->witness_count == 0)
        return 0;

    lode_reader r = lode_witness_reader(in);
    lode_slice item = lode_slice_of(NULL, 0);
    for (uint32_t i = 0; i < in->witness_count; i++)
        if (!lode_witness_next(&r, &item))
            return 0;
    return lode_script_sigops(item, true);
}

uint32_t lode_script_witness_sigops(const lode_txin *in, lode_slice script_pubkey, uint32_t flags)
{
    int version;
    lode_slice program, redeem;
    if (!(flags & LODE_VERIFY_WITNESS))
        return 0;
    if (lode_script_is_witness_program(script_pubkey, &version, &program))
        return count_program_sigops(in, version, program);
    if (lode_script_is_p2sh(script_pubkey) &&
        read_last_push(lode_slice_of(in->script_sig, in->script_sig_len), &redeem) &&
        lode_script_is_witness_program(redeem, &version, &program))
        return count_program_sigops(in, version, program);
    return 0;
}
