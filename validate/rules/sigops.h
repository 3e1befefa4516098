/* validate/rules/sigops.h: legacy signature operations, counted as blocks always counted them. For rules/ only.
 *
 * Every script of every block goes through here, so it is one loop without calls. It gives what lode_script_sigops
 * gives when not accurate (the tests hold them against each other).
 */
#ifndef LODE_VALIDATE_SIGOPS_H
#define LODE_VALIDATE_SIGOPS_H

#include "support/bytes.h"

/* OP_CHECKSIG(VERIFY) counts 1 and OP_CHECKMULTISIG(VERIFY) 20, wherever they stand; counting stops at a push that
 * runs past the end. Source: Core's CScript::GetSigOpCount(false). */
static inline uint32_t lode_count_sigops(const uint8_t *script, size_t len)
{
    uint32_t count = 0;
    size_t at = 0;

    while (at < len) {
        uint8_t opcode = script[at++];
        if (opcode <= 75) {
            at += opcode; /* past the end: over */
        } else if (opcode <= 78) {
            size_t width = (size_t)1 << (opcode - 76); /* OP_PUSHDATA1, 2 and 4 */
            uint32_t skip;
            if (len - at < width)
                break;
            skip = width == 1 ? script[at] : width == 2 ? lode_read_le16(script + at) : lode_read_le32(script + at);
            at += width;
            if (len - at < skip)
                break;
            at += skip;
        } else if (opcode >= 172 && opcode <= 175) {
            count += opcode <= 173 ? 1 : 20;
        }
    }
    return count;
}

#endif
