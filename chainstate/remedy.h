/* chainstate/remedy.h: what rebuilds the part of a directory that is damaged. */
#ifndef LODE_CHAINSTATE_REMEDY_H
#define LODE_CHAINSTATE_REMEDY_H

#include "chainstate/directory.h"

/* A message of damage that names a file of a database gets the way to build that database, and no other, again. What
 * says so already, anything else, and everything while no directory is open (NULL), comes back as it is. */
lode_status lode_add_remedy(lode_status status, const lode_directory *directory);

#endif
