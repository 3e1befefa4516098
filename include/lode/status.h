/* lode/status.h: how every function of liblode reports what the world did.
 *
 * An error is a value: a code to branch on and a sentence for a person, naming file, offset and reason.
 * Nothing to free. A missing key or coin is an answer, and an invalid block a verdict: neither is an error.
 */
#ifndef LODE_STATUS_H
#define LODE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the interface: none is ever renumbered. */
typedef enum lode_code {
    LODE_OK = 0,
    LODE_INVALID_ARGUMENT = 1, /* the caller broke the contract of the function */
    LODE_IO = 2,               /* the system refused: sys_errno says how */
    LODE_NO_SPACE = 3,         /* ENOSPC or EDQUOT, or a reserve checked ahead; freeing space and trying again helps */
    LODE_CORRUPT = 4,          /* stored bytes are not what was written */
    LODE_UNSUPPORTED = 5,      /* well formed, recognised, and not ours to handle */
    LODE_MISSING = 6,          /* a file or directory that must exist does not */
    LODE_EXISTS = 7,           /* a file or directory that must not exist does */
    LODE_LOCKED = 8,           /* another process or handle holds the lock */
    LODE_NO_MEMORY = 9,
    LODE_CANCELLED = 10, /* asked to stop; what was done so far is kept */
    LODE_BUG = 11        /* a broken promise of our own */
} lode_code;

typedef struct lode_status {
    int32_t code;      /* a lode_code */
    int32_t sys_errno; /* errno where the system gave one, else 0 */
    char text[248];    /* one sentence, NUL-terminated; empty when code is LODE_OK */
} lode_status;

#ifdef __cplusplus
}
#endif
#endif
