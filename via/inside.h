/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - what is in the appliance: versions, memory, files, processes */
#ifndef VIA_INSIDE_H
#define VIA_INSIDE_H

#include "via/client.h"

/* Give the client lines of an answer, without its end. A file's line has its mode, owner, size and
 * path, and "ro" if its file system is read-only, or "rw"; a process's has its number, user and
 * command. */
void inside_summary(struct via_client *client);
void inside_files(struct via_client *client);
void inside_processes(struct via_client *client);

#endif
