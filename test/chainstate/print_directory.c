/* test/chainstate/print_directory.c: everything that a data directory says, in lines: for round_trip.py, which
 * compares.
 *
 * Usage: print_directory D/[network folder]
 *
 *     index KEY VALUE       every record of blocks/index
 *     coins KEY VALUE       of chainstate, and
 *     txindex KEY VALUE     of indexes/txindex, if it is there: each as it reads, without the key that hides it
 *     file NAME USED SHA    the used part of a block or undo file as it reads; "dirty" follows when anything but zeros
 *                           stands behind it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lode/store.h"
#include "primitives/encode.h"
#include "primitives/hash.h"
#include "support/env.h"

static const char key_record[] = "\x0e\0obfuscate_key";
enum { KEY_RECORD_LEN = sizeof key_record - 1, FILES_MOST = 64 };

static struct {
    uint64_t blocks, undo;
} used[FILES_MOST];

static void must(lode_status s)
{
    if (!lode_failed(s))
        return;
    fprintf(stderr, "print_directory: %s\n", s.text);
    exit(1);
}

static void print_hex(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", data[i]);
}

static void note_file(const uint8_t *key, const uint8_t *value, size_t len)
{
    lode_reader r = lode_reader_of(value, len);
    uint32_t file = lode_read_le32(key + 1);

    if (file >= FILES_MOST)
        return;
    lode_reader_varint(&r);
    used[file].blocks = lode_reader_varint(&r);
    used[file].undo = lode_reader_varint(&r);
}

static void print_store(const char *root, const char *name, const char *word)
{
    char *path = lode_path_join(root, name);
    uint8_t hiding[9] = { 0 };
    lode_store_options o;
    lode_store *store;
    lode_iterator *it;
    size_t len;
    int found;

    lode_store_options_init(&o);
    o.read_only = 1;
    lode_status s = lode_store_open(&store, path, &o);
    free(path);
    if (s.code == LODE_MISSING)
        return;
    must(s);
    must(lode_store_get_into(store, &found, hiding, sizeof hiding, &len, key_record, KEY_RECORD_LEN, NULL));
    must(lode_iterator_create(&it, store, NULL));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it), value = lode_iterator_value(it);
        const uint8_t *k = key.data;
        uint8_t *plain = malloc(value.len + 1);
        if (!plain)
            exit(1);
        for (size_t i = 0; i < value.len; i++)
            plain[i] = ((const uint8_t *)value.data)[i] ^ hiding[1 + i % 8];
        if (key.len != KEY_RECORD_LEN || memcmp(k, key_record, key.len) != 0) {
            printf("%s ", word);
            print_hex(k, key.len);
            putchar(' ');
            print_hex(plain, value.len);
            putchar('\n');
        }
        if (strcmp(word, "index") == 0 && key.len == 5 && k[0] == 'f')
            note_file(k, plain, value.len);
        free(plain);
    }
    must(lode_iterator_status(it));
    lode_iterator_destroy(it);
    must(lode_store_close(store));
}

static void print_file(const char *blocks, const char *kind, int number, uint64_t size, const uint8_t hiding[8])
{
    char name[32];
    lode_buf bytes = LODE_BUF_EMPTY;
    uint8_t hash[32];
    bool is_dirty = false;

    snprintf(name, sizeof name, "%s%05d.dat", kind, number);
    char *path = lode_path_join(blocks, name);
    must(lode_env_read_file(lode_env_system(), &bytes, path, (size_t)1 << 30));
    free(path);
    if (size > bytes.len) {
        printf("file %s %" PRIu64 " is shorter\n", name, size);
    } else {
        for (size_t i = 0; i < size; i++)
            bytes.data[i] ^= hiding[i % 8];
        for (size_t i = size; i < bytes.len; i++)
            is_dirty |= bytes.data[i] != 0;
        lode_sha256(hash, bytes.data, size);
        printf("file %s %" PRIu64 " ", name, size);
        print_hex(hash, 32);
        puts(is_dirty ? " dirty" : "");
    }
    lode_buf_clear(&bytes);
}

static void print_files(const char *root)
{
    char *blocks = lode_path_join(root, "blocks"), *xor = lode_path_join(blocks, "xor.dat");
    lode_buf key = LODE_BUF_EMPTY;
    uint8_t hiding[8] = { 0 };

    if (!lode_failed(lode_env_read_file(lode_env_system(), &key, xor, 8)) && key.len == 8)
        memcpy(hiding, key.data, 8);
    for (int i = 0; i < FILES_MOST; i++) {
        if (used[i].blocks)
            print_file(blocks, "blk", i, used[i].blocks, hiding);
        if (used[i].undo)
            print_file(blocks, "rev", i, used[i].undo, hiding);
    }
    lode_buf_clear(&key);
    free(blocks);
    free(xor);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    print_store(argv[1], "blocks/index", "index");
    print_store(argv[1], "chainstate", "coins");
    print_store(argv[1], "indexes/txindex", "txindex");
    print_files(argv[1]);
    return 0;
}
