/* bench/engines/files.c: one file per record, in 256 directories; what file systems offer without an engine.
 *
 * A key's file is named for its bytes in hexadecimal. Buffered ways go through stdio, the system's ways do not.
 */
#include "bench/engines/engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct files_db {
    char *path;
    int how;
    lode_engine_buffer buffer;
} files_db;

typedef struct files_cursor {
    files_db *db;
    int bucket;
    DIR *directory;
    uint8_t key[128];
    lode_engine_buffer buffer;
} files_cursor;

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "-");
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    static const char *const ways[] = { "stdio, character after character where read", "stdio", "system calls",
                                        "stdio, whole" };

    snprintf(text, size, "256 directories, %s", ways[s->files_how]);
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    files_db *db = (files_db *)lode_engine_memory(sizeof *db);
    char bucket[4200];

    db->path = strdup(path);
    db->how = s->files_how;
    lode_engine_buffer_grow(&db->buffer, 65536);
    if (mkdir(path, 0777) < 0) {
        if (errno == EEXIST)
            return db;
        lode_engine_stop("%s: %s", path, strerror(errno));
    }
    for (int i = 0; i < 256; i++) {
        snprintf(bucket, sizeof bucket, "%s/%02x", path, (unsigned)i);
        if (mkdir(bucket, 0777) < 0)
            lode_engine_stop("%s: %s", bucket, strerror(errno));
    }
    return db;
}

static void close_db(void *context)
{
    files_db *db = (files_db *)context;

    free(db->path);
    free(db->buffer.bytes);
    free(db);
}

static void name_file(char name[4400], const files_db *db, lode_bytes key)
{
    const uint8_t *bytes = (const uint8_t *)key.data;
    unsigned bucket = 0;
    int at;

    for (size_t i = 0; i < key.len; i++)
        bucket = bucket * 31 + bytes[i];
    at = snprintf(name, 4400, "%s/%02x/", db->path, bucket & 255);
    for (size_t i = 0; i < key.len; i++) {
        name[at++] = "0123456789abcdef"[bytes[i] >> 4];
        name[at++] = "0123456789abcdef"[bytes[i] & 15];
    }
    name[at] = '\0';
}

static void put_by_system(const char *name, lode_bytes value, bool sync)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    size_t done = 0;

    while (fd >= 0 && done < value.len) {
        ssize_t n = write(fd, (const char *)value.data + done, value.len - done);
        if (n < 0)
            lode_engine_stop("%s: %s", name, strerror(errno));
        done += (size_t)n;
    }
    if (fd < 0 || (sync && fsync(fd) < 0) || close(fd) < 0)
        lode_engine_stop("%s: %s", name, strerror(errno));
}

/* A synced record needs its name synced, too. */
static void sync_directory_of(char *name)
{
    int fd;

    *strrchr(name, '/') = '\0';
    fd = open(name, O_RDONLY | O_DIRECTORY);
    if (fd < 0 || fsync(fd) < 0 || close(fd) < 0)
        lode_engine_stop("%s: %s", name, strerror(errno));
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    const files_db *db = (const files_db *)context;
    char name[4400];
    FILE *f;

    name_file(name, db, key);
    if (db->how == LODE_FILES_SYSTEM || sync) {
        put_by_system(name, value, sync);
        if (sync)
            sync_directory_of(name);
        return;
    }
    f = fopen(name, "w");
    if (!f || fwrite(value.data, 1, value.len, f) != value.len || fclose(f) != 0)
        lode_engine_stop("%s: %s", name, strerror(errno));
}

static bool read_by_system(lode_engine_buffer *b, const char *name, lode_bytes *value)
{
    int fd = open(name, O_RDONLY);
    ssize_t n;

    if (fd < 0)
        return false;
    value->len = 0;
    while ((n = read(fd, b->bytes + value->len, b->capacity - value->len)) > 0) {
        value->len += (size_t)n;
        if (value->len == b->capacity)
            lode_engine_buffer_grow(b, 2 * b->capacity);
    }
    if (n < 0)
        lode_engine_stop("%s: %s", name, strerror(errno));
    close(fd);
    value->data = b->bytes;
    return true;
}

static bool read_by_stdio(lode_engine_buffer *b, const char *name, lode_bytes *value, bool whole)
{
    FILE *f = fopen(name, "r");
    struct stat s;
    size_t n;

    if (!f)
        return false;
    if (whole && fstat(fileno(f), &s) == 0)
        lode_engine_buffer_grow(b, (size_t)s.st_size + 1);
    value->len = 0;
    while ((n = fread(b->bytes + value->len, 1, whole ? b->capacity - value->len : 4096, f)) > 0) {
        value->len += n;
        if (b->capacity - value->len < 4096)
            lode_engine_buffer_grow(b, 2 * b->capacity);
    }
    fclose(f);
    value->data = b->bytes;
    return true;
}

static bool read_file(lode_engine_buffer *b, int how, const char *name, lode_bytes *value)
{
    if (how == LODE_FILES_SYSTEM)
        return read_by_system(b, name, value);
    return read_by_stdio(b, name, value, how == LODE_FILES_SLURP);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    files_db *db = (files_db *)context;
    char name[4400];

    name_file(name, db, key);
    return read_file(&db->buffer, db->how, name, value);
}

/* ---- a cursor: bucket after bucket, in no order ---- */

static void *cursor_create(void *context)
{
    files_cursor *c = (files_cursor *)lode_engine_memory(sizeof *c);

    c->db = (files_db *)context;
    lode_engine_buffer_grow(&c->buffer, 65536);
    return c;
}

static void close_directory(files_cursor *c)
{
    if (c->directory)
        closedir(c->directory);
    c->directory = NULL;
}

static const struct dirent *find_next(files_cursor *c)
{
    char path[4200];
    const struct dirent *entry;

    for (;;) {
        if (!c->directory) {
            if (c->bucket == 256)
                return NULL;
            snprintf(path, sizeof path, "%s/%02x", c->db->path, (unsigned)c->bucket++);
            c->directory = opendir(path);
            if (!c->directory)
                lode_engine_stop("%s: %s", path, strerror(errno));
        }
        while ((entry = readdir(c->directory)))
            if (entry->d_name[0] != '.')
                return entry;
        close_directory(c);
    }
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    files_cursor *c = (files_cursor *)cursor;
    const struct dirent *found;
    char name[4600];

    if (move == LODE_MOVE_FIRST) {
        close_directory(c);
        c->bucket = 0;
    }
    found = find_next(c);
    if (!found)
        return false;
    snprintf(name, sizeof name, "%s/%02x/%s", c->db->path, (unsigned)(c->bucket - 1), found->d_name);
    entry->key = (lode_bytes){ c->key, strlen(found->d_name) / 2 };
    for (size_t i = 0; i < entry->key.len && i < sizeof c->key; i++)
        c->key[i] = (uint8_t)(digit(found->d_name[2 * i]) << 4 | digit(found->d_name[2 * i + 1]));
    return read_file(&c->buffer, c->db->how, name, &entry->value);
}

static void cursor_destroy(void *cursor)
{
    files_cursor *c = (files_cursor *)cursor;

    close_directory(c);
    free(c->buffer.bytes);
    free(c);
}

static const char unordered[] = "files have no order";

const lode_engine lode_engine_files = {
    .name = "files",
    .promise = "the end of the process",
    .has_no_cache = true,
    .no_order = unordered,
    .no_reverse = unordered,
    .no_batch = "several files cannot be written as one",
    .no_compact = "there is nothing to compact",
    .describe = describe,
    .open = open_db,
    LODE_ENGINE_CALLS,
};
