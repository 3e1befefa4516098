/* validate/script/delete_sig.c: a legacy signature cannot sign itself, so its pushes are taken out of the script code.
 *
 * The search goes from opcode to opcode and compares raw bytes there, so a match may end inside a later push. An empty
 * signature takes out OP_0, since that is how an empty value is pushed. Source: Core's FindAndDelete.
 */
#include "validate/script/eval.h"

typedef struct push_head {
    uint8_t bytes[5];
    size_t len;
} push_head;

/* The opcode and length that push `len` bytes, as CScript writes them (not always the minimal form). */
static push_head make_push_head(size_t len)
{
    push_head h = { { 0 }, 0 };
    if (len < LODE_OP_PUSHDATA1) {
        h.bytes[h.len++] = (uint8_t)len;
    } else if (len <= 0xff) {
        h.bytes[h.len++] = LODE_OP_PUSHDATA1;
        h.bytes[h.len++] = (uint8_t)len;
    } else if (len <= 0xffff) {
        h.bytes[h.len++] = LODE_OP_PUSHDATA2;
        lode_write_le16(h.bytes + 1, (uint16_t)len);
        h.len += 2;
    } else {
        h.bytes[h.len++] = LODE_OP_PUSHDATA4;
        lode_write_le32(h.bytes + 1, (uint32_t)len);
        h.len += 4;
    }
    return h;
}

static bool stands_at(lode_slice code, size_t at, const push_head *head, lode_slice sig)
{
    if (code.len - at < head->len + sig.len)
        return false;
    const uint8_t *p = code.data + at;
    return memcmp(p, head->bytes, head->len) == 0 && (sig.len == 0 || memcmp(p + head->len, sig.data, sig.len) == 0);
}

static bool step(lode_slice code, size_t *at)
{
    uint8_t op;
    lode_slice data;
    return lode_script_next(code, at, &op, &data);
}

/* The first opcode at which the push stands; code.len when there is none. */
static size_t find_first(lode_slice code, const push_head *head, lode_slice sig)
{
    size_t at = 0;
    do {
        if (at <= code.len && stands_at(code, at, head, sig))
            return at;
    } while (step(code, &at));
    return code.len;
}

lode_slice lode_eval_delete_sig(lode_eval *e, lode_slice code, lode_slice sig, uint32_t *found)
{
    push_head head = make_push_head(sig.len);
    size_t size = head.len + sig.len;
    *found = 0;
    if (size > code.len)
        return code;
    size_t at = find_first(code, &head, sig);
    if (at == code.len)
        return code;

    /* Kept bytes move down inside the scratch; what is read lies never before what is written. */
    uint8_t *out = e->code_scratch;
    size_t out_len = at, kept = at; /* the byte after the last one dealt with */
    memmove(out, code.data, at);
    do {
        memmove(out + out_len, code.data + kept, at - kept);
        out_len += at - kept;
        while (stands_at(code, at, &head, sig)) {
            at += size;
            ++*found;
        }
        kept = at;
    } while (step(code, &at));
    memmove(out + out_len, code.data + kept, code.len - kept);
    out_len += code.len - kept;
    return lode_slice_of(out, out_len);
}
