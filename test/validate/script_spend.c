/* test/validate/script_spend.c: a transaction that spends one output, around the scripts of a test. */
#include "test/validate/script_spend.h"

static void make_prevout(uint8_t prevout[36], lode_slice script_pubkey, int64_t value)
{
    static const uint8_t head[] = { 1, 0, 0, 0, 1 }, null_txid[32], script_sig[] = { 2, 0, 0 };
    lode_buf b = LODE_BUF_EMPTY;
    lode_buf_append(&b, head, sizeof head);
    lode_buf_append(&b, null_txid, sizeof null_txid);
    lode_buf_put_le32(&b, 0xffffffffu);
    lode_buf_append(&b, script_sig, sizeof script_sig);
    lode_buf_put_le32(&b, 0xffffffffu);
    lode_buf_put_u8(&b, 1);
    lode_buf_put_le64(&b, (uint64_t)value);
    lode_buf_put_compact_size(&b, script_pubkey.len);
    lode_buf_append(&b, script_pubkey.data, script_pubkey.len);
    lode_buf_put_le32(&b, 0);
    lode_sha256d(prevout, b.data, b.len);
    lode_write_le32(prevout + 32, 0);
    lode_buf_clear(&b);
}

void spend_init(spend *s, lode_slice script_sig, lode_slice script_pubkey, int64_t value)
{
    memset(s, 0, sizeof *s);
    make_prevout(s->prevout, script_pubkey, value);
    s->input = (lode_txin){ s->prevout, script_sig.data, (uint32_t)script_sig.len, 0xffffffffu, NULL, 0, 0 };
    s->output = (lode_txout){ { value }, NULL, 0 };
    s->spent = (lode_txout){ { value }, script_pubkey.data, (uint32_t)script_pubkey.len };
    s->tx.version = 1;
    s->tx.input_count = s->tx.output_count = 1;
    s->tx.inputs = &s->input;
    s->tx.outputs = &s->output;
}

void spend_add_witness(spend *s, lode_slice item)
{
    lode_buf_put_compact_size(&s->witness, item.len);
    lode_buf_append(&s->witness, item.data, item.len);
    s->input.witness = s->witness.data;
    s->input.witness_len = (uint32_t)s->witness.len;
    s->input.witness_count++;
    s->tx.has_witness = true;
}

void spend_clear(spend *s)
{
    lode_buf_clear(&s->witness);
}

bool spend_verify(lode_script_error *error, const spend *s, uint32_t flags)
{
    lode_tx_hashes hashes;
    uint32_t failed;
    lode_tx_hashes_init(&hashes, &s->tx, &s->spent, false);
    return lode_tx_check_scripts(error, &failed, &hashes, 0, 1, flags, NULL);
}
