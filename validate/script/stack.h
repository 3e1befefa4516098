/* validate/script/stack.h: the two stacks of a running script, without a single allocation.
 *
 * No opcode makes a value longer than 32 bytes; longer ones are pushed from a script or a witness, whose bytes outlive
 * the run, so an item either lends those bytes or holds its own. Items stay where they are: the stacks are arrays of
 * slot numbers, so moving an item moves two bytes. The main stack grows up, the alt stack down, in one array.
 *
 * A v0 witness may hold far more items than MAX_STACK_SIZE; such a script fails after its first opcode. Only the top of
 * it is loaded, the rest is counted in `hidden`. One opcode removes at most 43 items (CHECKMULTISIGVERIFY), so while
 * anything is hidden the total stays above the limit, and what is hidden is never looked at.
 */
#ifndef LODE_VALIDATE_SCRIPT_STACK_H
#define LODE_VALIDATE_SCRIPT_STACK_H

#include "support/bytes.h"
#include "support/check.h"
#include "validate/script/opcode.h"

enum {
    LODE_STACK_WINDOW = LODE_MAX_STACK_SIZE + 44, /* items loaded at most */
    LODE_STACK_ROOM = LODE_STACK_WINDOW + 3,      /* one opcode adds at most three */
};

typedef struct lode_item {
    const uint8_t *lent; /* until the run ends; NULL: the bytes are in own */
    uint32_t len;
    uint8_t own[32];
} lode_item;

typedef struct lode_stack {
    uint32_t used;   /* main stack, loaded items */
    uint32_t hidden; /* main stack, items below the loaded ones */
    uint32_t alt;
    uint32_t fresh; /* slots from here on were never used */
    uint32_t free_count;
    uint16_t order[LODE_STACK_ROOM]; /* slot numbers */
    uint16_t free[LODE_STACK_ROOM];
    lode_item items[LODE_STACK_ROOM];
} lode_stack;

static inline void lode_stack_init(lode_stack *s)
{
    s->used = s->hidden = s->alt = s->fresh = s->free_count = 0;
}
static inline uint32_t lode_stack_size(const lode_stack *s)
{
    return s->hidden + s->used;
}
static inline lode_slice lode_item_bytes(const lode_item *item)
{
    return lode_slice_of(item->lent ? item->lent : item->own, item->len);
}

/* Depth 1 is the top. The item stays where it is until it is dropped, whatever moves above or below it. */
static inline lode_item *lode_stack_item(lode_stack *s, uint32_t depth)
{
    LODE_VERIFY(depth >= 1 && depth <= s->used);
    return &s->items[s->order[s->used - depth]];
}
static inline lode_slice lode_stack_at(lode_stack *s, uint32_t depth)
{
    return lode_item_bytes(lode_stack_item(s, depth));
}

static inline lode_item *lode_stack_push(lode_stack *s)
{
    LODE_VERIFY(s->used + s->alt < LODE_STACK_ROOM);
    uint16_t slot = s->free_count ? s->free[--s->free_count] : (uint16_t)s->fresh++;
    s->order[s->used++] = slot;
    return &s->items[slot];
}
static inline void lode_stack_push_lent(lode_stack *s, lode_slice bytes)
{
    static const uint8_t nothing[1];
    lode_item *item = lode_stack_push(s);
    item->lent = bytes.len ? bytes.data : nothing;
    item->len = (uint32_t)bytes.len;
}
static inline void lode_stack_push_own(lode_stack *s, const void *bytes, uint32_t len)
{
    lode_item *item = lode_stack_push(s);
    item->lent = NULL;
    item->len = len;
    memcpy(item->own, bytes, len);
}
static inline void lode_stack_push_bool(lode_stack *s, bool value)
{
    lode_item *item = lode_stack_push(s);
    item->lent = NULL;
    item->len = value;
    item->own[0] = 1;
}
static inline void lode_stack_push_copy(lode_stack *s, uint32_t depth)
{
    lode_item from = *lode_stack_item(s, depth);
    *lode_stack_push(s) = from;
}

static inline void lode_stack_drop(lode_stack *s, uint32_t count)
{
    LODE_VERIFY(count <= s->used);
    for (uint32_t i = 0; i < count; i++)
        s->free[s->free_count++] = s->order[--s->used];
}
/* Takes the item at `depth` out and puts it at depth `to`, as counted afterwards. */
static inline void lode_stack_move(lode_stack *s, uint32_t depth, uint32_t to)
{
    uint16_t *at = &s->order[s->used - depth];
    uint16_t slot = *at;
    if (depth >= to)
        memmove(at, at + 1, (depth - to) * sizeof *at);
    else
        memmove(at - (to - depth) + 1, at - (to - depth), (to - depth) * sizeof *at);
    s->order[s->used - to] = slot;
}
static inline void lode_stack_swap(lode_stack *s, uint32_t a, uint32_t b)
{
    uint16_t *x = &s->order[s->used - a], *y = &s->order[s->used - b];
    uint16_t kept = *x;
    *x = *y;
    *y = kept;
}

static inline void lode_stack_to_alt(lode_stack *s)
{
    uint16_t slot = s->order[--s->used];
    s->order[LODE_STACK_ROOM - ++s->alt] = slot;
}
static inline void lode_stack_from_alt(lode_stack *s)
{
    uint16_t slot = s->order[LODE_STACK_ROOM - s->alt--];
    s->order[s->used++] = slot;
}
/* A script leaves its alt stack behind when it ends. */
static inline void lode_stack_clear_alt(lode_stack *s)
{
    while (s->alt > 0)
        s->free[s->free_count++] = s->order[LODE_STACK_ROOM - s->alt--];
}

/* False: empty, zeros of any length, or zeros with a last byte of 0x80 (negative zero). */
static inline bool lode_bytes_are_true(lode_slice v)
{
    for (size_t i = 0; i < v.len; i++)
        if (v.data[i] != 0)
            return i + 1 < v.len || v.data[i] != 0x80;
    return false;
}

#endif
