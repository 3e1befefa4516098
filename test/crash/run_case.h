/* test/crash/run_case.h: one thing that goes wrong, in a process of its own. */
#ifndef LODE_TEST_CRASH_RUN_CASE_H
#define LODE_TEST_CRASH_RUN_CASE_H

#include "test/crash/scenario.h"

enum { CASE_CALLS = 21, CASE_PLACES = 128 };

typedef enum case_kind {
    CASE_CLEAN,     /* nothing: counts calls */
    CASE_FAIL_ONCE, /* one call fails */
    CASE_FAIL_ON,   /* and all like it that follow */
    CASE_POWER,     /* the power goes before a call */
    CASE_FULL,      /* the disk holds no more than so many bytes */
    CASE_STOP,      /* a stop is asked for at a call */
} case_kind;

typedef struct crash_case {
    size_t scenario;
    case_kind kind;
    unsigned call; /* a lode_fault_call, or several */
    int place;     /* what kind of file; -1: any */
    uint64_t n;    /* which of these calls; CASE_FULL: bytes beyond what was there before */
    int error_number;
    size_t torn_bytes;
    lode_power_cut cut; /* CASE_POWER; with a failed call: LODE_KEEP_ALL, or power goes after it as well */
    bool is_honest;     /* CASE_FULL: free_space tells the truth */
    unsigned more_cuts; /* of power, in the runs that follow */
    uint64_t seed;
} crash_case;

typedef struct case_report {
    bool is_done;    /* the process came to its end */
    char wrong[700]; /* empty: as it must be */
    bool was_hit;    /* the call came */
    bool is_starved; /* the system gave no thread: nothing is said */
    look end;
    uint64_t calls[CASE_CALLS][CASE_PLACES]; /* CASE_CLEAN */
    uint64_t changes;                        /* likewise: of LODE_FAULT_CHANGES */
    uint64_t used_before, used_after;        /* bytes on the disk, likewise */
} case_report;

/* What kind of file a path names, below CASE_PLACES. */
int case_place(const char *path);
bool case_is_table(int place);
void case_describe(char *out, size_t capacity, const crash_case *c);

/* `w` is as scenario's prepare left it, and spent afterwards. */
void case_run(case_report *report, world *w, const crash_case *c, const reference *ref, const look *clean);

#endif
