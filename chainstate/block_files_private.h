/* chainstate/block_files_private.h: what the files block_files_*.c share.
 *
 * Appended bytes are copied into pieces, encoded as they will lie on disk. A full piece, or every piece at a sync, goes
 * to the end of one queue, and one thread writes the queue from its front. So of every file the bytes that are still in
 * memory are a tail, and a reader looks there before it looks at the disk.
 */
#ifndef LODE_CHAINSTATE_BLOCK_FILES_PRIVATE_H
#define LODE_CHAINSTATE_BLOCK_FILES_PRIVATE_H

#include "chainstate/block_files.h"
#include "support/thread.h"

#define LODE_RECORD_HEAD 8          /* magic, length */
#define LODE_UNDO_OVERHEAD 40       /* head and checksum */
#define LODE_OPEN_PIECES 4          /* files that are appended to in turn */
#define LODE_PIECE_BYTES 0x400000u  /* of a block file; undo: a quarter */
#define LODE_PIECES_LIMIT 0x2000000 /* bytes of all pieces: an append waits for the disk beyond it */
#define LODE_DISK_RESERVE 0x800000u /* left free on the disk, so that the databases can still be brought to order */
#define LODE_BLOCK_HANDLES 16       /* open descriptors that are kept */

typedef enum lode_file_kind { LODE_FILE_BLK, LODE_FILE_REV } lode_file_kind;

typedef struct lode_file_id {
    lode_file_kind kind;
    int32_t number;
} lode_file_id;
static inline bool lode_file_id_is_equal(lode_file_id a, lode_file_id b)
{
    return a.kind == b.kind && a.number == b.number;
}

typedef struct lode_piece lode_piece;
struct lode_piece {
    lode_piece *next;
    lode_file_id id;
    uint32_t offset; /* in the file */
    uint32_t len;
    uint32_t capacity; /* 0: no bytes, but the order to cut the file at `offset` */
    uint32_t limit;    /* of len: pieces end between pages of the file */
    uint64_t used;     /* when it was appended to; chooses which open piece makes room */
    uint8_t *data;     /* behind this struct, and as far into a page as `offset` is */
};

typedef struct lode_block_handle {
    lode_file_id id;
    lode_file *file; /* NULL: a free place */
    bool is_writable;
    bool is_cached; /* false: beyond the limit, closed when released */
    int users;
    uint64_t used;
} lode_block_handle;

typedef struct lode_untrimmed {
    int32_t file;
    uint32_t end;
} lode_untrimmed;

struct lode_block_files {
    /* constant after open */
    char *path;
    const lode_chain_params *params;
    lode_env *env;
    const lode_logger *logger;
    bool read_only;
    bool has_key;
    uint8_t key[8];
    uint32_t file_bytes;     /* a file is full at so many */
    uint32_t chunk_bytes[2]; /* pre-allocation, by kind */
    lode_block_index *index; /* the chain thread's, like the file infos in it */

    lode_mutex append_mutex; /* held through an append, and while a sync takes the open pieces; before `mutex` */
    /* guarded by append_mutex */
    lode_piece *open[LODE_OPEN_PIECES];
    uint64_t clock;
    lode_untrimmed untrimmed[LODE_OPEN_PIECES]; /* undo files with pre-allocated room behind their end */
    int untrimmed_count;
    int32_t newest; /* block file that was appended to */

    lode_mutex mutex;
    lode_cond work, done;
    /* guarded by mutex; so is len of the open pieces, and which there are */
    lode_piece *first, **last;
    size_t piece_bytes; /* in use */
    size_t spare_bytes;
    lode_piece *spare[2];     /* by kind */
    uint64_t queued, written; /* pieces, counted */
    lode_status error;        /* of the piece at the front: written again at the next sync */
    bool has_failed;
    bool sync_has_failed; /* what the disk holds is not known any more: everything fails from then on */
    lode_file_id *dirty;  /* written since the last sync */
    size_t dirty_count, dirty_capacity;
    bool is_stopping;
    lode_thread thread;

    lode_mutex handles_mutex;
    /* guarded by handles_mutex */
    lode_block_handle handles[LODE_BLOCK_HANDLES];
    uint64_t handle_clock;
    bool folder_is_dirty; /* a file was created since the last sync */
};

/* data[i] ^= key[(offset + i) % 8] */
void lode_block_files_xor(const lode_block_files *files, uint8_t *data, size_t len, uint64_t offset);

/* block_files_handle.c */
char *lode_block_files_name(const lode_block_files *files, lode_file_id id); /* given: free; NULL: memory is out */
lode_status lode_block_handle_take(lode_block_handle **out, lode_block_files *files, lode_file_id id, bool writable);
void lode_block_handle_release(lode_block_files *files, lode_block_handle *handle);
void lode_block_handles_close(lode_block_files *files);

/* block_files_write.c */
lode_status lode_block_files_append(lode_block_files *files, lode_file_id id, uint32_t offset, const lode_slice *parts,
                                    int count);
lode_status lode_block_files_cut(lode_block_files *files, lode_file_id id,
                                 uint32_t size);     /* queued behind what was appended */
void lode_block_files_stop(lode_block_files *files); /* what was not written is dropped */

/* block_files_read.c: *got < len only at the end of the file. Decoded. */
lode_status lode_block_files_read(lode_block_files *files, size_t *got, uint8_t *out, size_t len, lode_file_id id,
                                  uint64_t offset);

#endif
