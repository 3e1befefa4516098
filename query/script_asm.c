/* query/script_asm.c: scripts in words.
 *
 * Room:     names of opcodes, numbers, signatures' hash types.
 * Touches:  the script given.
 * Source:   Core's ScriptToAsmStr; BIP 66 for the form of a signature.
 */
#include "query/script_asm.h"

#include <inttypes.h>

#include "primitives/encode.h"
#include "query/json.h"
#include "validate/script/interpreter.h"

enum { OP_PUSHDATA4 = 0x4e, OP_1NEGATE = 0x4f, OP_FIRST_NAMED = 0x61, OP_CHECKSIGADD = 0xba, OP_INVALID = 0xff };

/* From OP_NOP (0x61) to OP_CHECKSIGADD (0xba). */
static const char *const names[] = { "NOP",
                                     "VER",
                                     "IF",
                                     "NOTIF",
                                     "VERIF",
                                     "VERNOTIF",
                                     "ELSE",
                                     "ENDIF",
                                     "VERIFY",
                                     "RETURN",
                                     "TOALTSTACK",
                                     "FROMALTSTACK",
                                     "2DROP",
                                     "2DUP",
                                     "3DUP",
                                     "2OVER",
                                     "2ROT",
                                     "2SWAP",
                                     "IFDUP",
                                     "DEPTH",
                                     "DROP",
                                     "DUP",
                                     "NIP",
                                     "OVER",
                                     "PICK",
                                     "ROLL",
                                     "ROT",
                                     "SWAP",
                                     "TUCK",
                                     "CAT",
                                     "SUBSTR",
                                     "LEFT",
                                     "RIGHT",
                                     "SIZE",
                                     "INVERT",
                                     "AND",
                                     "OR",
                                     "XOR",
                                     "EQUAL",
                                     "EQUALVERIFY",
                                     "RESERVED1",
                                     "RESERVED2",
                                     "1ADD",
                                     "1SUB",
                                     "2MUL",
                                     "2DIV",
                                     "NEGATE",
                                     "ABS",
                                     "NOT",
                                     "0NOTEQUAL",
                                     "ADD",
                                     "SUB",
                                     "MUL",
                                     "DIV",
                                     "MOD",
                                     "LSHIFT",
                                     "RSHIFT",
                                     "BOOLAND",
                                     "BOOLOR",
                                     "NUMEQUAL",
                                     "NUMEQUALVERIFY",
                                     "NUMNOTEQUAL",
                                     "LESSTHAN",
                                     "GREATERTHAN",
                                     "LESSTHANOREQUAL",
                                     "GREATERTHANOREQUAL",
                                     "MIN",
                                     "MAX",
                                     "WITHIN",
                                     "RIPEMD160",
                                     "SHA1",
                                     "SHA256",
                                     "HASH160",
                                     "HASH256",
                                     "CODESEPARATOR",
                                     "CHECKSIG",
                                     "CHECKSIGVERIFY",
                                     "CHECKMULTISIG",
                                     "CHECKMULTISIGVERIFY",
                                     "NOP1",
                                     "CHECKLOCKTIMEVERIFY",
                                     "CHECKSEQUENCEVERIFY",
                                     "NOP4",
                                     "NOP5",
                                     "NOP6",
                                     "NOP7",
                                     "NOP8",
                                     "NOP9",
                                     "NOP10",
                                     "CHECKSIGADD" };
_Static_assert(sizeof names / sizeof *names == OP_CHECKSIGADD - OP_FIRST_NAMED + 1, "a name for each opcode");

static void put_opcode(lode_buf *out, uint8_t opcode)
{
    if (opcode == OP_1NEGATE)
        lode_buf_printf(out, "-1");
    else if (opcode == 0x50)
        lode_buf_printf(out, "OP_RESERVED");
    else if (opcode < OP_FIRST_NAMED)
        lode_buf_printf(out, "%d", opcode - 0x50);
    else if (opcode <= OP_CHECKSIGADD)
        lode_buf_printf(out, "OP_%s", names[opcode - OP_FIRST_NAMED]);
    else
        lode_buf_printf(out, "%s", opcode == OP_INVALID ? "OP_INVALIDOPCODE" : "OP_UNKNOWN");
}

/* At most four bytes, little endian, sign in the highest bit. */
static int64_t number_of(lode_slice push)
{
    int64_t value = 0;

    if (push.len == 0)
        return 0;
    for (size_t i = 0; i < push.len; i++)
        value |= (int64_t)push.data[i] << (8 * i);
    if (push.data[push.len - 1] & 0x80)
        return -(value & ~((int64_t)0x80 << (8 * (push.len - 1))));
    return value;
}

/* A positive integer in DER without a superfluous zero; moves past it. */
static bool step_der_integer(lode_reader *r)
{
    bool is_integer = lode_reader_u8(r) == 0x02;
    uint8_t len = lode_reader_u8(r);
    const uint8_t *p = lode_reader_take(r, len);

    return is_integer && p && len > 0 && !(p[0] & 0x80) && !(len > 1 && p[0] == 0 && !(p[1] & 0x80));
}

/* 30 len 02 len R 02 len S hashtype. Source: BIP 66. */
static bool is_signature(lode_slice push)
{
    lode_reader r = lode_reader_of(push.data, push.len);

    if (push.len < 9 || push.len > 73)
        return false;
    if (lode_reader_u8(&r) != 0x30 || lode_reader_u8(&r) != push.len - 3)
        return false;
    if (!step_der_integer(&r) || !step_der_integer(&r))
        return false;
    return lode_reader_left(&r) == 1;
}

static const char *hash_type_name(uint8_t type)
{
    switch (type) {
    case 0x01:
        return "[ALL]";
    case 0x02:
        return "[NONE]";
    case 0x03:
        return "[SINGLE]";
    case 0x81:
        return "[ALL|ANYONECANPAY]";
    case 0x82:
        return "[NONE|ANYONECANPAY]";
    case 0x83:
        return "[SINGLE|ANYONECANPAY]";
    default:
        return NULL;
    }
}

static void put_push(lode_buf *out, lode_slice push, bool show_hash_types)
{
    const char *type;

    if (push.len <= 4) {
        lode_buf_printf(out, "%" PRId64, number_of(push));
        return;
    }
    type = show_hash_types && is_signature(push) ? hash_type_name(push.data[push.len - 1]) : NULL;
    lode_buf_put_hex(out, push.data, push.len - (type ? 1 : 0));
    if (type)
        lode_buf_append(out, type, strlen(type));
}

void lode_buf_put_script_asm(lode_buf *out, lode_slice script, bool show_hash_types)
{
    size_t at = 0;

    if (lode_script_is_unspendable(script.data, script.len))
        show_hash_types = false; /* data after OP_RETURN may look like anything */
    while (at < script.len) {
        uint8_t opcode;
        lode_slice push;
        if (at > 0)
            lode_buf_put_u8(out, ' ');
        if (!lode_script_next(script, &at, &opcode, &push)) {
            lode_buf_append(out, "[error]", 7);
            return;
        }
        if (opcode <= OP_PUSHDATA4)
            put_push(out, push, show_hash_types);
        else
            put_opcode(out, opcode);
    }
}
