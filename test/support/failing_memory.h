/* test/support/failing_memory.h: malloc and its sisters, failing when a test wants them to.
 *
 * For programs whose sources have $(FAILING_MEMORY) and whose LDFLAGS have $(FAILING_MEMORY_LDFLAGS): calls of what is
 * linked statically come here first (--wrap).
 */
#ifndef LODE_TEST_FAILING_MEMORY_H
#define LODE_TEST_FAILING_MEMORY_H

#include <stdbool.h>

/* The nth allocation from now on fails, 1 being the next; with `for_good` those after it as well. Of any thread. */
void failing_memory_start(long nth, bool for_good);
/* All is well again. True: an allocation did fail. */
bool failing_memory_stop(void);

#endif
