/* bench/suites/published.c: what others measured, on the machines of their time; where of three runs, the median.
 *
 * leveldb-2011    LevelDB Benchmarks, Google, July 2011: LevelDB r39, SQLite 3.7.6.3, Kyoto TreeDB 1.2.67; Xeon X5650.
 *                 Operations per second.
 * hashdb-2011     Kyoto Cabinet and LevelDB compared in 2011; Intel dual core, 3 GB, hard disk. Seconds.
 * lmdb-2012       LMDB 0.9.0 and LevelDB 1.5 without snappy, July 2012; Core2 Extreme Q9300. Microseconds per
 * operation; compact in all. documents-2003  Berkeley DB 4.0 and files, 2003; Pentium 4 at 2.4 GHz, 512 MB, ext3.
 * Passes per second.
 *                 `files` is written by print and read by read, but where a row names another way.
 */
#include "bench/suites/published.h"

#include <string.h>

static const struct {
    const char *suite, *row, *engine;
    double figure;
} published[] = {
    { "leveldb-2011", "read sequential", "leveldb", 4030000 },
    { "leveldb-2011", "read sequential", "kyoto-tree", 1010000 },
    { "leveldb-2011", "read sequential", "sqlite", 383000 },
    { "leveldb-2011", "read random", "leveldb", 129000 },
    { "leveldb-2011", "read random", "kyoto-tree", 151000 },
    { "leveldb-2011", "read random", "sqlite", 134000 },
    { "leveldb-2011", "write sequential", "leveldb", 779000 },
    { "leveldb-2011", "write sequential", "kyoto-tree", 342000 },
    { "leveldb-2011", "write sequential", "sqlite", 48600 },
    { "leveldb-2011", "write random", "leveldb", 164000 },
    { "leveldb-2011", "write random", "kyoto-tree", 88500 },
    { "leveldb-2011", "write random", "sqlite", 9860 },
    { "leveldb-2011", "write sequential, 100,000-byte values", "leveldb", 1100 },
    { "leveldb-2011", "write sequential, 100,000-byte values", "kyoto-tree", 1000 },
    { "leveldb-2011", "write sequential, 100,000-byte values", "sqlite", 1600 },
    { "leveldb-2011", "write random, 100,000-byte values", "leveldb", 480 },
    { "leveldb-2011", "write random, 100,000-byte values", "kyoto-tree", 1100 },
    { "leveldb-2011", "write random, 100,000-byte values", "sqlite", 1600 },
    { "leveldb-2011", "batch write sequential (1,000 x 1,000 x 100 bytes)", "leveldb", 840000 },
    { "leveldb-2011", "batch write sequential (1,000 x 1,000 x 100 bytes)", "sqlite", 124000 },
    { "leveldb-2011", "batch write random", "leveldb", 221000 },
    { "leveldb-2011", "batch write random", "sqlite", 22000 },
    { "leveldb-2011", "synchronous write sequential (10,000 writes)", "leveldb", 100 },
    { "hashdb-2011", "100,000 entries, small values: insert", "kyoto-hash", 0.286653 },
    { "hashdb-2011", "100,000 entries, small values: insert", "leveldb", 0.44742 },
    { "hashdb-2011", "100,000 entries, small values: insert", "kyoto-tree", 0.39401 },
    { "hashdb-2011", "100,000 entries, small values: iterate", "kyoto-hash", 0.208595 },
    { "hashdb-2011", "100,000 entries, small values: iterate", "leveldb", 0.169381 },
    { "hashdb-2011", "100,000 entries, small values: iterate", "kyoto-tree", 0.322735 },
    { "hashdb-2011", "100,000 entries, 512-byte values: insert", "kyoto-hash", 0.549354 },
    { "hashdb-2011", "100,000 entries, 512-byte values: insert", "leveldb", 5.16017 },
    { "hashdb-2011", "100,000 entries, 512-byte values: insert", "kyoto-tree", 0.392562 },
    { "hashdb-2011", "100,000 entries, 512-byte values: iterate", "kyoto-hash", 0.240299 },
    { "hashdb-2011", "100,000 entries, 512-byte values: iterate", "leveldb", 0.301258 },
    { "hashdb-2011", "100,000 entries, 512-byte values: iterate", "kyoto-tree", 0.439923 },
    { "hashdb-2011", "1,000,000 entries, small values: insert", "leveldb", 6.01079 },
    { "hashdb-2011", "1,000,000 entries, small values: insert", "kyoto-tree", 3.93033 },
    { "hashdb-2011", "1,000,000 entries, small values: iterate", "leveldb", 1.90402 },
    { "hashdb-2011", "1,000,000 entries, small values: iterate", "kyoto-tree", 2.56836 },
    { "lmdb-2012", "fillseq", "lmdb", 9.74 },
    { "lmdb-2012", "fillseq", "leveldb", 1.752 },
    { "lmdb-2012", "fillseqsync", "lmdb", 8.182 },
    { "lmdb-2012", "fillsync", "leveldb", 13.877 },
    { "lmdb-2012", "fillseqbatch", "lmdb", 0.502 },
    { "lmdb-2012", "fillrandom", "lmdb", 11.558 },
    { "lmdb-2012", "fillrandom", "leveldb", 2.836 },
    { "lmdb-2012", "fillrandint", "lmdb", 9.593 },
    { "lmdb-2012", "fillrandibatch", "lmdb", 6.288 },
    { "lmdb-2012", "fillrandsync", "lmdb", 8.399 },
    { "lmdb-2012", "fillrandbatch", "lmdb", 7.206 },
    { "lmdb-2012", "overwrite", "lmdb", 14.253 },
    { "lmdb-2012", "overwrite", "leveldb", 3.723 },
    { "lmdb-2012", "overwritebatch", "lmdb", 9.075 },
    { "lmdb-2012", "readrandom", "lmdb", 0.261 },
    { "lmdb-2012", "readrandom", "leveldb", 5.39 },
    { "lmdb-2012", "readrandom, second run", "leveldb", 4.811 },
    { "lmdb-2012", "readseq", "lmdb", 0.079 },
    { "lmdb-2012", "readseq", "leveldb", 0.228 },
    { "lmdb-2012", "readreverse", "lmdb", 0.085 },
    { "lmdb-2012", "readreverse", "leveldb", 0.52 },
    { "lmdb-2012", "compact", "leveldb", 439250 },
    { "lmdb-2012", "readrandom after compact", "leveldb", 3.269 },
    { "lmdb-2012", "readseq after compact", "leveldb", 0.197 },
    { "lmdb-2012", "readreverse after compact", "leveldb", 0.438 },
    { "lmdb-2012", "fillrand100K", "lmdb", 106.695 },
    { "lmdb-2012", "fillseq100K", "lmdb", 93.626 },
    { "lmdb-2012", "fill100K", "leveldb", 504.147 },
    { "lmdb-2012", "readseq100K", "lmdb", 0.095 },
    { "lmdb-2012", "readrand100K", "lmdb", 0.368 },
    { "lmdb-2012", "crc32c (4 kB)", "leveldb", 4.134 },
    { "lmdb-2012", "acquireload (1,000 loads)", "leveldb", 0.439 },
    { "documents-2003", "write, default cache", "berkeleydb", 5.41 },
    { "documents-2003", "write, default cache", "files", 5.93 },
    { "documents-2003", "read, default cache", "berkeleydb", 14.0 },
    { "documents-2003", "read, default cache", "files", 19.9 },
    { "documents-2003", "write, 23,152,000-byte cache", "berkeleydb", 9.63 },
    { "documents-2003", "write, files (write)", "files", 5.79 },
    { "documents-2003", "write, 23,152,000-byte cache", "files", 5.93 },
    { "documents-2003", "write, files (syswrite)", "files", 5.93 },
    { "documents-2003", "read, 23,152,000-byte cache", "berkeleydb", 26.7 },
    { "documents-2003", "read, 23,152,000-byte cache", "files", 21.2 },
    { "documents-2003", "read, files (slurp)", "files", 16.9 },
    { "documents-2003", "read, files (sysread)", "files", 22.7 },
};

double lode_published(const char *suite, const char *row, const char *engine)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        if (strcmp(published[i].suite, suite) == 0 && strcmp(published[i].row, row) == 0 &&
            strcmp(published[i].engine, engine) == 0)
            return published[i].figure;
    return 0;
}
