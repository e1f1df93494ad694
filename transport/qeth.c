/* SPDX-License-Identifier: Apache-2.0 */
/* qeth.c - the HiperSockets and OSA devices of this system, from /sys */
#include "transport/qeth.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QETH    "/sys/bus/ccwgroup/drivers/qeth"
#define IFF_UP_ 1ul

static bool is_one(const char *id, const char *attribute)
{
	char text[LFP_SYSTEM_NAME];

	return lfp_system_line(text, QETH "/%s/%s", id, attribute) && !strcmp(text, "1");
}

static void describe(struct qeth_device *device, const char *id)
{
	char text[LFP_SYSTEM_NAME];

	memset(device, 0, sizeof(*device));
	snprintf(device->id, sizeof(device->id), "%.*s", (int)sizeof(device->id) - 1, id);
	device->hipersockets =
		lfp_system_line(text, QETH "/%s/card_type", id) && strstr(text, "HiperSockets");
	device->layer2 = is_one(id, "layer2");
	device->online = is_one(id, "online");
	(void)lfp_system_line(device->interface, QETH "/%s/if_name", id);
	if (!*device->interface)
		return;
	if (lfp_system_line(text, "/sys/class/net/%s/mtu", device->interface))
		device->mtu = strtoul(text, NULL, 10);
	if (lfp_system_line(text, "/sys/class/net/%s/flags", device->interface))
		device->up = strtoul(text, NULL, 16) & IFF_UP_;
}

bool qeth_find_hsuid(struct qeth_device *out, const char *hsuid, unsigned int *devices)
{
	char path[PATH_MAX], text[LFP_SYSTEM_NAME];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	*devices = 0;
	dir = lfp_system_path(path, QETH) ? opendir(path) : NULL;
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (!strchr(entry->d_name, '.') || *entry->d_name == '.')
			continue;
		describe(out, entry->d_name);
		*devices += out->hipersockets;
		found = lfp_system_line(text, QETH "/%s/hsuid", entry->d_name) &&
			!strcmp(text, hsuid);
	}
	closedir(dir);
	return found;
}
