/* chainstate/block_files.c: where blocks and undo data go, and the XOR key.
 *
 * Room:     positions, rollover and file infos as Core's FindNextBlockPos and FindUndoPos choose them.
 * Touches:  xor.dat, through lode_env; file infos in the block index. block_files_write.c and _read.c do the rest.
 * Threads:  appends and notes come from the chain's thread.
 */
#include "chainstate/block_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "chainstate/block_files_private.h"

/* ---- the key ---- */

void lode_block_files_xor(const lode_block_files *files, uint8_t *data, size_t len, uint64_t offset)
{
    uint8_t turned[8];
    uint64_t word, key;
    size_t i = 0;

    if (!files->has_key)
        return;
    for (size_t k = 0; k < sizeof turned; k++)
        turned[k] = files->key[(offset + k) % sizeof turned];
    memcpy(&key, turned, sizeof key);
    for (; i + sizeof word <= len; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        word ^= key;
        memcpy(data + i, &word, sizeof word);
    }
    for (; i < len; i++)
        data[i] ^= turned[i % sizeof turned];
}

static lode_status fill_random(uint8_t *out, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = getrandom(out + done, len - done, 0);
        if (n < 0 && errno != EINTR)
            return lode_fail_errno(errno, "no random bytes for a key");
        if (n > 0)
            done += (size_t)n;
    }
    return lode_ok();
}

static lode_status find_data_file(void *context, const char *name)
{
    bool *found = context;
    size_t len = strlen(name);

    if (len > 4 && strcmp(name + len - 4, ".dat") == 0)
        *found = true;
    return lode_ok();
}

/* Files that lie here without a key are plain, and so is all that is added to them. */
static lode_status make_key(lode_block_files *files, const char *path, bool random_key)
{
    bool has_data = lode_block_index_last_file(files->index) >= 0;

    LODE_TRY(files->env->list(files->env, files->path, find_data_file, &has_data));
    if (random_key && !has_data)
        LODE_TRY(fill_random(files->key, sizeof files->key));
    return lode_env_write_file_atomically(files->env, path, files->key, sizeof files->key);
}

static lode_status read_key(lode_block_files *files, bool *found, const char *path)
{
    lode_env *env = files->env;
    lode_file *file;
    size_t got = 0;

    lode_status s = env->open(env, &file, path, LODE_OPEN_READ);
    *found = s.code != LODE_MISSING;
    if (!*found)
        return lode_ok();
    LODE_TRY(s);
    s = env->pread(env, file, &got, files->key, sizeof files->key, 0);
    env->close(env, file);
    if (!lode_failed(s) && got < sizeof files->key)
        s = lode_fail(LODE_CORRUPT, "%s: %zu bytes, shorter than a key", path, got);
    return s;
}

static lode_status load_key(lode_block_files *files, bool random_key)
{
    char *path = lode_path_join(files->path, "xor.dat");
    bool found;

    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", files->path);
    lode_status s = read_key(files, &found, path);
    if (!lode_failed(s) && !found && !files->read_only)
        s = make_key(files, path, random_key);
    files->has_key = lode_read_le64(files->key) != 0;
    free(path);
    return s;
}

const uint8_t *lode_block_files_xor_key(const lode_block_files *files)
{
    return files->key;
}

/* ---- open and close ---- */

static lode_status check_file(lode_block_files *files, int32_t number)
{
    const lode_block_file_info *info = lode_block_index_file(files->index, number);
    lode_file_info on_disk;
    bool exists;

    if (!info || info->blocks == 0)
        return lode_ok();
    char *path = lode_block_files_name(files, (lode_file_id){ LODE_FILE_BLK, number });
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", files->path);
    lode_status s = files->env->path_info(files->env, &exists, &on_disk, path);
    if (!lode_failed(s) && !exists)
        s = lode_fail(LODE_MISSING, "%s: missing, and the block index counts %" PRIu32 " blocks in it", path,
                      info->blocks);
    else if (!lode_failed(s) && on_disk.size_bytes < info->size)
        s = lode_fail(LODE_CORRUPT, "%s: %" PRIu64 " bytes, but the block index counts %" PRIu32, path,
                      on_disk.size_bytes, info->size);
    free(path);
    return s;
}

/* A reader goes without: what is missing shows when it is read. */
static lode_status check_files(lode_block_files *files)
{
    for (int32_t i = 0; i <= lode_block_index_last_file(files->index); i++)
        LODE_TRY(check_file(files, i));
    return lode_ok();
}

lode_status lode_block_files_open(lode_block_files **out, const lode_block_files_options *options)
{
    lode_block_files *files = calloc(1, sizeof *files);

    *out = NULL;
    if (!files || !(files->path = strdup(options->path))) {
        free(files);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", options->path);
    }
    files->params = options->params;
    files->env = options->env;
    files->logger = options->logger;
    files->read_only = options->read_only;
    files->file_bytes = options->file_bytes ? options->file_bytes : LODE_MAX_BLOCKFILE_SIZE;
    files->chunk_bytes[LODE_FILE_BLK] = options->block_chunk_bytes ? options->block_chunk_bytes : LODE_BLOCKFILE_CHUNK_SIZE;
    files->chunk_bytes[LODE_FILE_REV] = options->undo_chunk_bytes ? options->undo_chunk_bytes : LODE_UNDOFILE_CHUNK_SIZE;
    files->index = options->index;
    files->last = &files->first;
    files->newest = lode_block_index_last_file(options->index);
    lode_mutex_init(&files->append_mutex);
    lode_mutex_init(&files->mutex);
    lode_mutex_init(&files->handles_mutex);
    lode_cond_init(&files->work);
    lode_cond_init(&files->done);
    lode_status s = load_key(files, options->random_xor_key);
    if (!lode_failed(s) && !files->read_only)
        s = check_files(files);
    if (lode_failed(s))
        lode_block_files_close(files);
    else
        *out = files; /* given: the caller closes it */
    return s;
}

void lode_block_files_close(lode_block_files *files)
{
    if (!files)
        return;
    lode_block_files_stop(files);
    lode_block_handles_close(files);
    lode_mutex_clear(&files->append_mutex);
    lode_mutex_clear(&files->mutex);
    lode_mutex_clear(&files->handles_mutex);
    lode_cond_clear(&files->work);
    lode_cond_clear(&files->done);
    free(files->path);
    free(files);
}

/* ---- file infos ---- */

static void count_block(lode_block_file_info *info, uint32_t height, uint64_t time)
{
    if (info->blocks == 0 || height < info->height_first)
        info->height_first = height;
    if (info->blocks == 0 || time < info->time_first)
        info->time_first = time;
    if (height > info->height_last)
        info->height_last = height;
    if (time > info->time_last)
        info->time_last = time;
    info->blocks++;
}

/* The file that the next block goes to: the last one, or a new one when that would be full. */
static lode_status find_room(lode_block_files *files, int32_t *file, lode_block_file_info **info, uint32_t bytes)
{
    int32_t last = lode_block_index_last_file(files->index);

    *file = last < 0 ? 0 : last;
    *info = lode_block_index_file(files->index, *file);
    if (*info && (uint64_t)(*info)->size + bytes >= files->file_bytes) {
        LODE_TRY(lode_block_files_cut(files, (lode_file_id){ LODE_FILE_BLK, last }, (*info)->size));
        lode_log(files->logger, LODE_LOG_DEBUG, "block file %d is full: %" PRIu32 " blocks in %" PRIu32 " bytes",
                 (int)last, (*info)->blocks, (*info)->size);
        *file = last + 1;
        *info = lode_block_index_file(files->index, *file);
    }
    return *info ? lode_ok() : lode_fail(LODE_NO_MEMORY, "%s: no block file after %d", files->path, (int)last);
}

static lode_status refuse_reader(const lode_block_files *files)
{
    return files->read_only ? lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read-only, cannot be written", files->path)
                            : lode_ok();
}

lode_status lode_block_files_append_block(lode_block_files *files, int32_t *file, uint32_t *pos, const uint8_t *raw,
                                          uint32_t size, int32_t height, uint32_t time)
{
    lode_block_file_info *info;
    uint8_t head[LODE_RECORD_HEAD];
    int32_t number;

    LODE_TRY(refuse_reader(files));
    if (size < LODE_HEADER_SIZE || size >= files->file_bytes - LODE_RECORD_HEAD)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: a block of %" PRIu32 " bytes fits into no file", files->path,
                         size);
    LODE_TRY(find_room(files, &number, &info, size + LODE_RECORD_HEAD));
    memcpy(head, files->params->magic, 4);
    lode_write_le32(head + 4, size);
    const lode_slice parts[] = { { head, sizeof head }, { raw, size } };
    LODE_TRY(lode_block_files_append(files, (lode_file_id){ LODE_FILE_BLK, number }, info->size, parts, 2));
    *file = number;
    *pos = info->size + LODE_RECORD_HEAD;
    count_block(info, (uint32_t)height, time);
    info->size += size + LODE_RECORD_HEAD;
    lode_block_index_mark_file_dirty(files->index, number);
    return lode_ok();
}

lode_status lode_block_files_append_undo(lode_block_files *files, uint32_t *pos, int32_t file, const uint8_t *undo,
                                         size_t size, const lode_block_hash *prev_hash)
{
    uint8_t head[LODE_RECORD_HEAD], hash[32];
    lode_sha256_stream stream;

    LODE_TRY(refuse_reader(files));
    if (file < 0 || file > lode_block_index_last_file(files->index) || size > UINT32_MAX - LODE_UNDO_OVERHEAD)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: no file %d for %zu bytes of undo data", files->path, (int)file,
                         size);
    lode_block_file_info *info = lode_block_index_file(files->index, file);
    memcpy(head, files->params->magic, 4);
    lode_write_le32(head + 4, (uint32_t)size);
    lode_sha256_begin(&stream);
    lode_sha256_add(&stream, prev_hash->bytes, sizeof prev_hash->bytes);
    lode_sha256_add(&stream, undo, size);
    lode_sha256d_end(&stream, hash);
    const lode_slice parts[] = { { head, sizeof head }, { undo, size }, { hash, sizeof hash } };
    LODE_TRY(lode_block_files_append(files, (lode_file_id){ LODE_FILE_REV, file }, info->undo_size, parts, 3));
    *pos = info->undo_size + LODE_RECORD_HEAD;
    info->undo_size += (uint32_t)size + LODE_UNDO_OVERHEAD;
    lode_block_index_mark_file_dirty(files->index, file);
    return lode_ok();
}

void lode_block_files_note_end(lode_block_files *files, int32_t file, uint32_t end)
{
    lode_block_file_info *info = lode_block_index_file(files->index, file);

    if (!info || end <= info->size)
        return;
    info->size = end;
    lode_block_index_mark_file_dirty(files->index, file);
}

void lode_block_files_note_block(lode_block_files *files, int32_t file, uint32_t pos, uint32_t size, int32_t height,
                                 uint32_t time)
{
    lode_block_file_info *info = lode_block_index_file(files->index, file);

    if (!info)
        return;
    count_block(info, (uint32_t)height, time);
    lode_block_index_mark_file_dirty(files->index, file);
    lode_block_files_note_end(files, file, pos + size);
}

lode_status lode_block_files_trim(lode_block_files *files, int32_t file)
{
    LODE_TRY(refuse_reader(files));
    if (file < 0 || file > lode_block_index_last_file(files->index))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: no file %d to cut", files->path, (int)file);
    const lode_block_file_info *info = lode_block_index_file(files->index, file);
    if (info->size > 0)
        LODE_TRY(lode_block_files_cut(files, (lode_file_id){ LODE_FILE_BLK, file }, info->size));
    if (info->undo_size > 0)
        LODE_TRY(lode_block_files_cut(files, (lode_file_id){ LODE_FILE_REV, file }, info->undo_size));
    return lode_ok();
}
