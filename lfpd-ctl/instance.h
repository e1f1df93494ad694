/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - which lfpd instances are configured, and which of them run */
#ifndef LFPD_CTL_INSTANCE_H
#define LFPD_CTL_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lfp/unit.h"

struct instance {
	char name[9];
	bool enabled;   /* has a file in confs-enabled, be it a link to nowhere */
	bool available; /* has a file in confs-available */
};

/* A file of a configuration directory that looks like a configuration and is none. */
struct instance_stray {
	char file[256];
	const char *which; /* "enabled" or "available": its directory */
	char expected[64]; /* the name that it must have */
};

struct instance_list {
	struct instance *items; /* in the order of their names */
	size_t nr;
	struct instance_stray *strays; /* in the order of the directories */
	size_t nr_strays;
};

/* All configured instances. @list is to be given to instance_list_finish() in any case. 0 or a
 * negative errno. */
int instance_list_init(struct instance_list *list);
void instance_list_finish(struct instance_list *list);

/* Returns true if systemd manages the instances, see lfp_unit_manages(). */
bool instance_by_systemd(void);

#define INSTANCE_PATH_MAX 1024

/* Writes the path of a run-time file of the instance, such as "pid" or "admin". Returns 0 or a
 * negative errno. */
int instance_path(char *buf, size_t size, const char *name, const char *file);

/* lfp_pidfile_query() for the instance. */
int instance_query(const char *name, pid_t *pid);

/* Writes the name of the instance's unit, "lfpd@NAME.service". */
void instance_unit(char buf[static LFP_UNIT_MAX], const char *name);

#endif
