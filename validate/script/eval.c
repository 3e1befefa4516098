/* validate/script/eval.c: the loop that runs one script.
 *
 * Room:     decodes opcodes, holds the limits that apply to all of them, calls the table.
 * Touches:  the run it is given. Reentrant: one run per thread, no state elsewhere.
 * Source:   Core's EvalScript; the order of the checks is the order in which it reports.
 */
#include "validate/script/eval.h"

/* The shortest opcode that pushes `data`. Source: BIP 62, rule 3. */
static bool is_minimal_push(uint8_t op, lode_slice data)
{
    if (data.len == 0)
        return op == LODE_OP_0;
    if (data.len == 1 && ((data.data[0] >= 1 && data.data[0] <= 16) || data.data[0] == 0x81))
        return false; /* OP_1 to OP_16 and OP_1NEGATE are shorter */
    if (data.len < LODE_OP_PUSHDATA1)
        return op == data.len;
    if (data.len <= 0xff)
        return op == LODE_OP_PUSHDATA1;
    return data.len > 0xffff || op == LODE_OP_PUSHDATA2;
}

static bool counts_opcodes(const lode_eval *e)
{
    return e->version != LODE_SIG_TAPSCRIPT;
}

/* Everything that is refused before the opcode is looked up, in branches that are off too. */
static lode_script_error check_opcode(lode_eval *e, uint8_t op)
{
    if (e->data.len > LODE_MAX_SCRIPT_ELEMENT_SIZE)
        return LODE_SCRIPT_PUSH_SIZE;
    if (counts_opcodes(e) && op > LODE_OP_16 && ++e->op_count > LODE_MAX_OPS_PER_SCRIPT)
        return LODE_SCRIPT_OP_COUNT;
    if (lode_op_table[op].kind == LODE_OP_DISABLED)
        return LODE_SCRIPT_DISABLED_OPCODE;
    if (op == LODE_OP_CODESEPARATOR && e->version == LODE_SIG_BASE && (e->flags & LODE_VERIFY_CONST_SCRIPTCODE))
        return LODE_SCRIPT_OP_CODESEPARATOR;
    return LODE_SCRIPT_OK;
}

static lode_script_error run_opcode(lode_eval *e, uint8_t op)
{
    bool on = e->condition_first_off == LODE_NO_BRANCH_OFF;
    if (!on && lode_op_table[op].kind != LODE_OP_ALWAYS)
        return LODE_SCRIPT_OK;
    if (op <= LODE_OP_PUSHDATA4 && (e->flags & LODE_VERIFY_MINIMALDATA) && !is_minimal_push(op, e->data))
        return LODE_SCRIPT_MINIMALDATA;
    return lode_op_table[op].run(e, op);
}

static void begin_run(lode_eval *e, lode_slice script, lode_sig_version version)
{
    e->script = script;
    e->version = version;
    e->at = e->code_begin = 0;
    e->op_count = e->op_position = 0;
    e->condition_depth = 0;
    e->condition_first_off = LODE_NO_BRANCH_OFF;
    e->tapscript.code_separator_position = UINT32_MAX;
    lode_stack_clear_alt(&e->stack);
}

lode_script_error lode_eval_script(lode_eval *e, lode_slice script, lode_sig_version version)
{
    begin_run(e, script, version);
    if (counts_opcodes(e) && script.len > LODE_MAX_SCRIPT_SIZE)
        return LODE_SCRIPT_SCRIPT_SIZE;

    for (; e->at < script.len; e->op_position++) {
        uint8_t op;
        if (!lode_script_next(script, &e->at, &op, &e->data))
            return LODE_SCRIPT_BAD_OPCODE;
        LODE_TRY_OP(check_opcode(e, op));
        LODE_TRY_OP(run_opcode(e, op));
        if (lode_stack_size(&e->stack) + e->stack.alt > LODE_MAX_STACK_SIZE)
            return LODE_SCRIPT_STACK_SIZE;
    }
    return e->condition_depth ? LODE_SCRIPT_UNBALANCED_CONDITIONAL : LODE_SCRIPT_OK;
}
