/* validate/script/opcode_table.c: which function runs each of the 256 opcodes. */
#include "validate/script/eval.h"

#define PLAIN(f)                                                                                                       \
    {                                                                                                                  \
        f, LODE_OP_PLAIN                                                                                               \
    }
#define ALWAYS(f)                                                                                                      \
    {                                                                                                                  \
        f, LODE_OP_ALWAYS                                                                                              \
    }
#define DISABLED                                                                                                       \
    {                                                                                                                  \
        lode_op_bad, LODE_OP_DISABLED                                                                                  \
    }

/* Whatever is not named here is a bad opcode where it runs, and nothing where it does not. */
const lode_op lode_op_table[256] = {
    /* push */
    [LODE_OP_0... LODE_OP_PUSHDATA4] = PLAIN(lode_op_push),
    [LODE_OP_1NEGATE] = PLAIN(lode_op_small_number),
    [LODE_OP_RESERVED] = PLAIN(lode_op_bad),
    [LODE_OP_1... LODE_OP_16] = PLAIN(lode_op_small_number),

    /* control */
    [LODE_OP_NOP] = PLAIN(lode_op_nop),
    [LODE_OP_VER] = PLAIN(lode_op_bad),
    [LODE_OP_IF] = ALWAYS(lode_op_if),
    [LODE_OP_NOTIF] = ALWAYS(lode_op_if),
    [LODE_OP_VERIF] = ALWAYS(lode_op_bad),
    [LODE_OP_VERNOTIF] = ALWAYS(lode_op_bad),
    [LODE_OP_ELSE] = ALWAYS(lode_op_else),
    [LODE_OP_ENDIF] = ALWAYS(lode_op_endif),
    [LODE_OP_VERIFY] = PLAIN(lode_op_verify),
    [LODE_OP_RETURN] = PLAIN(lode_op_return),

    /* stack */
    [LODE_OP_TOALTSTACK] = PLAIN(lode_op_to_alt),
    [LODE_OP_FROMALTSTACK] = PLAIN(lode_op_from_alt),
    [LODE_OP_2DROP] = PLAIN(lode_op_2drop),
    [LODE_OP_2DUP] = PLAIN(lode_op_2dup),
    [LODE_OP_3DUP] = PLAIN(lode_op_3dup),
    [LODE_OP_2OVER] = PLAIN(lode_op_2over),
    [LODE_OP_2ROT] = PLAIN(lode_op_2rot),
    [LODE_OP_2SWAP] = PLAIN(lode_op_2swap),
    [LODE_OP_IFDUP] = PLAIN(lode_op_ifdup),
    [LODE_OP_DEPTH] = PLAIN(lode_op_depth),
    [LODE_OP_DROP] = PLAIN(lode_op_drop),
    [LODE_OP_DUP] = PLAIN(lode_op_dup),
    [LODE_OP_NIP] = PLAIN(lode_op_nip),
    [LODE_OP_OVER] = PLAIN(lode_op_over),
    [LODE_OP_PICK] = PLAIN(lode_op_pick),
    [LODE_OP_ROLL] = PLAIN(lode_op_roll),
    [LODE_OP_ROT] = PLAIN(lode_op_rot),
    [LODE_OP_SWAP] = PLAIN(lode_op_swap),
    [LODE_OP_TUCK] = PLAIN(lode_op_tuck),

    /* splice, bitwise, compare */
    [LODE_OP_CAT... LODE_OP_RIGHT] = DISABLED,
    [LODE_OP_SIZE] = PLAIN(lode_op_size),
    [LODE_OP_INVERT... LODE_OP_XOR] = DISABLED,
    [LODE_OP_EQUAL] = PLAIN(lode_op_equal),
    [LODE_OP_EQUALVERIFY] = PLAIN(lode_op_equal_verify),
    [LODE_OP_RESERVED1... LODE_OP_RESERVED2] = PLAIN(lode_op_bad),

    /* numeric */
    [LODE_OP_1ADD... LODE_OP_1SUB] = PLAIN(lode_op_unary),
    [LODE_OP_2MUL... LODE_OP_2DIV] = DISABLED,
    [LODE_OP_NEGATE... LODE_OP_0NOTEQUAL] = PLAIN(lode_op_unary),
    [LODE_OP_ADD... LODE_OP_SUB] = PLAIN(lode_op_binary),
    [LODE_OP_MUL... LODE_OP_RSHIFT] = DISABLED,
    [LODE_OP_BOOLAND... LODE_OP_NUMEQUAL] = PLAIN(lode_op_binary),
    [LODE_OP_NUMEQUALVERIFY] = PLAIN(lode_op_num_equal_verify),
    [LODE_OP_NUMNOTEQUAL... LODE_OP_MAX] = PLAIN(lode_op_binary),
    [LODE_OP_WITHIN] = PLAIN(lode_op_within),

    /* crypto */
    [LODE_OP_RIPEMD160... LODE_OP_HASH256] = PLAIN(lode_op_hash),
    [LODE_OP_CODESEPARATOR] = PLAIN(lode_op_code_separator),
    [LODE_OP_CHECKSIG] = PLAIN(lode_op_check_sig),
    [LODE_OP_CHECKSIGVERIFY] = PLAIN(lode_op_check_sig_verify),
    [LODE_OP_CHECKMULTISIG] = PLAIN(lode_op_check_multisig),
    [LODE_OP_CHECKMULTISIGVERIFY] = PLAIN(lode_op_check_multisig_verify),

    /* expansion */
    [LODE_OP_NOP1] = PLAIN(lode_op_upgradable_nop),
    [LODE_OP_CHECKLOCKTIMEVERIFY] = PLAIN(lode_op_check_lock_time),
    [LODE_OP_CHECKSEQUENCEVERIFY] = PLAIN(lode_op_check_sequence),
    [LODE_OP_NOP4... LODE_OP_NOP10] = PLAIN(lode_op_upgradable_nop),
    [LODE_OP_CHECKSIGADD] = PLAIN(lode_op_check_sig_add),
    [LODE_OP_CHECKSIGADD + 1 ... 0xff] = PLAIN(lode_op_bad),
};
