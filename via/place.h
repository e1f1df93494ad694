/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - the files of an instance's configuration, in memory */
#ifndef VIA_PLACE_H
#define VIA_PLACE_H

#include <sys/types.h>

#include "via/archive.h"

#define VIA_PLACES "/run/via/conf" /* a directory for each instance */

/* Where an lfpd finds its configuration: in the image, a link to /proc/self/cwd. So each process
 * has its own there, under one name. */
#define VIA_CONFIG "/config"

/* Makes the directory hold exactly these files, for that user to read. Each file is replaced as a
 * whole. 0 or a negative errno. */
int place_write(const char *dir, const struct via_files *files, uid_t user);

/* Removes the directory with its files. */
void place_remove(const char *dir);

/* Makes the directory @parent/@name, which belongs to that user. 0, or -1 with errno. */
int place_make(const char *parent, const char *name, uid_t user);

#endif
