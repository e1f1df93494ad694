/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - the configuration in force: from the disk to the network and the instances */
#ifndef VIA_IN_FORCE_H
#define VIA_IN_FORCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "via/settings.h"

struct via_config {
	uint64_t generation; /* on the disk, whole and read; 0: none yet */
	bool has_settings;
	uint64_t settings_generation; /* of via.conf */
	struct via_settings settings;
};

extern struct via_config via_config;

/* Finds the disk: VIA_DISK in the environment (a container, or a word of the kernel's command
 * line), else the first block device with a configuration. Returns NULL if there is none yet. */
const char *via_config_disk(void);

/* Reads the disk, and puts everything into force that is good: via.conf, and each instance by
 * itself. What is bad is told by file, line and reason, and leaves in force what was there. @out
 * gets the same lines, or is NULL. Returns true if everything was good. */
bool via_config_load(FILE *out);

#endif
