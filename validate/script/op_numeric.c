/* validate/script/op_numeric.c: arithmetic and comparison of numbers. */
#include "validate/script/number.h"

/* Minimal: the last byte is needed, for its value or because the byte before it uses the sign bit. Refuses 0x80. */
static bool is_minimal_number(lode_slice v)
{
    if (v.len == 0 || (v.data[v.len - 1] & 0x7f) != 0)
        return true;
    return v.len > 1 && (v.data[v.len - 2] & 0x80) != 0;
}

lode_script_error lode_number_read(int64_t *n, lode_slice v, const lode_eval *e, size_t max_bytes)
{
    if (v.len > max_bytes)
        return LODE_SCRIPT_SCRIPTNUM;
    if ((e->flags & LODE_VERIFY_MINIMALDATA) && !is_minimal_number(v))
        return LODE_SCRIPT_SCRIPTNUM;

    uint64_t magnitude = 0;
    for (size_t i = 0; i < v.len; i++)
        magnitude |= (uint64_t)v.data[i] << (8 * i);
    bool negative = v.len > 0 && (v.data[v.len - 1] & 0x80);
    if (negative)
        magnitude &= ~(UINT64_C(0x80) << (8 * (v.len - 1)));
    *n = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return LODE_SCRIPT_OK;
}

void lode_stack_push_number(lode_stack *s, int64_t n)
{
    uint8_t bytes[9];
    uint32_t len = 0;
    uint64_t magnitude = n < 0 ? -(uint64_t)n : (uint64_t)n;

    for (; magnitude; magnitude >>= 8)
        bytes[len++] = (uint8_t)magnitude;
    if (len > 0 && (bytes[len - 1] & 0x80))
        bytes[len++] = n < 0 ? 0x80 : 0;
    else if (n < 0)
        bytes[len - 1] |= 0x80;
    lode_stack_push_own(s, bytes, len);
}

static lode_script_error read_at(lode_eval *e, int64_t *n, uint32_t depth)
{
    return lode_number_read(n, lode_stack_at(&e->stack, depth), e, LODE_NUMBER_BYTES);
}

static int64_t compute_unary(uint8_t opcode, int64_t a)
{
    switch (opcode) {
    case LODE_OP_1ADD:
        return a + 1;
    case LODE_OP_1SUB:
        return a - 1;
    case LODE_OP_NEGATE:
        return -a;
    case LODE_OP_ABS:
        return a < 0 ? -a : a;
    case LODE_OP_NOT:
        return a == 0;
    default: /* LODE_OP_0NOTEQUAL */
        return a != 0;
    }
}

/* ( a -- f(a) ) */
lode_script_error lode_op_unary(lode_eval *e, uint8_t opcode)
{
    int64_t a;
    LODE_NEED(e, 1);
    LODE_TRY_OP(read_at(e, &a, 1));
    lode_stack_drop(&e->stack, 1);
    lode_stack_push_number(&e->stack, compute_unary(opcode, a));
    return LODE_SCRIPT_OK;
}

static int64_t compute_binary(uint8_t opcode, int64_t a, int64_t b)
{
    switch (opcode) {
    case LODE_OP_ADD:
        return a + b;
    case LODE_OP_SUB:
        return a - b;
    case LODE_OP_BOOLAND:
        return a != 0 && b != 0;
    case LODE_OP_BOOLOR:
        return a != 0 || b != 0;
    case LODE_OP_NUMEQUAL:
        return a == b;
    case LODE_OP_NUMNOTEQUAL:
        return a != b;
    case LODE_OP_LESSTHAN:
        return a < b;
    case LODE_OP_GREATERTHAN:
        return a > b;
    case LODE_OP_LESSTHANOREQUAL:
        return a <= b;
    case LODE_OP_GREATERTHANOREQUAL:
        return a >= b;
    case LODE_OP_MIN:
        return a < b ? a : b;
    default: /* LODE_OP_MAX */
        return a > b ? a : b;
    }
}

/* ( a b -- f(a, b) ) */
lode_script_error lode_op_binary(lode_eval *e, uint8_t opcode)
{
    int64_t a, b;
    LODE_NEED(e, 2);
    LODE_TRY_OP(read_at(e, &a, 2));
    LODE_TRY_OP(read_at(e, &b, 1));
    lode_stack_drop(&e->stack, 2);
    lode_stack_push_number(&e->stack, compute_binary(opcode, a, b));
    return LODE_SCRIPT_OK;
}

lode_script_error lode_op_num_equal_verify(lode_eval *e, uint8_t opcode)
{
    LODE_TRY_OP(lode_op_binary(e, LODE_OP_NUMEQUAL));
    if (!lode_bytes_are_true(lode_stack_at(&e->stack, 1)))
        return LODE_SCRIPT_NUMEQUALVERIFY;
    lode_stack_drop(&e->stack, 1);
    return LODE_SCRIPT_OK;
}

/* ( x min max -- min <= x < max ) */
lode_script_error lode_op_within(lode_eval *e, uint8_t opcode)
{
    int64_t x, min, max;
    LODE_NEED(e, 3);
    LODE_TRY_OP(read_at(e, &x, 3));
    LODE_TRY_OP(read_at(e, &min, 2));
    LODE_TRY_OP(read_at(e, &max, 1));
    lode_stack_drop(&e->stack, 3);
    lode_stack_push_bool(&e->stack, min <= x && x < max);
    return LODE_SCRIPT_OK;
}
