/* validate/script/encoding.c: which signatures and public keys the flags admit. */
#include "validate/script/encoding.h"

#include "validate/script/lax_der.h"

/* One strict DER integer: positive, not empty, no zero byte in front that is not needed for the sign. */
static bool is_strict_integer(lode_slice v)
{
    if (v.len == 0 || (v.data[0] & 0x80))
        return false;
    return v.len == 1 || v.data[0] != 0 || (v.data[1] & 0x80);
}

/* Strict DER with a hash type byte behind:
 *     30 len 02 len R 02 len S type        9 to 73 bytes
 * Source: BIP 66. */
static bool is_strict_der(lode_slice sig)
{
    if (sig.len < 9 || sig.len > 73)
        return false;
    if (sig.data[0] != 0x30 || sig.data[1] != sig.len - 3)
        return false;

    size_t r_len = sig.data[3];
    if (5 + r_len >= sig.len)
        return false;
    size_t s_len = sig.data[5 + r_len];
    if (r_len + s_len + 7 != sig.len)
        return false;
    return sig.data[2] == 0x02 && is_strict_integer(lode_slice_of(sig.data + 4, r_len)) &&
           sig.data[4 + r_len] == 0x02 && is_strict_integer(lode_slice_of(sig.data + 6 + r_len, s_len));
}

static bool has_defined_hash_type(lode_slice sig)
{
    int mode = sig.data[sig.len - 1] & ~LODE_SIGHASH_ANYONECANPAY;
    return mode >= LODE_SIGHASH_ALL && mode <= LODE_SIGHASH_SINGLE;
}

lode_script_error lode_sig_check_encoding(lode_slice sig, uint32_t flags)
{
    if (sig.len == 0)
        return LODE_SCRIPT_OK;
    if ((flags & (LODE_VERIFY_DERSIG | LODE_VERIFY_LOW_S | LODE_VERIFY_STRICTENC)) && !is_strict_der(sig))
        return LODE_SCRIPT_SIG_DER;
    if ((flags & LODE_VERIFY_LOW_S) && !lode_der_has_low_s(lode_slice_of(sig.data, sig.len - 1)))
        return LODE_SCRIPT_SIG_HIGH_S;
    if ((flags & LODE_VERIFY_STRICTENC) && !has_defined_hash_type(sig))
        return LODE_SCRIPT_SIG_HASHTYPE;
    return LODE_SCRIPT_OK;
}

static bool is_compressed(lode_slice key)
{
    return key.len == 33 && (key.data[0] == 0x02 || key.data[0] == 0x03);
}

static bool is_uncompressed(lode_slice key)
{
    return key.len == 65 && key.data[0] == 0x04;
}

lode_script_error lode_pubkey_check_encoding(lode_slice key, uint32_t flags, lode_sig_version version)
{
    if ((flags & LODE_VERIFY_STRICTENC) && !is_compressed(key) && !is_uncompressed(key))
        return LODE_SCRIPT_PUBKEYTYPE;
    if ((flags & LODE_VERIFY_WITNESS_PUBKEYTYPE) && version == LODE_SIG_WITNESS_V0 && !is_compressed(key))
        return LODE_SCRIPT_WITNESS_PUBKEYTYPE;
    return LODE_SCRIPT_OK;
}
