/* test/fuzz/store_manifest_fuzz.c: a manifest record that decodes encodes to one that decodes to the same bytes again.
 */
#include "storage/version_edit.h"
#include "storage/version.h"

#include "test/fuzz/fuzz.h"
#include "test/storage/one_file_env.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    one_file_env e;
    lode_env *env = one_file_env_init(&e, data, len, false);
    lode_table_read_options options = { 0 };
    lode_table_cache *tables = lode_table_cache_create(env, "db", 10, &options);
    lode_version_edit edit, again;
    lode_buf first = LODE_BUF_EMPTY, second = LODE_BUF_EMPTY;
    FUZZ_CHECK(tables);
    lode_version_edit_init(&edit);
    lode_status s = lode_version_edit_decode(&edit, lode_slice_of(data, len));
    if (lode_failed(s)) {
        FUZZ_CHECK(s.code == LODE_CORRUPT);
    } else {
        lode_version *empty = lode_version_create(tables, NULL), *v;
        lode_version_edit_encode(&edit, &first);
        lode_version_edit_init(&again);
        FUZZ_CHECK(!lode_failed(lode_version_edit_decode(&again, lode_buf_slice(&first))));
        lode_version_edit_encode(&again, &second);
        FUZZ_CHECK(lode_slice_is_equal(lode_buf_slice(&first), lode_buf_slice(&second)));
        lode_version_edit_clear(tables, &again);
        s = lode_version_apply(&v, empty, &edit);
        FUZZ_CHECK(!lode_failed(s) || s.code == LODE_CORRUPT);
        lode_version_unref(v);
        lode_version_unref(empty);
    }
    lode_version_edit_clear(tables, &edit);
    lode_buf_clear(&first);
    lode_buf_clear(&second);
    lode_table_cache_destroy(tables);
    return 0;
}
