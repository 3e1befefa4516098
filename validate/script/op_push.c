/* validate/script/op_push.c: opcodes that push a constant. */
#include "validate/script/eval.h"

lode_script_error lode_op_push(lode_eval *e, uint8_t opcode)
{
    lode_stack_push_lent(&e->stack, e->data);
    return LODE_SCRIPT_OK;
}

/* OP_1NEGATE, OP_1 to OP_16 */
lode_script_error lode_op_small_number(lode_eval *e, uint8_t opcode)
{
    uint8_t value = opcode == LODE_OP_1NEGATE ? 0x81 : (uint8_t)(opcode - LODE_OP_1 + 1);
    lode_stack_push_own(&e->stack, &value, 1);
    return LODE_SCRIPT_OK;
}
