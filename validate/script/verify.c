/* validate/script/verify.c: one input against the output it spends.
 *
 * Room:     the order of script_sig, script_pubkey, redeem script and witness program; BIP 16, 141, 341.
 * Touches:  the checker it is given. Everything else is on its own stack frame (about 70 KiB, mostly never touched).
 * Source:   Core's VerifyScript and VerifyWitnessProgram.
 */
#include "validate/script/eval.h"
#include "validate/script/taproot.h"

#define WITNESS_WEIGHT_OFFSET 50 /* BIP 342 */
#define ANNEX_TAG 0x50

static bool is_op_success(uint8_t op)
{
    return op == 80 || op == 98 || (op >= 126 && op <= 129) || (op >= 131 && op <= 134) || (op >= 137 && op <= 138) ||
           (op >= 141 && op <= 142) || (op >= 149 && op <= 153) || (op >= 187 && op <= 254);
}

/* The first success code decides, unless a push that cannot be read comes before it. */
static lode_script_error find_op_success(lode_slice script, bool *success)
{
    size_t at = 0;
    uint8_t op;
    lode_slice data;
    *success = false;
    while (at < script.len) {
        if (!lode_script_next(script, &at, &op, &data))
            return LODE_SCRIPT_BAD_OPCODE;
        if (is_op_success(op)) {
            *success = true;
            return LODE_SCRIPT_OK;
        }
    }
    return LODE_SCRIPT_OK;
}

/* The first `count` items of the witness become the whole stack. */
static lode_script_error load_witness(lode_eval *e, const lode_txin *in, uint32_t count)
{
    lode_reader r = lode_witness_reader(in);
    uint32_t hidden = count > LODE_STACK_WINDOW ? count - LODE_STACK_WINDOW : 0;

    lode_stack_init(&e->stack);
    e->stack.hidden = hidden;
    for (uint32_t i = 0; i < count; i++) {
        lode_slice item;
        if (!lode_witness_next(&r, &item))
            return LODE_SCRIPT_UNKNOWN_ERROR;
        if (item.len > LODE_MAX_SCRIPT_ELEMENT_SIZE)
            return LODE_SCRIPT_PUSH_SIZE;
        if (i >= hidden)
            lode_stack_push_lent(&e->stack, item);
    }
    return LODE_SCRIPT_OK;
}

/* Runs a witness script over the first `count` items. A witness script must leave exactly one true item. */
static lode_script_error run_witness_script(lode_eval *e, const lode_txin *in, uint32_t count, lode_slice script,
                                            lode_sig_version version)
{
    if (version == LODE_SIG_TAPSCRIPT) {
        bool success;
        LODE_TRY_OP(find_op_success(script, &success));
        if (success)
            return e->flags & LODE_VERIFY_DISCOURAGE_OP_SUCCESS ? LODE_SCRIPT_DISCOURAGE_OP_SUCCESS : LODE_SCRIPT_OK;
        if (count > LODE_MAX_STACK_SIZE)
            return LODE_SCRIPT_STACK_SIZE;
    }
    LODE_TRY_OP(load_witness(e, in, count));
    LODE_TRY_OP(lode_eval_script(e, script, version));
    if (lode_stack_size(&e->stack) != 1)
        return LODE_SCRIPT_CLEANSTACK;
    return lode_bytes_are_true(lode_stack_at(&e->stack, 1)) ? LODE_SCRIPT_OK : LODE_SCRIPT_EVAL_FALSE;
}

/* The last items of a witness, last first. */
typedef struct witness_tail {
    lode_slice items[3];
} witness_tail;

static bool read_tail(witness_tail *tail, const lode_txin *in)
{
    lode_reader r = lode_witness_reader(in);
    lode_slice item;
    memset(tail, 0, sizeof *tail);
    for (uint32_t i = 0; i < in->witness_count; i++) {
        if (!lode_witness_next(&r, &item))
            return false;
        tail->items[2] = tail->items[1];
        tail->items[1] = tail->items[0];
        tail->items[0] = item;
    }
    return true;
}

static lode_script_error verify_script_hash(lode_eval *e, const lode_txin *in, lode_slice program)
{
    witness_tail tail;
    uint8_t hash[32];
    if (in->witness_count == 0)
        return LODE_SCRIPT_WITNESS_PROGRAM_WITNESS_EMPTY;
    if (!read_tail(&tail, in))
        return LODE_SCRIPT_UNKNOWN_ERROR;
    lode_sha256(hash, tail.items[0].data, tail.items[0].len);
    if (!lode_bytes32_is_equal(hash, program.data))
        return LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH;
    return run_witness_script(e, in, in->witness_count - 1, tail.items[0], LODE_SIG_WITNESS_V0);
}

static lode_script_error verify_key_hash(lode_eval *e, const lode_txin *in, lode_slice program)
{
    uint8_t script[25] = { LODE_OP_DUP, LODE_OP_HASH160, 20 };
    if (in->witness_count != 2)
        return LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH;
    memcpy(script + 3, program.data, 20);
    script[23] = LODE_OP_EQUALVERIFY;
    script[24] = LODE_OP_CHECKSIG;
    return run_witness_script(e, in, 2, lode_slice_of(script, sizeof script), LODE_SIG_WITNESS_V0);
}

static lode_script_error verify_taproot_key(lode_eval *e, lode_slice sig, lode_slice program)
{
    lode_script_error error = LODE_SCRIPT_SCHNORR_SIG;
    e->tapscript.is_script_path = false;
    return e->checker->check_schnorr(e->checker, sig, program.data, &e->tapscript, &error) ? LODE_SCRIPT_OK : error;
}

/* `count` items without the annex, the last two of them script and control block. */
static lode_script_error verify_taproot_script(lode_eval *e, const lode_txin *in, uint32_t count, lode_slice script,
                                               lode_slice control, lode_slice program)
{
    if (!lode_control_block_has_good_size(control))
        return LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE;
    uint8_t leaf_version = control.data[0] & LODE_TAPROOT_LEAF_MASK;
    lode_tapleaf_hash(e->tapscript.leaf_hash, leaf_version, script);
    if (!lode_taproot_commits(program.data, control, e->tapscript.leaf_hash))
        return LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH;

    if (leaf_version != LODE_TAPROOT_LEAF_TAPSCRIPT)
        return e->flags & LODE_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION
                   ? LODE_SCRIPT_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION
                   : LODE_SCRIPT_OK;
    e->tapscript.is_script_path = true;
    e->weight_left = (int64_t)lode_compact_size_length(in->witness_count) + in->witness_len + WITNESS_WEIGHT_OFFSET;
    return run_witness_script(e, in, count - 2, script, LODE_SIG_TAPSCRIPT);
}

static lode_script_error verify_taproot(lode_eval *e, const lode_txin *in, lode_slice program)
{
    witness_tail tail;
    uint32_t count = in->witness_count;
    const lode_slice *last = tail.items;

    if (!(e->flags & LODE_VERIFY_TAPROOT))
        return LODE_SCRIPT_OK;
    if (count == 0)
        return LODE_SCRIPT_WITNESS_PROGRAM_WITNESS_EMPTY;
    if (!read_tail(&tail, in))
        return LODE_SCRIPT_UNKNOWN_ERROR;

    e->tapscript.has_annex = count >= 2 && last->len > 0 && last->data[0] == ANNEX_TAG;
    if (e->tapscript.has_annex) {
        lode_annex_hash(e->tapscript.annex_hash, *last++);
        count--;
    }
    if (count == 1)
        return verify_taproot_key(e, last[0], program);
    return verify_taproot_script(e, in, count, last[1], last[0], program);
}

static lode_script_error verify_program(lode_eval *e, const lode_txin *in, int version, lode_slice program,
                                        bool within_p2sh)
{
    if (version == 0 && program.len == 32)
        return verify_script_hash(e, in, program);
    if (version == 0 && program.len == 20)
        return verify_key_hash(e, in, program);
    if (version == 0)
        return LODE_SCRIPT_WITNESS_PROGRAM_WRONG_LENGTH;
    if (version == 1 && program.len == 32 && !within_p2sh)
        return verify_taproot(e, in, program);
    if (version == 1 && program.len == 2 && !within_p2sh && memcmp(program.data, "\x4e\x73", 2) == 0)
        return LODE_SCRIPT_OK; /* pay to anchor: known, spent by anyone */
    return e->flags & LODE_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM
               ? LODE_SCRIPT_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM
               : LODE_SCRIPT_OK;
}

/* Runs a legacy script and asks for a true top item. */
static lode_script_error run_to_true(lode_eval *e, lode_slice script)
{
    LODE_TRY_OP(lode_eval_script(e, script, LODE_SIG_BASE));
    if (lode_stack_size(&e->stack) == 0 || !lode_bytes_are_true(lode_stack_at(&e->stack, 1)))
        return LODE_SCRIPT_EVAL_FALSE;
    return LODE_SCRIPT_OK;
}

/* What the steps of one input tell each other. */
typedef struct outcome {
    bool had_witness; /* a program looked at the witness */
    bool is_clean;    /* a program ran: the stack that is left means nothing */
} outcome;

static lode_script_error try_program(lode_eval *e, outcome *o, const lode_txin *in, lode_slice script,
                                     lode_slice script_sig, bool within_p2sh)
{
    int version;
    lode_slice program;
    if (!(e->flags & LODE_VERIFY_WITNESS) || !lode_script_is_witness_program(script, &version, &program))
        return LODE_SCRIPT_OK;

    o->had_witness = o->is_clean = true;
    if (!within_p2sh && script_sig.len != 0)
        return LODE_SCRIPT_WITNESS_MALLEATED;
    /* exactly one push of the redeem script, whose 4 to 42 bytes need a one-byte opcode */
    if (within_p2sh && (script_sig.len != script.len + 1 || script_sig.data[0] != script.len ||
                        memcmp(script_sig.data + 1, script.data, script.len) != 0))
        return LODE_SCRIPT_WITNESS_MALLEATED_P2SH;
    return verify_program(e, in, version, program, within_p2sh);
}

/* `redeem` was on top when the P2SH script, which replaced it by a verdict, ran. */
static lode_script_error verify_redeem_script(lode_eval *e, outcome *o, const lode_txin *in, lode_slice script_sig,
                                              const lode_item *redeem)
{
    lode_slice script = lode_item_bytes(redeem);
    if (!lode_script_is_push_only(script_sig))
        return LODE_SCRIPT_SIG_PUSHONLY;
    lode_stack_drop(&e->stack, 1);
    LODE_TRY_OP(run_to_true(e, script));
    return try_program(e, o, in, script, script_sig, true);
}

static lode_script_error verify_input(lode_eval *e, lode_slice script_sig, lode_slice script_pubkey,
                                      const lode_txin *in)
{
    outcome o = { false, false };
    lode_item top = { NULL, 0, { 0 } };

    if ((e->flags & LODE_VERIFY_SIGPUSHONLY) && !lode_script_is_push_only(script_sig))
        return LODE_SCRIPT_SIG_PUSHONLY;

    /* One after the other on the same stack, never joined (CVE-2010-5141). */
    LODE_TRY_OP(lode_eval_script(e, script_sig, LODE_SIG_BASE));
    if (lode_stack_size(&e->stack) > 0)
        top = *lode_stack_item(&e->stack, 1);
    LODE_TRY_OP(run_to_true(e, script_pubkey));

    LODE_TRY_OP(try_program(e, &o, in, script_pubkey, script_sig, false));
    if ((e->flags & LODE_VERIFY_P2SH) && lode_script_is_p2sh(script_pubkey))
        LODE_TRY_OP(verify_redeem_script(e, &o, in, script_sig, &top));

    if ((e->flags & LODE_VERIFY_CLEANSTACK) && !o.is_clean && lode_stack_size(&e->stack) != 1)
        return LODE_SCRIPT_CLEANSTACK;
    if ((e->flags & LODE_VERIFY_WITNESS) && !o.had_witness && in->witness_count > 0)
        return LODE_SCRIPT_WITNESS_UNEXPECTED;
    return LODE_SCRIPT_OK;
}

bool lode_script_verify(lode_script_error *error, lode_slice script_sig, lode_slice script_pubkey, const lode_txin *in,
                        uint32_t flags, lode_sig_checker *checker)
{
    static const lode_txin no_witness;
    lode_eval e; /* not cleared: only what is used is written */
    e.flags = flags;
    e.checker = checker;
    lode_stack_init(&e.stack);
    *error = verify_input(&e, script_sig, script_pubkey, in ? in : &no_witness);
    return *error == LODE_SCRIPT_OK;
}
