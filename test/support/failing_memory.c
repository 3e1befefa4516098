/* test/support/failing_memory.c: the calls that --wrap leads here.
 *
 * Threads:  any.
 */
#include "test/support/failing_memory.h"

#include <stdatomic.h>
#include <stddef.h>

/* Allocations until one fails. */
static _Atomic long left;
static atomic_bool is_counting, fails_for_good, has_failed;

void failing_memory_start(long nth, bool for_good)
{
    atomic_store(&left, nth);
    atomic_store(&fails_for_good, for_good);
    atomic_store(&has_failed, false);
    atomic_store(&is_counting, true);
}

bool failing_memory_stop(void)
{
    atomic_store(&is_counting, false);
    return atomic_load(&has_failed);
}

static bool must_fail(void)
{
    if (!atomic_load(&is_counting))
        return false;
    long n = atomic_fetch_sub(&left, 1);
    if (n > 1 || (n < 1 && !atomic_load(&fails_for_good)))
        return false;
    atomic_store(&has_failed, true);
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return must_fail() ? NULL : __real_realloc(old, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}
char *__wrap_strdup(const char *text)
{
    return must_fail() ? NULL : __real_strdup(text);
}
