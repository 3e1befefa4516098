/* snapshot/coin_file_reader.c: a coin file, believed in nothing.
 *
 * Room:     one window over the file; every length is held against what is there.
 * Touches:  the file, reading.
 * Threads:  one at a time.
 */
#include "snapshot/coin_file_reader.h"

#include <stdlib.h>

enum {
    WINDOW = 1 << 20,
    LONGEST_SCRIPT = 10000,                          /* what is longer can never be spent, and no set has it */
    LONGEST_COIN = 9 + 10 + 10 + 3 + LONGEST_SCRIPT, /* index, code, amount, script with its length */
};

struct lode_coin_file_reader {
    lode_env *env;
    lode_file *file;
    char *path;
    uint64_t size;
    lode_coin_file_header header;
    uint64_t coins; /* given so far */
    uint64_t left_of_tx;
    uint8_t prevout[36];
    bool has_tx;
    uint64_t begins; /* in the file: what is being read */
    /* the window: bytes [at, len) of data are ahead, data[len] stands at `next` in the file */
    uint8_t *data;
    size_t at, len;
    uint64_t next;
};

static lode_status bad(const lode_coin_file_reader *r, const char *what)
{
    return lode_fail(LODE_CORRUPT, "%s: not a sound coin snapshot: after %llu of %llu coins, at byte %llu: %s", r->path,
                     (unsigned long long)r->coins, (unsigned long long)r->header.coins, (unsigned long long)r->begins,
                     what);
}

/* As many bytes as `want` ahead, fewer only at the end of the file. */
static lode_status look_ahead(lode_coin_file_reader *r, size_t want)
{
    size_t got;

    r->begins = r->next - (r->len - r->at);
    if (r->len - r->at >= want || r->next >= r->size)
        return lode_ok();
    memmove(r->data, r->data + r->at, r->len - r->at);
    r->len -= r->at;
    r->at = 0;
    LODE_TRY(r->env->pread(r->env, r->file, &got, r->data + r->len, WINDOW - r->len, r->next));
    r->len += got;
    r->next += got;
    if (got == 0)
        r->size = r->next; /* it was cut meanwhile */
    return lode_ok();
}

static lode_status read_header(lode_coin_file_reader *r, const lode_chain_params *params)
{
    const char *wrong;

    LODE_TRY(look_ahead(r, LODE_COIN_FILE_HEADER));
    wrong = lode_coin_file_read_header(&r->header, r->data, r->len, params);
    if (wrong)
        return lode_fail(LODE_CORRUPT, "%s: not a coin snapshot: %s", r->path, wrong);
    r->at = LODE_COIN_FILE_HEADER;
    /* a coin takes four bytes at least, so a count that cannot be is seen before anything is done */
    if (r->header.coins > (r->size - LODE_COIN_FILE_HEADER) / 4)
        return lode_fail(LODE_CORRUPT, "%s: not a sound coin snapshot: %llu bytes cannot hold %llu coins", r->path,
                         (unsigned long long)r->size, (unsigned long long)r->header.coins);
    return lode_ok();
}

static lode_status open_file(lode_coin_file_reader *r, const char *path)
{
    lode_file_info info;

    r->path = strdup(path);
    r->data = malloc(WINDOW);
    if (!r->path || !r->data)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to read it", path);
    LODE_TRY(r->env->open(r->env, &r->file, path, LODE_OPEN_READ));
    LODE_TRY(r->env->file_info(r->env, r->file, &info));
    if (!info.is_regular)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: not a file", path);
    r->size = info.size_bytes;
    r->env->advise(r->env, r->file, 0, 0, LODE_ADVISE_SEQUENTIAL);
    return lode_ok();
}

lode_status lode_coin_file_reader_open(lode_coin_file_reader **out, lode_env *env, const char *path,
                                       const lode_chain_params *params)
{
    lode_coin_file_reader *r = calloc(1, sizeof *r);
    lode_status s;

    *out = NULL;
    if (!r)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to read it", path);
    r->env = env;
    s = open_file(r, path);
    if (!lode_failed(s))
        s = read_header(r, params);
    if (lode_failed(s))
        lode_coin_file_reader_close(r);
    else
        *out = r;
    return s;
}

void lode_coin_file_reader_close(lode_coin_file_reader *r)
{
    if (!r)
        return;
    if (r->file)
        r->env->close(r->env, r->file);
    free(r->path);
    free(r->data);
    free(r);
}

const lode_coin_file_header *lode_coin_file_reader_header(const lode_coin_file_reader *r)
{
    return &r->header;
}

uint64_t lode_coin_file_reader_size(const lode_coin_file_reader *r)
{
    return r->size;
}

static lode_status begin_tx(lode_coin_file_reader *r)
{
    lode_reader in;
    const uint8_t *txid;
    uint64_t count;

    LODE_TRY(look_ahead(r, 32 + 9));
    in = lode_reader_of(r->data + r->at, r->len - r->at);
    txid = lode_reader_take(&in, 32);
    count = lode_reader_compact_size(&in, true);
    if (in.bad)
        return bad(r, "the file ends early");
    if (count == 0 || count > r->header.coins - r->coins)
        return bad(r, "the number of a transaction's coins does not fit the number of all");
    if (r->has_tx && memcmp(r->prevout, txid, 32) >= 0)
        return bad(r, "transactions are not in order");
    memcpy(r->prevout, txid, 32);
    r->has_tx = true;
    r->left_of_tx = count;
    r->at = (size_t)(in.at - r->data);
    return lode_ok();
}

/* Outputs of one transaction stand in the order of VARINT(index). */
static bool is_before(uint32_t a, uint32_t b)
{
    uint8_t x[10], y[10];
    size_t m = lode_varint_write(x, a), n = lode_varint_write(y, b);
    return lode_slice_compare(lode_slice_of(x, m), lode_slice_of(y, n)) < 0;
}

/* In the one form in which Core writes them: what is loaded is then byte for byte what was dumped. */
static bool is_shortest(uint64_t amount, lode_slice stored)
{
    uint8_t scratch[67], again[LONGEST_SCRIPT + 10];
    lode_reader in = lode_reader_of(stored.data, stored.len);
    lode_slice script;

    if (lode_amount_compress(lode_amount_decompress(amount)) != amount)
        return false;
    lode_reader_script(&in, &script, scratch);
    if (!lode_reader_is_done(&in) || script.len > LONGEST_SCRIPT)
        return false;
    return stored.data[0] < 6 || /* of a kind of its own */
           (lode_script_compressed_length(script.data, script.len) == stored.len &&
            lode_script_compress(again, script.data, script.len) == stored.len &&
            memcmp(again, stored.data, stored.len) == 0);
}

static lode_status read_coin(lode_coin_file_reader *r, lode_coin_view *view, bool is_first, uint32_t max_height)
{
    lode_reader in;
    const uint8_t *script;
    uint64_t index, code;

    LODE_TRY(look_ahead(r, LONGEST_COIN));
    in = lode_reader_of(r->data + r->at, r->len - r->at);
    index = lode_reader_compact_size(&in, true);
    code = lode_reader_varint(&in);
    view->compressed_amount = lode_reader_varint(&in);
    script = in.at;
    lode_reader_skip_script(&in);
    if (in.bad)
        return bad(r, r->next >= r->size ? "the file ends early, or a coin does not decode" : "a coin does not decode");
    if ((size_t)(in.at - script) > LONGEST_SCRIPT + 3)
        return bad(r, "a script is longer than can be spent");
    if (code >> 1 > max_height)
        return bad(r, "a coin is younger than the block that the file names");
    if (!lode_amount_is_money((lode_amount){ (int64_t)lode_amount_decompress(view->compressed_amount) }))
        return bad(r, "a coin is worth more than can exist");
    if (!is_shortest(view->compressed_amount, lode_slice_of(script, (size_t)(in.at - script))))
        return bad(r, "a coin is not in the form that Bitcoin Core writes");
    if (!is_first && !is_before(lode_read_le32(r->prevout + 32), (uint32_t)index))
        return bad(r, "outputs of a transaction are not in order");
    lode_write_le32(r->prevout + 32, (uint32_t)index);
    view->height = (uint32_t)(code >> 1);
    view->is_coinbase = code & 1;
    view->script = lode_slice_of(script, (size_t)(in.at - script));
    r->at = (size_t)(in.at - r->data);
    return lode_ok();
}

static lode_status demand_end(lode_coin_file_reader *r)
{
    LODE_TRY(look_ahead(r, 1));
    return r->len > r->at ? bad(r, "the file goes on behind the last coin") : lode_ok();
}

lode_status lode_coin_file_reader_next(lode_coin_file_reader *r, bool *found, uint8_t prevout[36], lode_coin_view *view,
                                       uint32_t max_height)
{
    bool is_first = r->left_of_tx == 0;

    if (r->coins == r->header.coins) {
        LODE_TRY(demand_end(r));
        *found = false;
        return lode_ok();
    }
    if (is_first)
        LODE_TRY(begin_tx(r));
    LODE_TRY(read_coin(r, view, is_first, max_height));
    r->left_of_tx--;
    r->coins++;
    memcpy(prevout, r->prevout, 36);
    *found = true;
    return lode_ok();
}
