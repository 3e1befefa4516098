/* validate/script/eval.h: one script being run. Only the files of this folder include it.
 *
 * An opcode is a function of the run and its own number; it returns LODE_SCRIPT_OK or why the script fails. The table
 * in opcode_table.c says which function and how eval.c treats the opcode before calling it.
 */
#ifndef LODE_VALIDATE_SCRIPT_EVAL_H
#define LODE_VALIDATE_SCRIPT_EVAL_H

#include "validate/script/interpreter.h"
#include "validate/script/opcode.h"
#include "validate/script/stack.h"

typedef struct lode_eval {
    /* constant for the input */
    uint32_t flags;
    lode_sig_checker *checker;

    /* constant for one script */
    lode_slice script;
    lode_sig_version version;

    /* the run */
    size_t at;         /* the next opcode */
    size_t code_begin; /* after the last OP_CODESEPARATOR that ran */
    lode_slice data;   /* what the current opcode pushes */
    uint32_t op_count;
    uint32_t op_position;
    uint32_t condition_depth;     /* open IFs */
    uint32_t condition_first_off; /* the outermost IF whose branch is off; LODE_NO_BRANCH_OFF: everything runs */
    lode_tapscript_context tapscript;
    int64_t weight_left; /* BIP 342's budget */

    lode_stack stack;                           /* lives on from script to script of one input */
    uint8_t code_scratch[LODE_MAX_SCRIPT_SIZE]; /* a script code with signatures taken out */
} lode_eval;

#define LODE_NO_BRANCH_OFF UINT32_MAX

/* Runs `script` on e->stack. e->tapscript and e->weight_left are read by tapscript only. */
lode_script_error lode_eval_script(lode_eval *e, lode_slice script, lode_sig_version version);

typedef lode_script_error lode_op_function(lode_eval *e, uint8_t opcode);

enum lode_op_kind {
    LODE_OP_PLAIN,    /* runs where the branch is on */
    LODE_OP_ALWAYS,   /* runs in branches that are off, too: IF to ENDIF */
    LODE_OP_DISABLED, /* fails wherever it stands (CVE-2010-5137) */
};
typedef struct lode_op {
    lode_op_function *run;
    enum lode_op_kind kind;
} lode_op;
extern const lode_op lode_op_table[256];

/* op_push.c */
lode_op_function lode_op_push, lode_op_small_number;
/* op_control.c */
lode_op_function lode_op_bad, lode_op_nop, lode_op_upgradable_nop, lode_op_if, lode_op_else, lode_op_endif,
    lode_op_verify, lode_op_return;
/* op_locktime.c */
lode_op_function lode_op_check_lock_time, lode_op_check_sequence;
/* op_stack.c */
lode_op_function lode_op_to_alt, lode_op_from_alt, lode_op_2drop, lode_op_2dup, lode_op_3dup, lode_op_2over,
    lode_op_2rot, lode_op_2swap, lode_op_ifdup, lode_op_depth, lode_op_drop, lode_op_dup, lode_op_nip, lode_op_over,
    lode_op_pick, lode_op_roll, lode_op_rot, lode_op_swap, lode_op_tuck;
/* op_bytes.c */
lode_op_function lode_op_size, lode_op_equal, lode_op_equal_verify;
/* op_numeric.c */
lode_op_function lode_op_unary, lode_op_binary, lode_op_num_equal_verify, lode_op_within;
/* op_crypto.c */
lode_op_function lode_op_hash, lode_op_code_separator, lode_op_check_sig, lode_op_check_sig_verify,
    lode_op_check_sig_add;
/* op_multisig.c */
lode_op_function lode_op_check_multisig, lode_op_check_multisig_verify;

/* The part of the running script that signatures commit to. */
static inline lode_slice lode_eval_code(const lode_eval *e)
{
    return lode_slice_of(e->script.data + e->code_begin, e->script.len - e->code_begin);
}

/* Takes every push of `sig` out of `code` (which may lie in e->code_scratch already) and moves the result to
 * e->code_scratch. Legacy scripts only. *found: how many. Source: Core's FindAndDelete. */
lode_slice lode_eval_delete_sig(lode_eval *e, lode_slice code, lode_slice sig, uint32_t *found);

#define LODE_NEED(e, count)                                                                                            \
    do {                                                                                                               \
        if (lode_stack_size(&(e)->stack) < (count))                                                                    \
            return LODE_SCRIPT_INVALID_STACK_OPERATION;                                                                \
    } while (0)

#define LODE_TRY_OP(call)                                                                                              \
    do {                                                                                                               \
        lode_script_error lode_try_op_ = (call);                                                                       \
        if (lode_try_op_ != LODE_SCRIPT_OK)                                                                            \
            return lode_try_op_;                                                                                       \
    } while (0)

#endif
