/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - which lfpd instances are configured, and which of them run */
#include "lfpd-ctl/instance.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* Reports whether @file looks like a configuration, in any case and with or without ".conf", and
 * writes the name that it must have. Backup files of editors and package managers do not look like
 * one. */
static bool is_stray(const char *file, char expected[static 64])
{
	char name[9] = "", folded[9];
	size_t len = strlen(file), i;

	if (strncasecmp(file, "lfpd-", 5))
		return false;
	len -= 5;
	if (len > 5 && !strcasecmp(file + 5 + len - 5, ".conf"))
		len -= 5;
	if (!len || len > 8)
		return false;
	memcpy(name, file + 5, len);
	for (i = 0; i <= len; i++)
		folded[i] = (char)toupper((unsigned char)name[i]);
	if (lfp_check_name(folded) < 0)
		return false;
	snprintf(expected, 64, "lfpd-%s.conf", folded);
	return strcmp(expected, file) != 0;
}

/* Notes a file that is no configuration because of its name. */
static int add_stray(struct instance_list *list, const char *which, const char *file)
{
	struct instance_stray *strays;
	char expected[64];

	if (!is_stray(file, expected))
		return 0;
	strays = realloc(list->strays, (list->nr_strays + 1) * sizeof(*strays));
	if (!strays)
		return -ENOMEM;
	list->strays = strays;
	strays += list->nr_strays++;
	snprintf(strays->file, sizeof(strays->file), "%s", file);
	strcpy(strays->expected, expected);
	strays->which = which;
	return 0;
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

		if (name_of_file(name, entry->d_name) < 0) {
			rc = add_stray(list, which, entry->d_name);
			if (rc < 0)
				break;
			continue;
		}
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
	free(list->strays);
	memset(list, 0, sizeof(*list));
}

bool instance_by_systemd(void)
{
	return lfp_unit_manages();
}

int instance_path(char *buf, size_t size, const char *name, const char *file)
{
	char path[LFP_PLACE_MAX];
	int rc;

	if (instance_by_systemd()) {
		/* systemd's instances are in the system's tree, even if this user has another
		 * one. */
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

void instance_unit(char buf[static LFP_UNIT_MAX], const char *name)
{
	lfp_unit_name(buf, "lfpd", name);
}
