/* test/chainstate/given_directory.h: directories that Bitcoin Core wrote, unpacked; and empty ones to write to.
 *
 * The program `tar` unpacks them; where it or the given data is absent, a test says so and skips those cases.
 */
#ifndef LODE_TEST_GIVEN_DIRECTORY_H
#define LODE_TEST_GIVEN_DIRECTORY_H

#include <limits.h>
#include <unistd.h>

#include "given_data.h"
#include "support/env.h"

/* A new directory, given: test_directory_remove. */
static inline char *test_directory_make(void)
{
    const char *base = getenv("TMPDIR");
    char path[512];

    snprintf(path, sizeof path, "%s/lode-test-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(path))
        exit(99);
    return strdup(path);
}

static inline void test_directory_remove(char *path)
{
    if (path && lode_env_remove_tree(lode_env_system(), path).code != LODE_OK)
        exit(99);
    free(path);
}

/* "directory/name", lent until it was called eight times more. */
static inline const char *test_path(const char *directory, const char *name)
{
    static char paths[8][4096];
    static unsigned turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

/* What is in `name`.tar.zst, in a new directory, given: test_directory_remove. NULL after a line that says why. */
static inline char *given_directory_unpack(const char *name)
{
    char archive[128], command[2048];
    size_t len;

    snprintf(archive, sizeof archive, "%s.tar.zst", name);
    uint8_t *bytes = given_data_read(archive, &len);
    if (!bytes)
        return NULL;
    char *directory = test_directory_make();
    snprintf(command, sizeof command, "tar -C '%s' --zstd -xf -", directory);
    FILE *tar = popen(command, "w");
    size_t written = tar ? fwrite(bytes, 1, len, tar) : 0;
    int status = tar ? pclose(tar) : -1;
    free(bytes);
    if (written == len && status == 0)
        return directory;
    printf("tar cannot unpack %s, skipped\n", archive);
    test_directory_remove(directory);
    return NULL;
}

#endif
