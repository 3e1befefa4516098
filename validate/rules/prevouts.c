/* validate/rules/prevouts.c: the search for a prevout that is named twice (CVE-2018-17144).
 *
 * Room:     three ways: pairwise for the usual few inputs, a table for many, a sort where somebody built prevouts
 *           that crowd the table.
 * Touches:  scratch in the arena.
 */
#include "validate/rules/prevouts.h"

#define PREVOUT_SIZE 36
#define FEW 16
#define PROBES_PER_INPUT 8 /* a half full table takes two or three */

static bool is_same_prevout(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, PREVOUT_SIZE) == 0;
}

/* Half of the transaction id is as good as all of it, and outputs of one transaction differ by their index. */
static uint64_t key_of(const uint8_t *prevout)
{
    return lode_read_le64(prevout) + UINT64_C(0x9e3779b97f4a7c15) * lode_read_le32(prevout + 32);
}

static bool find_among_few(const lode_txin *inputs, size_t count)
{
    uint64_t keys[FEW];

    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(inputs[i].prevout);
        for (size_t j = 0; j < i; j++)
            if (keys[j] == keys[i] && is_same_prevout(inputs[j].prevout, inputs[i].prevout))
                return true;
    }
    return false;
}

/* Open addressing over input numbers + 1; 0 is empty. False: too many probes, nothing is known. */
static bool find_with_table(bool *found, uint32_t *slots, size_t slot_count, const lode_txin *inputs, size_t count)
{
    size_t probes_left = count * PROBES_PER_INPUT;

    memset(slots, 0, slot_count * sizeof *slots);
    *found = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_of(inputs[i].prevout) * UINT64_C(0xd6e8feb86659fd93);
        size_t at = (size_t)(key >> 32) & (slot_count - 1);
        for (; slots[at]; at = (at + 1) & (slot_count - 1)) {
            if (is_same_prevout(inputs[slots[at] - 1].prevout, inputs[i].prevout)) {
                *found = true;
                return true;
            }
            if (probes_left-- == 0)
                return false;
        }
        slots[at] = (uint32_t)i + 1;
    }
    return true;
}

static void sift_down(const uint8_t **heap, size_t at, size_t count)
{
    const uint8_t *moving = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && memcmp(heap[child], heap[child + 1], PREVOUT_SIZE) < 0)
            child++;
        if (memcmp(moving, heap[child], PREVOUT_SIZE) >= 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

/* Heap sort: equal ones become neighbours. */
static bool find_by_sorting(const uint8_t **heap, const lode_txin *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        heap[i] = inputs[i].prevout;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, i, count);
    for (size_t end = count; end > 1;) {
        const uint8_t *largest = heap[0];
        heap[0] = heap[--end];
        heap[end] = largest;
        sift_down(heap, 0, end);
        if (is_same_prevout(heap[0], largest))
            return true;
    }
    return false;
}

bool lode_prevouts_find_repeat(bool *found, const lode_txin *inputs, size_t count, lode_arena *arena)
{
    size_t slot_count = 64;
    uint32_t *slots;
    const uint8_t **heap;

    if (count <= FEW) {
        *found = find_among_few(inputs, count);
        return true;
    }
    while (slot_count < 2 * count)
        slot_count *= 2;
    slots = lode_arena_take_array(arena, slot_count, sizeof *slots);
    if (!slots)
        return false;
    if (find_with_table(found, slots, slot_count, inputs, count))
        return true;
    heap = lode_arena_take_array(arena, count, sizeof *heap);
    if (!heap)
        return false;
    *found = find_by_sorting(heap, inputs, count);
    return true;
}
