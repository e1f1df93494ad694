/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - which lfpd instances are configured, and which of them run */
#include "lfpd-ctl/instance.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/pidfile.h"
#include "lfp/places.h"

/* The NAME in "lfpd-NAME.conf"; -EINVAL for another file. */
static int name_of_file(char name[static 9], const char *file)
{
	static const char prefix[] = "lfpd-", suffix[] = ".conf";
	size_t len = strlen(file);

	if (len < sizeof(prefix) + sizeof(suffix) - 2 || memcmp(file, prefix, sizeof(prefix) - 1) ||
	    strcmp(file + len - (sizeof(suffix) - 1), suffix))
		return -EINVAL;
	len -= sizeof(prefix) + sizeof(suffix) - 2;
	if (len > 8)
		return -EINVAL;
	memcpy(name, file + sizeof(prefix) - 1, len);
	name[len] = '\0';
	return lfp_check_name(name);
}

/* The entry of that name, added if need be; NULL without memory. */
static struct instance *get_entry(struct instance_list *list, const char *name)
{
	struct instance *items;

	for (size_t i = 0; i < list->nr; i++) {
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	}
	items = realloc(list->items, (list->nr + 1) * sizeof(*items));
	if (!items)
		return NULL;
	list->items = items;
	items += list->nr++;
	memset(items, 0, sizeof(*items));
	strcpy(items->name, name);
	return items;
}

static int add_directory(struct instance_list *list, const char *which, bool enabled)
{
	char path[LFP_PLACE_MAX], name[9];
	struct dirent *entry;
	DIR *dir;
	int rc;

	rc = lfp_place_conf_dir(path, which);
	if (rc < 0)
		return rc;
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		struct instance *instance;

		if (name_of_file(name, entry->d_name) < 0)
			continue;
		instance = get_entry(list, name);
		if (!instance) {
			rc = -ENOMEM;
			break;
		}
		if (enabled)
			instance->enabled = true;
		else
			instance->available = true;
	}
	closedir(dir);
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct instance *)a)->name, ((const struct instance *)b)->name);
}

int instance_list_init(struct instance_list *list)
{
	int rc;

	memset(list, 0, sizeof(*list));
	rc = add_directory(list, "enabled", true);
	if (!rc)
		rc = add_directory(list, "available", false);
	if (!rc && list->nr)
		qsort(list->items, list->nr, sizeof(*list->items), compare_names);
	return rc;
}

void instance_list_finish(struct instance_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

bool instance_by_systemd(void)
{
	const char *root = getenv("LFP_ROOT");

	/* sd_booted(3) looks for the same directory. */
	return (!root || !*root) && access("/run/systemd/system", F_OK) == 0;
}

int instance_path(char *buf, size_t size, const char *name, const char *file)
{
	char path[LFP_PLACE_MAX];
	int rc;

	if (instance_by_systemd()) {
		/* The system's instances, also for a user whose own ones would be elsewhere. */
		rc = snprintf(buf, size, "/run/vselfpd/%s/%s", name, file);
	} else {
		rc = lfp_place_lfpd(path, name, file);
		if (rc < 0)
			return rc;
		rc = snprintf(buf, size, "%s", path);
	}
	return rc >= 0 && (size_t)rc < size ? 0 : -ENAMETOOLONG;
}

int instance_query(const char *name, pid_t *pid)
{
	char path[LFP_PLACE_MAX];
	int rc;

	*pid = 0;
	rc = instance_path(path, sizeof(path), name, "pid");
	return rc < 0 ? rc : lfp_pidfile_query(path, pid);
}

void instance_unit(char buf[static INSTANCE_UNIT_MAX], const char *name)
{
	size_t len = (size_t)snprintf(buf, INSTANCE_UNIT_MAX, "lfpd@");

	/* As systemd-escape(1) does; a unit gets the NAME back by %I. */
	for (; *name && len < INSTANCE_UNIT_MAX - 16; name++) {
		const char *form = strchr("$#@", *name) ? "\\x%02x" : "%c";

		len += (size_t)snprintf(buf + len, INSTANCE_UNIT_MAX - len, form, *name);
	}
	snprintf(buf + len, INSTANCE_UNIT_MAX - len, ".service");
}
