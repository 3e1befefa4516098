/* chainstate/remedy.c: see remedy.h.
 *
 * Note:     stores know nothing of what they hold, and name files: here the file's folder decides.
 */
#include "chainstate/remedy.h"

#include <string.h>

lode_status lode_add_remedy(lode_status s, const lode_directory *d)
{
    size_t len = strlen(s.text);
    const char *remedy;

    if (s.code != LODE_CORRUPT || !d || strstr(s.text, "rebuild"))
        return s;
    if (strstr(s.text, d->txindex))
        remedy = "; to rebuild the transaction index, remove its folder and import with -txindex";
    else if (strstr(s.text, d->chainstate))
        remedy = "; -reindex-chainstate rebuilds the coins";
    else if (strstr(s.text, d->index))
        remedy = "; -reindex rebuilds the block index";
    else
        return s;
    if (len + strlen(remedy) < sizeof s.text)
        memcpy(s.text + len, remedy, strlen(remedy) + 1);
    return s;
}
