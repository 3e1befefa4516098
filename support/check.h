/* support/check.h: our own promises, checked. Only a bug of ours makes one fail. */
#ifndef LODE_SUPPORT_CHECK_H
#define LODE_SUPPORT_CHECK_H

/* Called with file, line and the promise when one is broken. The host may set it (lode_set_bug_handler); without one
 * the words go to standard error and the process aborts, since going on could write wrong coins. */
typedef void (*lode_bug_handler)(const char *file, int line, const char *promise, void *context);
void lode_set_bug_handler(lode_bug_handler handler, void *context);
void lode_bug(const char *file, int line, const char *promise) __attribute__((cold));

#define LODE_CHECK(x)                                                                                                  \
    do {                                                                                                               \
        if (__builtin_expect(!(x), 0))                                                                                 \
            lode_bug(__FILE__, __LINE__, #x);                                                                          \
    } while (0)

#ifdef LODE_ENABLE_VERIFY
#define LODE_VERIFY(x) LODE_CHECK(x)
#else
#define LODE_VERIFY(x) ((void)0)
#endif

#endif
