/* bench/common/report.c: medians, JSON strings, and the machine that measured.
 *
 * Touches:  /proc/cpuinfo.
 */
#include "bench/common/report.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void lode_sort_doubles(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

double lode_median(double *values, size_t count)
{
    lode_sort_doubles(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

void lode_json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
    }
    fputc('"', f);
}

void lode_machine_describe(char *text, size_t size)
{
    char line[256], cpu[160] = "unknown processor";
    struct utsname system;
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %159[^\n]", cpu) == 1)
            break;
    if (f)
        fclose(f);
    uname(&system);
    snprintf(text, size, "%s, %ld processors, %.1f GiB, %s %s %s", cpu, sysconf(_SC_NPROCESSORS_ONLN),
             (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30), system.sysname,
             system.release, system.machine);
}
