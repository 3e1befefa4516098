/* test/fuzz/script_text_fuzz.c: any script has words, a type, and a descriptor that holds the script or its address.
 *
 * Input: the script.
 */
#include "query/descriptor.h"
#include "query/script_asm.h"
#include "query/script_class.h"

#include "test/fuzz/fuzz.h"

static void check_class(const lode_script_class *c, const uint8_t *data, size_t len)
{
    FUZZ_CHECK(*lode_script_type_name(c->type));
    FUZZ_CHECK(c->data.len == 0 || (c->data.data >= data && c->data.data + c->data.len <= data + len));
    FUZZ_CHECK(c->type != LODE_SCRIPT_MULTISIG ||
               (c->required >= 1 && c->required <= c->key_count && c->key_count <= LODE_MULTISIG_KEYS_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lode_slice script = lode_slice_of(data, len);
    lode_buf words = LODE_BUF_EMPTY, marked = LODE_BUF_EMPTY, descriptor = LODE_BUF_EMPTY;
    char address[LODE_BASE58_TEXT_MAX], checksum[9];
    lode_chain_params params;
    lode_script_class c;

    lode_chain_params_init(&params, LODE_CHAIN_MAIN);
    lode_script_classify(&c, script);
    check_class(&c, data, len);
    lode_script_address(address, &c, &params);
    lode_buf_put_script_asm(&words, script, false);
    lode_buf_put_script_asm(&marked, script, true);
    lode_buf_put_descriptor(&descriptor, script, &c, &params);
    FUZZ_CHECK(lode_buf_is_good(&words) && lode_buf_is_good(&marked) && lode_buf_is_good(&descriptor));
    FUZZ_CHECK((len == 0) == (words.len == 0));
    FUZZ_CHECK(descriptor.len > 9 && descriptor.data[descriptor.len - 9] == '#');
    FUZZ_CHECK(lode_descriptor_checksum(checksum, (const char *)descriptor.data, descriptor.len - 9));
    FUZZ_CHECK(memcmp(checksum, descriptor.data + descriptor.len - 8, 8) == 0);
    lode_buf_clear(&words);
    lode_buf_clear(&marked);
    lode_buf_clear(&descriptor);
    return 0;
}
