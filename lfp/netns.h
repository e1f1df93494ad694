/* SPDX-License-Identifier: Apache-2.0 */
/* netns.h - a network namespace of this host, by the value of HOST_NETNS */
#ifndef LFP_NETNS_H
#define LFP_NETNS_H

#include <stdbool.h>

#include "lfp/field.h"

#define LFP_NETNS_PATH_MAX (LFP_FIELD_PLACE_MAX + 16)

/* Sets the path of the namespace's file: the value itself, or the file of that name below
 * /run/netns, where ip-netns(8) keeps them. */
void lfp_netns_path(const char *value, char path[static LFP_NETNS_PATH_MAX]);

/* Returns a descriptor of the namespace; -EINVAL if the file is not a network namespace; or another
 * negative errno of open(). */
int lfp_netns_open(const char *value);

/* Returns true if @fd is the network namespace of this process. */
bool lfp_netns_is_ours(int fd);

/* Moves this thread into the namespace. The caller needs CAP_SYS_ADMIN, unless the thread is there
 * already. Returns 0, -EPERM, or a negative errno of lfp_netns_open(). */
int lfp_netns_enter(const char *value);

/* Returns a half-sentence for a negative errno of these functions. */
const char *lfp_netns_strerror(int error);

#endif
