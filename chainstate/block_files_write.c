/* chainstate/block_files_write.c: pieces, the queue, the thread that writes it, and syncing.
 *
 * Touches:  files of the blocks folder, through lode_env.
 * Threads:  appends come from one thread; a sync may come from another. The writer has no lock while it writes.
 * Promise:  after a sync every byte appended before it survives a power cut. A write that failed is kept and tried
 * again by the next sync; a sync that failed is final, since the system may have dropped what it could not write.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chainstate/block_files_private.h"

/* ---- the disk ---- */

/* Room in whole chunks, as Core reserves it, from the offset at which a chunk is first entered. Without room for a
 * whole chunk the bytes alone will do. */
static lode_status reserve(lode_block_files *files, lode_file *file, const lode_piece *p)
{
    uint64_t chunk = files->chunk_bytes[p->id.kind];
    uint64_t before = (p->offset + chunk - 1) / chunk, after = ((uint64_t)p->offset + p->len + chunk - 1) / chunk;
    uint64_t bytes = after * chunk - p->offset, available;

    if (after <= before)
        return lode_ok();
    LODE_TRY(files->env->free_space(files->env, &available, files->path));
    if (available < (uint64_t)p->len + LODE_DISK_RESERVE)
        return lode_fail(LODE_NO_SPACE, "%s: disk space is too low: %" PRIu64 " bytes are left", files->path,
                         available);
    if (available < bytes + LODE_DISK_RESERVE)
        return lode_ok();
    return files->env->allocate(files->env, file, p->offset, bytes);
}

static lode_status write_bytes(lode_block_files *files, lode_file *file, const lode_piece *p)
{
    LODE_TRY(reserve(files, file, p));
    LODE_TRY(files->env->pwrite(files->env, file, p->data, p->len, p->offset));
    files->env->start_writeback(files->env, file, p->offset, p->len);
    return lode_ok();
}

static lode_status cut_file(lode_block_files *files, lode_file *file, const lode_piece *p)
{
    lode_file_info info;

    LODE_TRY(files->env->file_info(files->env, file, &info));
    return info.size_bytes > p->offset ? files->env->truncate(files->env, file, p->offset) : lode_ok();
}

static lode_status write_piece(lode_block_files *files, const lode_piece *p)
{
    lode_block_handle *handle;

    LODE_TRY(lode_block_handle_take(&handle, files, p->id, true));
    lode_status s = p->capacity ? write_bytes(files, handle->file, p) : cut_file(files, handle->file, p);
    lode_block_handle_release(files, handle);
    return s;
}

/* ---- the queue ---- */

static bool mark_dirty(lode_block_files *files, lode_file_id id)
{
    lode_mutex_assert_held(&files->mutex);
    for (size_t i = 0; i < files->dirty_count; i++) {
        if (lode_file_id_is_equal(files->dirty[i], id))
            return true;
    }
    if (files->dirty_count == files->dirty_capacity) {
        size_t capacity = files->dirty_capacity ? files->dirty_capacity * 2 : 16;
        lode_file_id *dirty = realloc(files->dirty, capacity * sizeof *dirty);
        if (!dirty)
            return false;
        files->dirty = dirty;
        files->dirty_capacity = capacity;
    }
    files->dirty[files->dirty_count++] = id;
    return true;
}

/* Keeps pieces until the next sync, or until memory is wanted for others: fresh memory costs a page fault per 4 KiB. */
static void recycle(lode_block_files *files, lode_piece *p)
{
    lode_mutex_assert_held(&files->mutex);
    files->piece_bytes -= p->capacity;
    if (!p->capacity) {
        free(p);
        return;
    }
    files->spare_bytes += p->capacity;
    p->next = files->spare[p->id.kind];
    files->spare[p->id.kind] = p;
}

static void free_list(lode_piece *p)
{
    while (p) {
        lode_piece *next = p->next;
        free(p);
        p = next;
    }
}

static void free_spare(lode_block_files *files)
{
    lode_mutex_assert_held(&files->mutex);
    for (int kind = 0; kind < 2; kind++) {
        free_list(files->spare[kind]);
        files->spare[kind] = NULL;
    }
    files->spare_bytes = 0;
}

static void finish_front(lode_block_files *files, lode_status s)
{
    lode_piece *p = files->first;

    lode_mutex_assert_held(&files->mutex);
    if (!lode_failed(s) && !mark_dirty(files, p->id))
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory to remember a file to sync", files->path);
    if (lode_failed(s)) {
        files->error = s;
        files->has_failed = true;
        return;
    }
    files->first = p->next;
    if (!files->first)
        files->last = &files->first;
    files->written++;
    recycle(files, p);
}

static void *write_queue(void *context)
{
    lode_block_files *files = context;

    lode_mutex_lock(&files->mutex);
    while (!files->is_stopping) {
        if (!files->first || files->has_failed) {
            lode_cond_wait(&files->work, &files->mutex);
            continue;
        }
        const lode_piece *p = files->first;
        lode_mutex_unlock(&files->mutex);
        lode_status s = write_piece(files, p);
        lode_mutex_lock(&files->mutex);
        finish_front(files, s);
        lode_cond_broadcast(&files->done);
    }
    lode_mutex_unlock(&files->mutex);
    return NULL;
}

static void enqueue(lode_block_files *files, lode_piece *p)
{
    lode_mutex_assert_held(&files->mutex);
    p->next = NULL;
    *files->last = p;
    files->last = &p->next;
    files->queued++;
    lode_cond_signal(&files->work);
}

static void enqueue_open(lode_block_files *files, int i)
{
    lode_mutex_lock(&files->mutex);
    enqueue(files, files->open[i]);
    files->open[i] = NULL;
    lode_mutex_unlock(&files->mutex);
}

/* ---- appending ---- */

static int find_open(const lode_block_files *files, lode_file_id id)
{
    for (int i = 0; i < LODE_OPEN_PIECES; i++) {
        if (files->open[i] && lode_file_id_is_equal(files->open[i]->id, id))
            return i;
    }
    return -1;
}

/* A place for an open piece: a free one, or that of the piece whose file waited longest. */
static int make_place(lode_block_files *files)
{
    int oldest = 0;

    for (int i = 0; i < LODE_OPEN_PIECES; i++) {
        if (!files->open[i])
            return i;
        if (files->open[i]->used < files->open[oldest]->used)
            oldest = i;
    }
    enqueue_open(files, oldest);
    return oldest;
}

static lode_piece *reuse(lode_block_files *files, lode_file_kind kind)
{
    lode_piece *p = files->spare[kind];

    lode_mutex_assert_held(&files->mutex);
    if (p) {
        files->spare[kind] = p->next;
        files->spare_bytes -= p->capacity;
    }
    return p;
}

/* The limit holds for pieces in use and spare ones together. */
static lode_piece *allocate_piece(lode_block_files *files, uint32_t capacity)
{
    lode_mutex_assert_held(&files->mutex);
    if (files->piece_bytes + files->spare_bytes + capacity > LODE_PIECES_LIMIT)
        free_spare(files);
    return aligned_alloc(LODE_DIRECT_ALIGN, LODE_DIRECT_ALIGN + capacity);
}

/* Memory for a piece, within the limit: waits until the writer has caught up. */
static lode_status take_memory(lode_piece **out, lode_block_files *files, lode_file_kind kind)
{
    uint32_t capacity = kind == LODE_FILE_BLK ? LODE_PIECE_BYTES : LODE_PIECE_BYTES / 4;
    lode_piece *p = NULL;
    lode_status s = lode_ok();

    lode_mutex_lock(&files->mutex);
    while (!files->has_failed && files->piece_bytes + capacity > LODE_PIECES_LIMIT)
        lode_cond_wait(&files->done, &files->mutex);
    if (files->has_failed) {
        s = files->error;
    } else {
        p = reuse(files, kind);
        if (!p && !(p = allocate_piece(files, capacity)))
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory to gather blocks in", files->path);
        if (p)
            files->piece_bytes += capacity;
    }
    lode_mutex_unlock(&files->mutex);
    if (p)
        p->capacity = capacity;
    *out = p;
    return s;
}

/* The open piece that ends at `offset` and has room. */
static lode_status take_open(lode_piece **out, lode_block_files *files, lode_file_id id, uint32_t offset)
{
    int i = find_open(files, id);
    lode_piece *p;

    if (i >= 0) {
        p = files->open[i];
        if (p->offset + p->len == offset && p->len < p->limit) {
            *out = p;
            return lode_ok();
        }
        enqueue_open(files, i);
    } else {
        i = make_place(files);
    }
    LODE_TRY(take_memory(&p, files, id.kind));
    p->id = id;
    p->offset = offset;
    p->len = 0;
    p->data = (uint8_t *)p + LODE_DIRECT_ALIGN + offset % LODE_DIRECT_ALIGN;
    p->limit = p->capacity - offset % LODE_DIRECT_ALIGN;
    lode_mutex_lock(&files->mutex);
    files->open[i] = p;
    lode_mutex_unlock(&files->mutex);
    *out = p;
    return lode_ok();
}

/* As much of `part` as the piece holds; the writer and readers see it when len has grown. */
static size_t fill(lode_block_files *files, lode_piece *p, lode_slice part)
{
    size_t room = p->limit - p->len, n = part.len < room ? part.len : room;

    memcpy(p->data + p->len, part.data, n);
    lode_block_files_xor(files, p->data + p->len, n, (uint64_t)p->offset + p->len);
    p->used = ++files->clock;
    lode_mutex_lock(&files->mutex);
    p->len += (uint32_t)n;
    lode_mutex_unlock(&files->mutex);
    return n;
}

static lode_status start_writer(lode_block_files *files)
{
    if (files->thread.started)
        return lode_ok();
    return lode_thread_start(&files->thread, "lode-blocks", write_queue, files);
}

static lode_status past_failure(lode_block_files *files)
{
    lode_mutex_lock(&files->mutex);
    lode_status s = files->has_failed ? files->error : lode_ok();
    lode_mutex_unlock(&files->mutex);
    return s;
}

static lode_status append_guarded(lode_block_files *files, lode_file_id id, uint32_t offset, const lode_slice *parts,
                                  int count)
{
    lode_piece *p;

    lode_mutex_assert_held(&files->append_mutex);
    LODE_TRY(past_failure(files));
    LODE_TRY(start_writer(files));
    for (int i = 0; i < count; i++) {
        for (size_t done = 0; done < parts[i].len;) {
            LODE_TRY(take_open(&p, files, id, offset));
            size_t n = fill(files, p, lode_slice_of(parts[i].data + done, parts[i].len - done));
            done += n;
            offset += (uint32_t)n;
        }
    }
    return lode_ok();
}

static lode_status cut_guarded(lode_block_files *files, lode_file_id id, uint32_t size)
{
    int i = find_open(files, id);
    lode_piece *p = malloc(sizeof *p);

    lode_mutex_assert_held(&files->append_mutex);
    if (!p)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to cut a block file", files->path);
    *p = (lode_piece){ .id = id, .offset = size };
    if (i >= 0)
        enqueue_open(files, i);
    lode_mutex_lock(&files->mutex);
    enqueue(files, p);
    lode_mutex_unlock(&files->mutex);
    return lode_ok();
}

/* Undo data comes in the chain's order, which goes back and forth between neighbouring files: a file is cut when the
 * chain has left it by two, or at a sync. */
static lode_status cut_left_behind(lode_block_files *files, int32_t below)
{
    for (int i = 0; i < files->untrimmed_count;) {
        const lode_untrimmed u = files->untrimmed[i];
        if (u.file >= below) {
            i++;
            continue;
        }
        LODE_TRY(cut_guarded(files, (lode_file_id){ LODE_FILE_REV, u.file }, u.end));
        files->untrimmed[i] = files->untrimmed[--files->untrimmed_count];
    }
    return lode_ok();
}

static lode_status note_untrimmed(lode_block_files *files, int32_t file, uint32_t end)
{
    for (int i = 0; i < files->untrimmed_count; i++) {
        if (files->untrimmed[i].file == file) {
            files->untrimmed[i].end = end;
            return lode_ok();
        }
    }
    if (files->untrimmed_count == LODE_OPEN_PIECES) /* far apart: the room is given up, one file after the other */
        LODE_TRY(cut_left_behind(files, INT32_MAX));
    files->untrimmed[files->untrimmed_count++] = (lode_untrimmed){ file, end };
    return cut_left_behind(files, file - 1);
}

lode_status lode_block_files_append(lode_block_files *files, lode_file_id id, uint32_t offset, const lode_slice *parts,
                                    int count)
{
    uint64_t end = offset;

    for (int i = 0; i < count; i++)
        end += parts[i].len;
    if (end > UINT32_MAX)
        return lode_fail(LODE_UNSUPPORTED, "%s: file %d would grow beyond 4 GiB", files->path, (int)id.number);
    lode_mutex_lock(&files->append_mutex);
    lode_status s = append_guarded(files, id, offset, parts, count);
    if (id.kind == LODE_FILE_BLK && id.number > files->newest)
        files->newest = id.number;
    if (!lode_failed(s) && id.kind == LODE_FILE_REV)
        s = note_untrimmed(files, id.number, (uint32_t)end);
    lode_mutex_unlock(&files->append_mutex);
    return s;
}

lode_status lode_block_files_cut(lode_block_files *files, lode_file_id id, uint32_t size)
{
    lode_mutex_lock(&files->append_mutex);
    lode_status s = past_failure(files);
    if (!lode_failed(s))
        s = start_writer(files);
    if (!lode_failed(s))
        s = cut_guarded(files, id, size);
    for (int i = 0; i < files->untrimmed_count; i++) {
        if (id.kind == LODE_FILE_REV && files->untrimmed[i].file == id.number)
            files->untrimmed[i] = files->untrimmed[--files->untrimmed_count];
    }
    lode_mutex_unlock(&files->append_mutex);
    return s;
}

/* ---- syncing ---- */

/* Everything appended so far goes into the queue; *ticket is its end. */
static lode_status hand_over(lode_block_files *files, uint64_t *ticket)
{
    lode_mutex_lock(&files->append_mutex);
    lode_status s = cut_left_behind(files, files->newest);
    for (int i = 0; i < LODE_OPEN_PIECES; i++) {
        if (files->open[i])
            enqueue_open(files, i);
    }
    lode_mutex_unlock(&files->append_mutex);
    lode_mutex_lock(&files->mutex);
    *ticket = files->queued;
    lode_mutex_unlock(&files->mutex);
    return s;
}

/* Waits until the queue is written up to `ticket`. A write that failed before is tried once more. *dirty is given. */
static lode_status drain(lode_block_files *files, lode_file_id **dirty, size_t *count, uint64_t ticket)
{
    lode_status s = lode_ok();

    lode_mutex_lock(&files->mutex);
    if (files->has_failed && !files->sync_has_failed) {
        files->has_failed = false;
        lode_cond_signal(&files->work);
    }
    while (files->written < ticket && !files->has_failed)
        lode_cond_wait(&files->done, &files->mutex);
    if (files->has_failed) {
        s = files->error;
    } else {
        free_spare(files);
        *dirty = files->dirty;
        *count = files->dirty_count;
        files->dirty = NULL;
        files->dirty_count = files->dirty_capacity = 0;
    }
    lode_mutex_unlock(&files->mutex);
    return s;
}

static lode_status sync_one(lode_block_files *files, lode_file_id id)
{
    lode_block_handle *handle;

    LODE_TRY(lode_block_handle_take(&handle, files, id, true));
    lode_status s = files->env->sync(files->env, handle->file);
    lode_block_handle_release(files, handle);
    return s;
}

static lode_status sync_folder(lode_block_files *files)
{
    lode_mutex_lock(&files->handles_mutex);
    bool is_dirty = files->folder_is_dirty;
    files->folder_is_dirty = false;
    lode_mutex_unlock(&files->handles_mutex);
    return is_dirty ? files->env->sync_directory(files->env, files->path) : lode_ok();
}

static void fail_for_good(lode_block_files *files, lode_status s)
{
    lode_mutex_lock(&files->mutex);
    files->error = s;
    files->has_failed = files->sync_has_failed = true;
    lode_cond_broadcast(&files->done);
    lode_mutex_unlock(&files->mutex);
}

lode_status lode_block_files_sync(lode_block_files *files)
{
    lode_file_id *dirty = NULL;
    size_t count = 0;
    uint64_t ticket;

    if (files->read_only)
        return lode_ok();
    lode_status s = hand_over(files, &ticket);
    if (!lode_failed(s))
        s = drain(files, &dirty, &count, ticket);
    if (lode_failed(s))
        return s;
    for (size_t i = 0; i < count && !lode_failed(s); i++)
        s = sync_one(files, dirty[i]);
    if (!lode_failed(s))
        s = sync_folder(files);
    if (lode_failed(s))
        fail_for_good(files, s);
    free(dirty);
    return s;
}

void lode_block_files_stop(lode_block_files *files)
{
    lode_mutex_lock(&files->mutex);
    files->is_stopping = true;
    lode_cond_broadcast(&files->work);
    lode_mutex_unlock(&files->mutex);
    lode_thread_join(&files->thread);
    free_list(files->first);
    for (int i = 0; i < LODE_OPEN_PIECES; i++)
        free(files->open[i]);
    free_list(files->spare[LODE_FILE_BLK]);
    free_list(files->spare[LODE_FILE_REV]);
    free(files->dirty);
}
