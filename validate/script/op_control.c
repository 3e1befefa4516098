/* validate/script/op_control.c: branches, OP_VERIFY and OP_RETURN, opcodes that do nothing or must not run.
 *
 * Of the branches only two numbers are kept: how many IFs are open, and which of them was the first to be off. What
 * lies inside a branch that is off cannot be seen, so nothing else can matter (Core's ConditionStack).
 */
#include "validate/script/eval.h"

lode_script_error lode_op_bad(lode_eval *e, uint8_t opcode)
{
    return LODE_SCRIPT_BAD_OPCODE;
}

lode_script_error lode_op_nop(lode_eval *e, uint8_t opcode)
{
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_upgradable_nop(lode_eval *e, uint8_t opcode)
{
    return e->flags & LODE_VERIFY_DISCOURAGE_UPGRADABLE_NOPS ? LODE_SCRIPT_DISCOURAGE_UPGRADABLE_NOPS : LODE_SCRIPT_OK;
}

/* Exactly empty or exactly 0x01: BIP 342's rule, and a policy for v0. */
static lode_script_error check_minimal_if(const lode_eval *e, lode_slice condition)
{
    if (condition.len == 0 || (condition.len == 1 && condition.data[0] == 1))
        return LODE_SCRIPT_OK;
    if (e->version == LODE_SIG_TAPSCRIPT)
        return LODE_SCRIPT_TAPSCRIPT_MINIMALIF;
    if (e->version == LODE_SIG_WITNESS_V0 && (e->flags & LODE_VERIFY_MINIMALIF))
        return LODE_SCRIPT_MINIMALIF;
    return LODE_SCRIPT_OK;
}

/* OP_IF and OP_NOTIF ( condition -- ), also where the branch is off: then nothing is taken */
lode_script_error lode_op_if(lode_eval *e, uint8_t opcode)
{
    if (e->condition_first_off == LODE_NO_BRANCH_OFF) {
        LODE_NEED(e, 1);
        lode_slice condition = lode_stack_at(&e->stack, 1);
        LODE_TRY_OP(check_minimal_if(e, condition));
        if (lode_bytes_are_true(condition) != (opcode == LODE_OP_IF))
            e->condition_first_off = e->condition_depth;
        lode_stack_drop(&e->stack, 1);
    }
    e->condition_depth++;
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_else(lode_eval *e, uint8_t opcode)
{
    if (e->condition_depth == 0)
        return LODE_SCRIPT_UNBALANCED_CONDITIONAL;
    uint32_t innermost = e->condition_depth - 1;
    if (e->condition_first_off == LODE_NO_BRANCH_OFF)
        e->condition_first_off = innermost;
    else if (e->condition_first_off == innermost)
        e->condition_first_off = LODE_NO_BRANCH_OFF;
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_endif(lode_eval *e, uint8_t opcode)
{
    if (e->condition_depth == 0)
        return LODE_SCRIPT_UNBALANCED_CONDITIONAL;
    e->condition_depth--;
    if (e->condition_first_off == e->condition_depth)
        e->condition_first_off = LODE_NO_BRANCH_OFF;
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_verify(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 1);
    if (!lode_bytes_are_true(lode_stack_at(&e->stack, 1)))
        return LODE_SCRIPT_VERIFY;
    lode_stack_drop(&e->stack, 1);
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_return(lode_eval *e, uint8_t opcode)
{
    return LODE_SCRIPT_OP_RETURN;
}
