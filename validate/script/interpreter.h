/* validate/script/interpreter.h: does this input satisfy the output it spends? */
#ifndef LODE_VALIDATE_SCRIPT_INTERPRETER_H
#define LODE_VALIDATE_SCRIPT_INTERPRETER_H

#include "validate/script/flags.h"
#include "validate/script/script_error.h"
#include "validate/script/sighash.h"

typedef enum lode_sig_version {
    LODE_SIG_BASE,
    LODE_SIG_WITNESS_V0,
    LODE_SIG_TAPROOT,
    LODE_SIG_TAPSCRIPT
} lode_sig_version;

/* How the interpreter asks about the world outside the script. The immediate checker verifies at once; a collecting
 * one may answer true for now and verify in bulk later. */
typedef struct lode_sig_checker lode_sig_checker;
struct lode_sig_checker {
    /* sig includes the hash type byte and is not empty; encoding rules of the flags were applied already. */
    bool (*check_ecdsa)(lode_sig_checker *self, lode_slice sig, lode_slice pubkey, lode_slice script_code,
                        lode_sig_version version);
    /* sig is 64 or 65 bytes or wrong; *error is set when false. pubkey is 32 bytes. */
    bool (*check_schnorr)(lode_sig_checker *self, lode_slice sig, const uint8_t pubkey[32],
                          const lode_tapscript_context *context, lode_script_error *error);
    bool (*check_lock_time)(lode_sig_checker *self, int64_t lock_time); /* BIP 65 */
    bool (*check_sequence)(lode_sig_checker *self, int64_t sequence);   /* BIP 112 */
    /* Set by the interpreter while it tries a key of OP_CHECKMULTISIG with others to spare: "false" is an ordinary
     * answer then, so a collecting checker does better to find out at once. */
    bool may_fail;
};

/* Run script_sig, script_pubkey and witness. True: LODE_SCRIPT_OK. `in` lends the witness (fields witness*).
 * Source: Core's VerifyScript. */
bool lode_script_verify(lode_script_error *error, lode_slice script_sig, lode_slice script_pubkey, const lode_txin *in,
                        uint32_t flags, lode_sig_checker *checker);

/* Legacy, P2SH and witness signature operations of Core's GetSigOpCount and CountWitnessSigOps. */
uint32_t lode_script_sigops(lode_slice script, bool accurate);
uint32_t lode_script_p2sh_sigops(lode_slice script_sig, lode_slice script_pubkey);
uint32_t lode_script_witness_sigops(const lode_txin *in, lode_slice script_pubkey, uint32_t flags);

bool lode_script_is_p2sh(lode_slice script);
/* A witness program: version in 0..16, program of 2 to 40 bytes lent from `script`. */
bool lode_script_is_witness_program(lode_slice script, int *version, lode_slice *program);
bool lode_script_is_push_only(lode_slice script);
/* Step over one opcode: *at moves on; data is the push (lent), empty otherwise. False at an undecodable push or the
 * end. */
bool lode_script_next(lode_slice script, size_t *at, uint8_t *opcode, lode_slice *data);

#endif
