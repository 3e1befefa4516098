/* chainstate/notes.c: key=value lines in a small file of our own.
 *
 * Touches:  one file in `lode/`, through lode_env.
 * Promise:  what is read is what was written whole, or nothing (directory_test.c cuts and flips every byte).
 */
#include "chainstate/notes.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "lode notes 1\n"
#define CHECK_LINE_LENGTH 15 /* "check=" 8 digits newline */
#define FILE_LIMIT (64 * 1024)
#define KEY_LIMIT 64
#define VALUE_LIMIT 1000

typedef struct note {
    char *key, *value;
} note;

struct lode_notes {
    const lode_directory *directory;
    char *path;
    note *notes; /* sorted by key */
    size_t count;
    bool is_changed;
};

static lode_status no_memory(const lode_notes *notes)
{
    return lode_fail(LODE_NO_MEMORY, "%s: no memory for notes", notes->path);
}

static bool is_key(const char *key)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    size_t len = strlen(key);

    return len > 0 && len <= KEY_LIMIT && strspn(key, letters) == len && strcmp(key, "check") != 0;
}

static bool is_value(const char *value)
{
    size_t len = 0;

    for (; value[len]; len++) {
        if (value[len] < ' ' || value[len] > '~')
            return false;
    }
    return len <= VALUE_LIMIT;
}

/* Position of the key, or where it belongs. */
static size_t find(const lode_notes *notes, const char *key, bool *found)
{
    size_t i = 0;
    int c = -1;

    while (i < notes->count && (c = strcmp(notes->notes[i].key, key)) < 0)
        i++;
    *found = i < notes->count && c == 0;
    return i;
}

static void remove_at(lode_notes *notes, size_t i)
{
    free(notes->notes[i].key);
    free(notes->notes[i].value);
    memmove(&notes->notes[i], &notes->notes[i + 1], (notes->count - i - 1) * sizeof *notes->notes);
    notes->count--;
}

static bool insert_at(lode_notes *notes, size_t i, const char *key, const char *value)
{
    note n = { strdup(key), strdup(value) };
    note *grown = realloc(notes->notes, (notes->count + 1) * sizeof *grown);

    if (grown)
        notes->notes = grown;
    if (!grown || !n.key || !n.value) {
        free(n.key);
        free(n.value);
        return false;
    }
    memmove(&grown[i + 1], &grown[i], (notes->count - i) * sizeof *grown);
    grown[i] = n;
    notes->count++;
    return true;
}

static bool set(lode_notes *notes, const char *key, const char *value)
{
    bool found;
    size_t i = find(notes, key, &found);

    if (!found)
        return !value || insert_at(notes, i, key, value);
    if (!value) {
        remove_at(notes, i);
        return true;
    }
    char *copy = strdup(value);
    if (!copy)
        return false;
    free(notes->notes[i].value);
    notes->notes[i].value = copy;
    return true;
}

/* ---- the file ---- */

static void put_check(char line[CHECK_LINE_LENGTH + 1], const void *text, size_t len)
{
    uint8_t hash[32];

    lode_sha256(hash, text, len);
    memcpy(line, "check=", 6);
    lode_hex_encode(line + 6, hash, 4);
    line[CHECK_LINE_LENGTH - 1] = '\n';
    line[CHECK_LINE_LENGTH] = '\0';
}

static bool is_whole(const char *text, size_t len)
{
    char check[CHECK_LINE_LENGTH + 1];

    if (len < sizeof FIRST_LINE - 1 + CHECK_LINE_LENGTH || memcmp(text, FIRST_LINE, sizeof FIRST_LINE - 1) != 0)
        return false;
    put_check(check, text, len - CHECK_LINE_LENGTH);
    return memcmp(text + len - CHECK_LINE_LENGTH, check, CHECK_LINE_LENGTH) == 0;
}

/* One line, NUL-terminated. A line that is no note, in a file that is whole, is a later version's: left out. */
static bool take_line(lode_notes *notes, char *line)
{
    char *value = strchr(line, '=');

    if (!value)
        return true;
    *value++ = '\0';
    return !is_key(line) || !is_value(value) || set(notes, line, value);
}

static bool take_lines(lode_notes *notes, char *text, size_t len)
{
    char *end = text + len - CHECK_LINE_LENGTH, *line = text + sizeof FIRST_LINE - 1;

    while (line < end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline)
            return true;
        *newline = '\0';
        if (!take_line(notes, line))
            return false;
        line = newline + 1;
    }
    return true;
}

static lode_status load(lode_notes *notes)
{
    lode_env *env = notes->directory->env;
    lode_buf text = LODE_BUF_EMPTY;
    lode_status s = lode_env_read_file(env, &text, notes->path, FILE_LIMIT);

    if (s.code == LODE_MISSING || s.code == LODE_CORRUPT) /* absent, or far too long: nothing is known */
        s = lode_ok();
    else if (!lode_failed(s) && is_whole((char *)text.data, text.len) &&
             !take_lines(notes, (char *)text.data, text.len))
        s = no_memory(notes);
    lode_buf_clear(&text);
    return s;
}

lode_status lode_notes_open(lode_notes **out, const lode_directory *directory, const char *name)
{
    lode_notes *notes = calloc(1, sizeof *notes);

    *out = NULL;
    if (!notes || !(notes->path = lode_path_join(directory->own, name))) {
        free(notes);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for notes", directory->own);
    }
    notes->directory = directory;
    lode_status s = load(notes);
    if (lode_failed(s))
        lode_notes_close(notes);
    else
        *out = notes; /* given: lode_notes_close */
    return s;
}

void lode_notes_close(lode_notes *notes)
{
    if (!notes)
        return;
    while (notes->count > 0)
        remove_at(notes, notes->count - 1);
    free(notes->notes);
    free(notes->path);
    free(notes);
}

lode_status lode_notes_write(lode_notes *notes)
{
    lode_env *env = notes->directory->env;
    lode_buf text = LODE_BUF_EMPTY;
    char check[CHECK_LINE_LENGTH + 1];

    if (!notes->is_changed)
        return lode_ok();
    if (notes->directory->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read-only, cannot be written", notes->path);
    lode_buf_append(&text, FIRST_LINE, sizeof FIRST_LINE - 1);
    for (size_t i = 0; i < notes->count; i++)
        lode_buf_printf(&text, "%s=%s\n", notes->notes[i].key, notes->notes[i].value);
    if (lode_buf_is_good(&text)) {
        put_check(check, text.data, text.len);
        lode_buf_append(&text, check, CHECK_LINE_LENGTH);
    }
    lode_status s = lode_buf_is_good(&text) ? lode_env_make_path(env, notes->directory->own) : no_memory(notes);
    if (!lode_failed(s))
        s = lode_env_write_file_atomically(env, notes->path, text.data, text.len);
    lode_buf_clear(&text);
    notes->is_changed = lode_failed(s);
    return s;
}

/* ---- one note ---- */

const char *lode_notes_get(const lode_notes *notes, const char *key)
{
    bool found;
    size_t i = find(notes, key, &found);

    return found ? notes->notes[i].value : NULL;
}

lode_status lode_notes_set(lode_notes *notes, const char *key, const char *value)
{
    const char *old = lode_notes_get(notes, key);

    if (!is_key(key) || (value && !is_value(value)))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: neither key nor value may look like this: %.64s", notes->path,
                         key);
    if ((!old && !value) || (old && value && strcmp(old, value) == 0))
        return lode_ok();
    if (!set(notes, key, value))
        return no_memory(notes);
    notes->is_changed = true;
    return lode_ok();
}

lode_entry *lode_notes_get_block(const lode_notes *notes, const char *key, const lode_block_index *index)
{
    const char *value = lode_notes_get(notes, key);
    lode_block_hash hash;

    if (!value || !lode_hash_from_hex(hash.bytes, value))
        return NULL;
    return lode_block_index_find(index, &hash);
}

lode_status lode_notes_set_block(lode_notes *notes, const char *key, const lode_block_hash *hash)
{
    char hex[65];

    lode_hash_to_hex(hex, hash->bytes);
    return lode_notes_set(notes, key, hex);
}
