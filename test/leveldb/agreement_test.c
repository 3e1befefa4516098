/* test/leveldb/agreement_test.c: our declarations and LevelDB's own are the same. That this compiles is the proof. */
#include <leveldb/c.h>

#include "lode-leveldb/leveldb/c.h"

_Static_assert(leveldb_no_compression == 0 && leveldb_snappy_compression == 1, "kinds of compression");

int main(void)
{
    return 0;
}
