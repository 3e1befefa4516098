/* validate/script/op_stack.c: moving, copying and dropping items. The rightmost item of a picture is the top. */
#include "validate/script/number.h"

lode_script_error lode_op_to_alt(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 1);
    lode_stack_to_alt(&e->stack);
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_from_alt(lode_eval *e, uint8_t opcode)
{
    if (e->stack.alt < 1)
        return LODE_SCRIPT_INVALID_ALTSTACK_OPERATION;
    lode_stack_from_alt(&e->stack);
    return LODE_SCRIPT_OK;
}

static lode_script_error drop(lode_eval *e, uint32_t count)
{
    LODE_NEED(e, count);
    lode_stack_drop(&e->stack, count);
    return LODE_SCRIPT_OK;
}

/* Copies the `count` items that begin at `depth`, in order, to the top. */
static lode_script_error copy(lode_eval *e, uint32_t depth, uint32_t count)
{
    LODE_NEED(e, depth);
    for (uint32_t i = 0; i < count; i++)
        lode_stack_push_copy(&e->stack, depth);
    return LODE_SCRIPT_OK;
}

/* Moves the `count` items that begin at `depth`, in order, to the top. */
static lode_script_error raise(lode_eval *e, uint32_t depth, uint32_t count)
{
    LODE_NEED(e, depth);
    for (uint32_t i = 0; i < count; i++)
        lode_stack_move(&e->stack, depth, 1);
    return LODE_SCRIPT_OK;
}

/* ( a b -- ) */
lode_script_error lode_op_2drop(lode_eval *e, uint8_t opcode)
{
    return drop(e, 2);
}

/* ( a -- ) */
lode_script_error lode_op_drop(lode_eval *e, uint8_t opcode)
{
    return drop(e, 1);
}

/* ( a -- a a ) */
lode_script_error lode_op_dup(lode_eval *e, uint8_t opcode)
{
    return copy(e, 1, 1);
}

/* ( a b -- a b a b ) */
lode_script_error lode_op_2dup(lode_eval *e, uint8_t opcode)
{
    return copy(e, 2, 2);
}

/* ( a b c -- a b c a b c ) */
lode_script_error lode_op_3dup(lode_eval *e, uint8_t opcode)
{
    return copy(e, 3, 3);
}

/* ( a b -- a b a ) */
lode_script_error lode_op_over(lode_eval *e, uint8_t opcode)
{
    return copy(e, 2, 1);
}

/* ( a b c d -- a b c d a b ) */
lode_script_error lode_op_2over(lode_eval *e, uint8_t opcode)
{
    return copy(e, 4, 2);
}

/* ( a b -- b a ) */
lode_script_error lode_op_swap(lode_eval *e, uint8_t opcode)
{
    return raise(e, 2, 1);
}

/* ( a b c d -- c d a b ) */
lode_script_error lode_op_2swap(lode_eval *e, uint8_t opcode)
{
    return raise(e, 4, 2);
}

/* ( a b c -- b c a ) */
lode_script_error lode_op_rot(lode_eval *e, uint8_t opcode)
{
    return raise(e, 3, 1);
}

/* ( a b c d e f -- c d e f a b ) */
lode_script_error lode_op_2rot(lode_eval *e, uint8_t opcode)
{
    return raise(e, 6, 2);
}

/* ( a -- a a ) if a is true */
lode_script_error lode_op_ifdup(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 1);
    if (lode_bytes_are_true(lode_stack_at(&e->stack, 1)))
        lode_stack_push_copy(&e->stack, 1);
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_depth(lode_eval *e, uint8_t opcode)
{
    lode_stack_push_number(&e->stack, lode_stack_size(&e->stack));
    return LODE_SCRIPT_OK;
}

/* ( a b -- b ) */
lode_script_error lode_op_nip(lode_eval *e, uint8_t opcode)
{
    LODE_TRY_OP(raise(e, 2, 1));
    return drop(e, 1);
}

/* ( a b -- b a b ) */
lode_script_error lode_op_tuck(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 2);
    lode_stack_push_copy(&e->stack, 1);
    lode_stack_move(&e->stack, 1, 3);
    return LODE_SCRIPT_OK;
}

/* Takes n off the stack; *depth is then where the n-th item stands, counting from 0. */
static lode_script_error take_depth(lode_eval *e, uint32_t *depth)
{
    int64_t n;
    LODE_NEED(e, 2);
    LODE_TRY_OP(lode_number_read(&n, lode_stack_at(&e->stack, 1), e, LODE_NUMBER_BYTES));
    lode_stack_drop(&e->stack, 1);
    if (n < 0 || n >= (int64_t)lode_stack_size(&e->stack))
        return LODE_SCRIPT_INVALID_STACK_OPERATION;
    if (n >= (int64_t)e->stack.used)
        return LODE_SCRIPT_STACK_SIZE; /* the item is hidden, so this opcode leaves too many */
    *depth = (uint32_t)n + 1;
    return LODE_SCRIPT_OK;
}

/* ( xn ... x0 n -- xn ... x0 xn ) */
lode_script_error lode_op_pick(lode_eval *e, uint8_t opcode)
{
    uint32_t depth;
    LODE_TRY_OP(take_depth(e, &depth));
    lode_stack_push_copy(&e->stack, depth);
    return LODE_SCRIPT_OK;
}

/* ( xn ... x0 n -- ... x0 xn ) */
lode_script_error lode_op_roll(lode_eval *e, uint8_t opcode)
{
    uint32_t depth;
    LODE_TRY_OP(take_depth(e, &depth));
    lode_stack_move(&e->stack, depth, 1);
    return LODE_SCRIPT_OK;
}
