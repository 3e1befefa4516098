/* primitives/merkle.c: the tree of hashes over a block's transactions.
 *
 * Room:     one function over an array of leaves that it overwrites.
 * Source:   Core's ComputeMerkleRoot; CVE-2012-2459 for *mutated.
 */
#include "primitives/tx.h"

/* True when two equal hashes stand side by side, as the doubling of an odd last one would put them. */
static bool has_equal_pair(const uint8_t *hashes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (lode_bytes32_is_equal(hashes + 32 * i, hashes + 32 * (i + 1)))
            return true;
    }
    return false;
}

void lode_merkle_root(uint8_t root[32], bool *mutated, uint8_t *leaves, size_t count)
{
    bool is_mutated = false;

    for (; count > 1; count = (count + 1) / 2) {
        is_mutated = is_mutated || has_equal_pair(leaves, count);
        uint8_t *last = leaves + 32 * (count - 1);
        if (count % 2) { /* the odd one is paired with itself, for which the array may have no room */
            uint8_t pair[64];
            memcpy(pair, last, 32);
            memcpy(pair + 32, last, 32);
            lode_sha256d_64(leaves, leaves, count / 2);
            lode_sha256d_64(leaves + 32 * (count / 2), pair, 1);
        } else {
            lode_sha256d_64(leaves, leaves, count / 2);
        }
    }
    if (count)
        memmove(root, leaves, 32);
    else
        memset(root, 0, 32);
    if (mutated)
        *mutated = is_mutated;
}
