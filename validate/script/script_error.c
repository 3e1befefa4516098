/* validate/script/script_error.c: the words for each script error.
 *
 * Room:  two tables, indexed by lode_script_error.
 */
#include "validate/script/script_error.h"

typedef struct error_words {
    const char *name; /* as the public vectors write it */
    const char *text; /* as Core's messages write it */
} error_words;

static const error_words words[LODE_SCRIPT_ERROR_COUNT] = {
    [LODE_SCRIPT_OK] = { "OK", "No error" },
    [LODE_SCRIPT_UNKNOWN_ERROR] = { "UNKNOWN_ERROR", "unknown error" },
    [LODE_SCRIPT_EVAL_FALSE] = { "EVAL_FALSE",
                                 "Script evaluated without error but finished with a false/empty top stack element" },
    [LODE_SCRIPT_OP_RETURN] = { "OP_RETURN", "OP_RETURN was encountered" },
    [LODE_SCRIPT_SCRIPTNUM] = { "SCRIPTNUM", "Script number overflowed or is non-minimally encoded" },
    [LODE_SCRIPT_SCRIPT_SIZE] = { "SCRIPT_SIZE", "Script is too big" },
    [LODE_SCRIPT_PUSH_SIZE] = { "PUSH_SIZE", "Push value size limit exceeded" },
    [LODE_SCRIPT_OP_COUNT] = { "OP_COUNT", "Operation limit exceeded" },
    [LODE_SCRIPT_STACK_SIZE] = { "STACK_SIZE", "Stack size limit exceeded" },
    [LODE_SCRIPT_SIG_COUNT] = { "SIG_COUNT", "Signature count negative or greater than pubkey count" },
    [LODE_SCRIPT_PUBKEY_COUNT] = { "PUBKEY_COUNT", "Pubkey count negative or limit exceeded" },
    [LODE_SCRIPT_VERIFY] = { "VERIFY", "Script failed an OP_VERIFY operation" },
    [LODE_SCRIPT_EQUALVERIFY] = { "EQUALVERIFY", "Script failed an OP_EQUALVERIFY operation" },
    [LODE_SCRIPT_CHECKMULTISIGVERIFY] = { "CHECKMULTISIGVERIFY", "Script failed an OP_CHECKMULTISIGVERIFY operation" },
    [LODE_SCRIPT_CHECKSIGVERIFY] = { "CHECKSIGVERIFY", "Script failed an OP_CHECKSIGVERIFY operation" },
    [LODE_SCRIPT_NUMEQUALVERIFY] = { "NUMEQUALVERIFY", "Script failed an OP_NUMEQUALVERIFY operation" },
    [LODE_SCRIPT_BAD_OPCODE] = { "BAD_OPCODE", "Opcode missing or not understood" },
    [LODE_SCRIPT_DISABLED_OPCODE] = { "DISABLED_OPCODE", "Attempted to use a disabled opcode" },
    [LODE_SCRIPT_INVALID_STACK_OPERATION] = { "INVALID_STACK_OPERATION",
                                              "Operation not valid with the current stack size" },
    [LODE_SCRIPT_INVALID_ALTSTACK_OPERATION] = { "INVALID_ALTSTACK_OPERATION",
                                                 "Operation not valid with the current altstack size" },
    [LODE_SCRIPT_UNBALANCED_CONDITIONAL] = { "UNBALANCED_CONDITIONAL", "Invalid OP_IF construction" },
    [LODE_SCRIPT_NEGATIVE_LOCKTIME] = { "NEGATIVE_LOCKTIME", "Negative locktime" },
    [LODE_SCRIPT_UNSATISFIED_LOCKTIME] = { "UNSATISFIED_LOCKTIME", "Locktime requirement not satisfied" },
    [LODE_SCRIPT_SIG_HASHTYPE] = { "SIG_HASHTYPE", "Signature hash type missing or not understood" },
    [LODE_SCRIPT_SIG_DER] = { "SIG_DER", "Non-canonical DER signature" },
    [LODE_SCRIPT_MINIMALDATA] = { "MINIMALDATA", "Data push larger than necessary" },
    [LODE_SCRIPT_SIG_PUSHONLY] = { "SIG_PUSHONLY", "Only push operators allowed in signatures" },
    [LODE_SCRIPT_SIG_HIGH_S] = { "SIG_HIGH_S", "Non-canonical signature: S value is unnecessarily high" },
    [LODE_SCRIPT_SIG_NULLDUMMY] = { "SIG_NULLDUMMY", "Dummy CHECKMULTISIG argument must be zero" },
    [LODE_SCRIPT_PUBKEYTYPE] = { "PUBKEYTYPE", "Public key is neither compressed or uncompressed" },
    [LODE_SCRIPT_CLEANSTACK] = { "CLEANSTACK", "Stack size must be exactly one after execution" },
    [LODE_SCRIPT_MINIMALIF] = { "MINIMALIF", "OP_IF/NOTIF argument must be minimal" },
    [LODE_SCRIPT_SIG_NULLFAIL] = { "NULLFAIL", "Signature must be zero for failed CHECK(MULTI)SIG operation" },
    [LODE_SCRIPT_DISCOURAGE_UPGRADABLE_NOPS] = { "DISCOURAGE_UPGRADABLE_NOPS", "NOPx reserved for soft-fork upgrades" },
    [LODE_SCRIPT_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM] = { "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM",
                                                            "Witness version reserved for soft-fork upgrades" },
    [LODE_SCRIPT_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION] = { "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION",
                                                            "Taproot version reserved for soft-fork upgrades" },
    [LODE_SCRIPT_DISCOURAGE_OP_SUCCESS] = { "DISCOURAGE_OP_SUCCESS", "OP_SUCCESSx reserved for soft-fork upgrades" },
    [LODE_SCRIPT_DISCOURAGE_UPGRADABLE_PUBKEYTYPE] = { "DISCOURAGE_UPGRADABLE_PUBKEYTYPE",
                                                       "Public key version reserved for soft-fork upgrades" },
    [LODE_SCRIPT_WITNESS_PROGRAM_WRONG_LENGTH] = { "WITNESS_PROGRAM_WRONG_LENGTH",
                                                   "Witness program has incorrect length" },
    [LODE_SCRIPT_WITNESS_PROGRAM_WITNESS_EMPTY] = { "WITNESS_PROGRAM_WITNESS_EMPTY",
                                                    "Witness program was passed an empty witness" },
    [LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH] = { "WITNESS_PROGRAM_MISMATCH", "Witness program hash mismatch" },
    [LODE_SCRIPT_WITNESS_MALLEATED] = { "WITNESS_MALLEATED", "Witness requires empty scriptSig" },
    [LODE_SCRIPT_WITNESS_MALLEATED_P2SH] = { "WITNESS_MALLEATED_P2SH", "Witness requires only-redeemscript scriptSig" },
    [LODE_SCRIPT_WITNESS_UNEXPECTED] = { "WITNESS_UNEXPECTED", "Witness provided for non-witness script" },
    [LODE_SCRIPT_WITNESS_PUBKEYTYPE] = { "WITNESS_PUBKEYTYPE", "Using non-compressed keys in segwit" },
    [LODE_SCRIPT_SCHNORR_SIG_SIZE] = { "SCHNORR_SIG_SIZE", "Invalid Schnorr signature size" },
    [LODE_SCRIPT_SCHNORR_SIG_HASHTYPE] = { "SCHNORR_SIG_HASHTYPE", "Invalid Schnorr signature hash type" },
    [LODE_SCRIPT_SCHNORR_SIG] = { "SCHNORR_SIG", "Invalid Schnorr signature" },
    [LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE] = { "TAPROOT_WRONG_CONTROL_SIZE", "Invalid Taproot control block size" },
    [LODE_SCRIPT_TAPSCRIPT_VALIDATION_WEIGHT] = { "TAPSCRIPT_VALIDATION_WEIGHT",
                                                  "Too much signature validation relative to witness weight" },
    [LODE_SCRIPT_TAPSCRIPT_CHECKMULTISIG] = { "TAPSCRIPT_CHECKMULTISIG",
                                              "OP_CHECKMULTISIG(VERIFY) is not available in tapscript" },
    [LODE_SCRIPT_TAPSCRIPT_MINIMALIF] = { "TAPSCRIPT_MINIMALIF", "OP_IF/NOTIF argument must be minimal in tapscript" },
    [LODE_SCRIPT_TAPSCRIPT_EMPTY_PUBKEY] = { "TAPSCRIPT_EMPTY_PUBKEY", "Empty public key in tapscript" },
    [LODE_SCRIPT_OP_CODESEPARATOR] = { "OP_CODESEPARATOR", "Using OP_CODESEPARATOR in non-witness script" },
    [LODE_SCRIPT_SIG_FINDANDDELETE] = { "SIG_FINDANDDELETE", "Signature is found in scriptCode" },
};

static const error_words *find_words(lode_script_error error)
{
    if ((unsigned)error >= LODE_SCRIPT_ERROR_COUNT)
        error = LODE_SCRIPT_UNKNOWN_ERROR;
    return &words[error];
}

const char *lode_script_error_text(lode_script_error error)
{
    return find_words(error)->text;
}

const char *lode_script_error_name(lode_script_error error)
{
    return find_words(error)->name;
}
