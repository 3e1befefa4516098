/* test/fuzz/replay.c: runs a fuzz target over its corpus without libFuzzer.
 *
 * The corpus of NAME_fuzz is test/fuzz/corpus/NAME; files or directories may be named as arguments instead. Without a
 * file of its own the target still gets the empty input.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "test/fuzz/fuzz.h"

/* Memory of exactly that size, so that a sanitizer sees one byte too many. */
static void run_copy(const uint8_t *data, size_t len, size_t changed, uint8_t with)
{
    uint8_t *copy = malloc(len ? len : 1);

    FUZZ_CHECK(copy);
    if (len)
        memcpy(copy, data, len);
    if (changed < len)
        copy[changed] ^= with;
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static void run_variations(const uint8_t *data, size_t len)
{
    static const uint8_t changes[] = { 0x01, 0x02, 0x80, 0xff };

    for (size_t cut = 0; cut <= len; cut++)
        run_copy(data, cut, len, 0);
    for (size_t at = 0; at < len; at++) {
        for (size_t i = 0; i < sizeof changes; i++)
            run_copy(data, len, at, changes[i]);
    }
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    FUZZ_CHECK(file);
    fseek(file, 0, SEEK_END);
    size_t len = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(len ? len : 1);
    FUZZ_CHECK(data && fread(data, 1, len, file) == len);
    fclose(file);
    run_variations(data, len);
    free(data);
}

static unsigned run_path(const char *path)
{
    DIR *d = opendir(path);
    unsigned files = 0;

    if (!d) {
        struct stat st;
        if (stat(path, &st) != 0)
            return 0;
        run_file(path);
        return 1;
    }
    for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        char child[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        files += run_path(child);
    }
    closedir(d);
    return files;
}

/* ".../NAME_fuzz" and libtool's ".../.libs/lt-NAME_fuzz" have the corpus NAME. */
static void corpus_of(char path[1024], const char *program)
{
    const char *source = getenv("srcdir"), *name = strrchr(program, '/');

    name = name ? name + 1 : program;
    if (strncmp(name, "lt-", 3) == 0)
        name += 3;
    size_t len = strlen(name);
    if (len > 5 && strcmp(name + len - 5, "_fuzz") == 0)
        len -= 5;
    snprintf(path, 1024, "%s/test/fuzz/corpus/%.*s", source ? source : ".", (int)len, name);
}

int main(int argc, char **argv)
{
    char path[1024];
    unsigned files = 0;

    run_copy((const uint8_t *)"", 0, 0, 0);
    for (int i = 1; i < argc; i++)
        files += run_path(argv[i]);
    if (argc < 2) {
        corpus_of(path, argv[0]);
        files = run_path(path);
    }
    printf("%u files of the corpus, and their variations\n", files);
    return 0;
}
