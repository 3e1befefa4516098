/* chainstate/block_files.h: blkNNNNN.dat and revNNNNN.dat: appending, reading, pre-allocation, XOR key, syncing. */
#ifndef LODE_CHAINSTATE_BLOCK_FILES_H
#define LODE_CHAINSTATE_BLOCK_FILES_H

#include "chainstate/block_index.h"
#include "support/bytes.h"

#define LODE_MAX_BLOCKFILE_SIZE 0x8000000u   /* Core's MAX_BLOCKFILE_SIZE, 128 MiB */
#define LODE_BLOCKFILE_CHUNK_SIZE 0x1000000u /* pre-allocation, 16 MiB */
#define LODE_UNDOFILE_CHUNK_SIZE 0x100000u   /* 1 MiB */

typedef struct lode_block_files lode_block_files;

typedef struct lode_block_files_options {
    const char *path;                /* of the blocks folder */
    const lode_chain_params *params; /* kept */
    lode_block_index *index;         /* kept: file infos */
    lode_env *env;
    const lode_logger *logger;
    bool read_only;
    bool random_xor_key; /* -blocksxor=1: a new folder gets a random key; otherwise zeros. An existing xor.dat wins */
    /* Where a file is full, and pre-allocation of block and undo files. 0: Core's, as above; tests take less. */
    uint32_t file_bytes, block_chunk_bytes, undo_chunk_bytes;
} lode_block_files_options;

lode_status lode_block_files_open(lode_block_files **out, const lode_block_files_options *options);
void lode_block_files_close(lode_block_files *files);                   /* does not sync: see lode_block_files_sync */
const uint8_t *lode_block_files_xor_key(const lode_block_files *files); /* 8 bytes, lent */

/* Append one block. Writes are gathered in memory and go out in large pieces (a full buffer, sync, or a read of what is
 * still buffered). *file and *pos are what the index stores. Updates the file's info. */
lode_status lode_block_files_append_block(lode_block_files *files, int32_t *file, uint32_t *pos, const uint8_t *raw,
                                          uint32_t size, int32_t height, uint32_t time);
/* Append undo bytes (a serialised CBlockUndo) to the rev file of `file`: magic, length, undo, double SHA-256 over
 * prev_hash and undo. *pos as the index stores it. */
lode_status lode_block_files_append_undo(lode_block_files *files, uint32_t *pos, int32_t file, const uint8_t *undo,
                                         size_t size, const lode_block_hash *prev_hash);
/* A block that already lies in one of our files (reindex): only the info is updated. */
void lode_block_files_note_block(lode_block_files *files, int32_t file, uint32_t pos, uint32_t size, int32_t height,
                                 uint32_t time);

/* A record that lies in one of our files (reindex) and is not stored as a block, since it waits for its parent or was
 * refused: appends go on behind its end, so that nothing is overwritten. */
void lode_block_files_note_end(lode_block_files *files, int32_t file, uint32_t end);

/* Bytes of the block at a position; the record header (magic, length) is checked. Any thread. */
lode_status lode_block_files_read_block(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos);
/* Part of a block: `len` bytes at `offset` within it (for the transaction index); fewer at the block's end. Any thread.
 */
lode_status lode_block_files_read_part(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos,
                                       uint32_t offset, uint32_t len);
/* Undo bytes without the checksum, which is verified. Any thread. */
lode_status lode_block_files_read_undo(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos,
                                       const lode_block_hash *prev_hash);

/* All files written since the last sync, and the folder when files were created. */
lode_status lode_block_files_sync(lode_block_files *files);
/* Cut the pre-allocated tail of the last block and undo file, as Core does when it moves on to the next file. */
lode_status lode_block_files_trim(lode_block_files *files, int32_t file);

#endif
