/* bench/lode-import-bench-chain.c: the chains that are imported: made, given, shuffled.
 *
 * Touches:  ROOM/NAME.dat, with the arguments it was made from in ROOM/NAME.made.
 */
#include "bench/lode-import-bench-chain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/chain/random.h"
#include "support/bytes.h"

enum { SHUFFLE_WINDOW = 1024, FRAME = 8 };

static lode_bench_chain *new_chain(const char *name, int file_count)
{
    lode_bench_chain *c = (lode_bench_chain *)calloc(1, sizeof *c);

    if (!c || !(c->files = (char **)calloc((size_t)file_count, sizeof *c->files)) || !(c->name = strdup(name)))
        lode_bench_stop("no memory for a chain");
    c->file_count = file_count;
    return c;
}

void lode_bench_chain_clear(lode_bench_chain *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->file_count; i++)
        free(c->files[i]);
    free(c->files);
    free((void *)(uintptr_t)c->name);
    free(c);
}

static char *path_in(const lode_bench_place *place, const char *name, const char *ending)
{
    char *path;

    if (asprintf(&path, "%s/%s.%s", place->room, name, ending) < 0)
        lode_bench_stop("no memory for a path");
    return path;
}

/* ---- made ---- */

static bool was_made_so(const char *note_path, const char *chain_path, const char *arguments)
{
    char *text = lode_bench_read_text(note_path);
    bool same = text && strcmp(text, arguments) == 0 && access(chain_path, R_OK) == 0;

    free(text);
    return same;
}

static void write_note(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        lode_bench_stop("%s cannot be written", path);
}

static void join_words(char *out, size_t capacity, const lode_bench_command *c)
{
    size_t len = 0;

    out[0] = '\0';
    for (int i = 1; i < c->count && len < capacity; i++)
        len += (size_t)snprintf(out + len, capacity - len, "%s ", c->words[i]);
}

lode_bench_chain *lode_bench_chain_make(const lode_bench_place *place, const char *genchain, const char *name,
                                        uint64_t size_bytes, uint64_t coins, int empty_tail)
{
    bool is_coins = strcmp(name, "coins") == 0;
    lode_bench_command command = { .count = 0 };
    lode_bench_cost cost;
    char arguments[4096];

    if (!is_coins && strcmp(name, "2012") != 0 && strcmp(name, "2017") != 0 && strcmp(name, "2024") != 0)
        return NULL;
    lode_bench_chain *c = new_chain(name, 1);
    char *note = path_in(place, name, "made"), *log = path_in(place, name, "log");
    c->files[0] = path_in(place, name, "dat");
    lode_bench_command_add(&command, "%s", genchain);
    lode_bench_command_add(&command, "--mix=%s", is_coins ? "2024" : name);
    if (empty_tail)
        lode_bench_command_add(&command, "--empty-tail=%d", empty_tail);
    if (!is_coins)
        lode_bench_command_add(&command, "--size=%llu", (unsigned long long)size_bytes);
    if (is_coins) {
        lode_bench_command_add(&command, "--grow=%llu", (unsigned long long)coins);
        lode_bench_command_add(&command, "--old-coins=100");
    }
    join_words(arguments, sizeof arguments, &command);
    lode_bench_command_add(&command, "--out=%s", c->files[0]);
    if (!was_made_so(note, c->files[0], arguments)) {
        fprintf(stderr, "%s: making %s (%s)\n", program_invocation_short_name, c->files[0], arguments);
        unlink(note);
        if (!lode_bench_run(&cost, &command, log, false, NULL))
            lode_bench_stop("%s failed, see %s", genchain, log);
        write_note(note, arguments);
    }
    lode_bench_command_clear(&command);
    free(note);
    free(log);
    return c;
}

/* ---- given ---- */

lode_bench_chain *lode_bench_chain_of(char *const *files, int count)
{
    lode_bench_chain *c = new_chain("given", count);

    for (int i = 0; i < count; i++) {
        c->files[i] = strdup(files[i]);
        if (!c->files[i])
            lode_bench_stop("no memory for a path");
    }
    return c;
}

/* ---- shuffled ---- */

typedef struct frame {
    const uint8_t *bytes;
    size_t len;
    uint64_t rank; /* frames are written by this: place in upper half, number below */
} frame;

typedef struct frame_list {
    frame *all;
    size_t count, capacity;
} frame_list;

static void add_frame(frame_list *l, const uint8_t *bytes, size_t len)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 1024;
        l->all = (frame *)realloc(l->all, l->capacity * sizeof *l->all);
        if (!l->all)
            lode_bench_stop("no memory for %zu blocks", l->capacity);
    }
    /* the first is genesis, which no node downloads */
    uint64_t noise = l->count ? lode_mix64(l->count) % SHUFFLE_WINDOW : 0;
    l->all[l->count] = (frame){ bytes, len, (l->count + noise) << 32 | l->count };
    l->count++;
}

/* Frames as they stand in a file that is nothing but blocks; what comes after padding is left out. */
static void list_frames(frame_list *l, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY);

    if (fd < 0 || fstat(fd, &info) != 0)
        lode_bench_stop("%s cannot be read: %s", path, strerror(errno));
    size_t size = (size_t)info.st_size;
    const uint8_t *data = size ? (const uint8_t *)mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (size && data == MAP_FAILED)
        lode_bench_stop("%s cannot be mapped: %s", path, strerror(errno));
    close(fd);
    for (size_t at = 0; at + FRAME <= size && lode_read_le32(data + at) != 0;) {
        size_t len = FRAME + (size_t)lode_read_le32(data + at + 4);
        if (len > size - at)
            break;
        add_frame(l, data + at, len);
        at += len;
    }
}

static int compare_ranks(const void *a, const void *b)
{
    const frame *x = (const frame *)a, *y = (const frame *)b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void write_shuffled(const char *path, frame_list *l)
{
    FILE *f = fopen(path, "wb");
    bool good = f != NULL;

    qsort(l->all, l->count, sizeof *l->all, compare_ranks);
    for (size_t i = 0; i < l->count && good; i++)
        good = fwrite(l->all[i].bytes, 1, l->all[i].len, f) == l->all[i].len;
    if (!f || fclose(f) != 0 || !good)
        lode_bench_stop("%s cannot be written", path);
}

/* In a process of its own: what it maps would count as the peak of programs started later. */
lode_bench_chain *lode_bench_chain_shuffle(const lode_bench_place *place, const lode_bench_chain *chain)
{
    lode_bench_chain *c = new_chain(chain->name, 1);
    int status = 0;
    pid_t pid;

    c->files[0] = path_in(place, "shuffled", "dat");
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        frame_list l = { .count = 0 };
        for (int i = 0; i < chain->file_count; i++)
            list_frames(&l, chain->files[i]);
        write_shuffled(c->files[0], &l);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        lode_bench_stop("%s was not made", c->files[0]);
    memcpy(c->best_block, chain->best_block, sizeof c->best_block);
    memcpy(c->set_hash, chain->set_hash, sizeof c->set_hash);
    c->height = chain->height;
    c->quiet_from = chain->quiet_from;
    c->inputs = chain->inputs;
    c->megabytes = chain->megabytes;
    return c;
}
