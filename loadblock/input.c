/* loadblock/input.c: collects the files an import reads.
 *
 * Room:     names, order, holes in numbered sets, keys. Contents are scan.c's.
 * Touches:  the named files and folders, for reading only.
 * Threads:  none.
 */
#include "loadblock/input.h"

#include <stdlib.h>

#include "support/status.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* N of blkN.dat with at least five digits and no sign; -1 for any other name. */
static int64_t block_file_number(const char *name)
{
    int64_t n = 0;
    size_t digits = 0;

    if (strncmp(name, "blk", 3) != 0)
        return -1;
    for (name += 3; *name >= '0' && *name <= '9' && digits < 10; name++, digits++)
        n = n * 10 + (*name - '0');
    return digits >= 5 && strcmp(name, ".dat") == 0 ? n : -1;
}

static lode_status add_input(lode_inputs *in, const char *path)
{
    if (in->count == in->capacity) {
        size_t capacity = in->capacity ? in->capacity * 2 : 16;
        lode_input *bigger = realloc(in->items, capacity * sizeof *bigger);
        if (!bigger)
            return lode_fail(LODE_NO_MEMORY, "no memory for %zu input files", capacity);
        in->items = bigger;
        in->capacity = capacity;
    }
    lode_input *i = &in->items[in->count];
    memset(i, 0, sizeof *i);
    i->path = strdup(path);
    if (!i->path)
        return lode_fail(LODE_NO_MEMORY, "no memory for the name %s", path);
    i->number = block_file_number(base_name(path));
    i->own_file = -1;
    in->count++;
    return lode_ok();
}

static char *sibling(const char *path, const char *name)
{
    size_t folder = (size_t)(base_name(path) - path), len = strlen(name) + 1;
    char *out = malloc(folder + len);
    if (out) {
        memcpy(out, path, folder);
        memcpy(out + folder, name, len);
    }
    return out;
}

/* xor.dat beside the file: 8 bytes. Of another length it is an error: guessing would turn every block into noise. */
static lode_status read_key(lode_input *input, lode_env *env)
{
    char *path = sibling(input->path, "xor.dat");
    lode_file_info info;
    lode_buf key = LODE_BUF_EMPTY;
    bool exists = false;
    lode_status s;

    if (!path)
        return lode_fail(LODE_NO_MEMORY, "no memory for the name of a key file");
    s = env->path_info(env, &exists, &info, path);
    if (!lode_failed(s) && exists) {
        s = lode_env_read_file(env, &key, path, 64);
        if (!lode_failed(s) && key.len != 8)
            s = lode_fail(LODE_CORRUPT, "%s: %zu bytes, a key has 8", path, key.len);
        if (!lode_failed(s))
            memcpy(input->key, key.data, 8);
    }
    lode_buf_clear(&key);
    free(path);
    return s;
}

static lode_status inspect(lode_input *input, lode_env *env, const uint8_t *xor_key)
{
    static const uint8_t plain[8];
    lode_file_info info = { 0 };
    lode_file *file;

    if (xor_key)
        memcpy(input->key, xor_key, 8);
    if (strcmp(input->path, "-") == 0) {
        input->is_stream = true;
    } else {
        bool exists = false;
        LODE_TRY(env->path_info(env, &exists, &info, input->path));
        if (!exists)
            return lode_fail(LODE_MISSING, "%s: no such file or directory", input->path);
        if (info.is_directory)
            return lode_fail(LODE_INVALID_ARGUMENT, "%s is a folder inside a folder", input->path);
        input->is_stream = !info.is_regular;
        if (!input->is_stream) { /* opening a pipe and closing it would end its writer */
            LODE_TRY(env->open(env, &file, input->path, LODE_OPEN_READ));
            env->close(env, file);
        }
        input->size = input->is_stream ? 0 : info.size_bytes;
        if (!xor_key)
            LODE_TRY(read_key(input, env));
    }
    input->has_key = memcmp(input->key, plain, 8) != 0;
    return lode_ok();
}

typedef struct listing {
    lode_inputs *in;
    const char *folder;
} listing;

static lode_status visit_name(void *context, const char *name)
{
    listing *l = context;
    char *path;
    lode_status s;

    if (block_file_number(name) < 0)
        return lode_ok();
    path = lode_path_join(l->folder, name);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "no memory for the name %s", name);
    s = add_input(l->in, path);
    free(path);
    return s;
}

static int by_number(const void *a, const void *b)
{
    const lode_input *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void note_missing(lode_inputs *in, const char *like, int64_t first, int64_t end)
{
    in->missing_count += (uint64_t)(end - first);
    for (int64_t n = first; n < end && n < first + 100; n++)
        lode_buf_printf(&in->missing, "%.*sblk%05lld.dat\n", (int)(base_name(like) - like), like, (long long)n);
}

static lode_status add_directory(lode_inputs *in, lode_env *env, const char *path)
{
    size_t first = in->count;
    listing l = { in, path };
    int64_t next = 0;

    LODE_TRY(env->list(env, path, visit_name, &l));
    if (in->count == first)
        return lode_fail(LODE_MISSING, "%s: holds no blkNNNNN.dat", path);
    qsort(in->items + first, in->count - first, sizeof *in->items, by_number);
    for (size_t i = first; i < in->count; i++) {
        if (in->items[i].number > next)
            note_missing(in, in->items[i].path, next, in->items[i].number);
        next = in->items[i].number + 1;
    }
    return lode_ok();
}

/* Numbered files named one by one: holes between the lowest and the highest of each folder, whatever their order. */
static void find_holes(lode_inputs *in, const lode_input *named, size_t count)
{
    lode_input *sorted = malloc(count * sizeof *sorted);
    size_t n = 0;

    if (!sorted)
        return; /* the holes are a remark, not a result */
    for (size_t i = 0; i < count; i++)
        if (named[i].number >= 0)
            sorted[n++] = named[i];
    qsort(sorted, n, sizeof *sorted, by_number);
    for (size_t i = 1; i < n; i++) {
        size_t a = (size_t)(base_name(sorted[i - 1].path) - sorted[i - 1].path), b = (size_t)(base_name(sorted[i].path) - sorted[i].path);
        if (a == b && memcmp(sorted[i].path, sorted[i - 1].path, a) == 0 && sorted[i].number > sorted[i - 1].number + 1)
            note_missing(in, sorted[i].path, sorted[i - 1].number + 1, sorted[i].number);
    }
    free(sorted);
}

static lode_status add_path(lode_inputs *in, lode_env *env, const char *path, bool *is_directory)
{
    lode_file_info info = { 0 };
    bool exists = false;

    *is_directory = false;
    if (strcmp(path, "-") == 0)
        return add_input(in, path);
    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (!exists)
        return lode_fail(LODE_MISSING, "%s: no such file or directory", path);
    *is_directory = info.is_directory;
    return info.is_directory ? add_directory(in, env, path) : add_input(in, path);
}

lode_status lode_inputs_collect(lode_inputs *in, lode_env *env, const char *const *paths, size_t count, const uint8_t *xor_key)
{
    size_t named_first = 0;
    lode_status s = lode_ok();

    memset(in, 0, sizeof *in);
    for (size_t i = 0; i < count && !lode_failed(s); i++) {
        bool is_directory;
        size_t before = in->count;
        s = add_path(in, env, paths[i], &is_directory);
        if (!lode_failed(s) && is_directory) {
            find_holes(in, in->items + named_first, before - named_first);
            named_first = in->count;
        }
    }
    if (!lode_failed(s))
        find_holes(in, in->items + named_first, in->count - named_first);
    for (size_t i = 0; i < in->count && !lode_failed(s); i++) {
        s = inspect(&in->items[i], env, xor_key);
        in->has_stream |= in->items[i].is_stream;
        in->total_bytes += in->items[i].size;
    }
    if (in->has_stream)
        in->total_bytes = 0;
    if (lode_failed(s))
        lode_inputs_clear(in);
    return s;
}

lode_status lode_inputs_append(lode_inputs *in, lode_inputs *more)
{
    lode_input *items = realloc(in->items, (in->count + more->count + 1) * sizeof *items);

    if (!items)
        return lode_fail(LODE_NO_MEMORY, "no memory for %zu files to read", in->count + more->count);
    in->items = items;
    in->capacity = in->count + more->count + 1;
    if (more->count)
        memcpy(items + in->count, more->items, more->count * sizeof *items);
    in->count += more->count;
    in->has_stream |= more->has_stream;
    in->total_bytes = in->has_stream ? 0 : in->total_bytes + more->total_bytes;
    in->missing_count += more->missing_count;
    lode_buf_append(&in->missing, more->missing.data, more->missing.len);
    more->count = 0; /* the paths have a new owner */
    lode_inputs_clear(more);
    return lode_ok();
}

void lode_inputs_clear(lode_inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        free(in->items[i].path);
    free(in->items);
    lode_buf_clear(&in->missing);
    memset(in, 0, sizeof *in);
}

void lode_input_decode(const lode_input *input, uint8_t *data, size_t len, uint64_t offset)
{
    uint8_t key[8];
    uint64_t word, k;
    size_t i = 0;

    if (!input->has_key)
        return;
    for (size_t j = 0; j < 8; j++)
        key[j] = input->key[(offset + j) % 8];
    memcpy(&k, key, 8);
    for (; i + 8 <= len; i += 8) {
        memcpy(&word, data + i, 8);
        word ^= k;
        memcpy(data + i, &word, 8);
    }
    for (; i < len; i++)
        data[i] ^= key[i % 8];
}
