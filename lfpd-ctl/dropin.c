/* SPDX-License-Identifier: Apache-2.0 */
/* dropin.c - what systemd's unit needs beyond its own lines for HOST_NETNS and HOST_INTERFACE */
#include "lfpd-ctl/dropin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfp/netns.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"
#include "lfpd-ctl/systemd.h"

#define FOLDER   "/etc/systemd/system/"
#define FILE_MAX 1024

/* The folder of the instance's drop-ins, and the file in it that is ours. */
struct place {
	char folder[sizeof(FOLDER) + LFP_UNIT_MAX + 8];
	char file[sizeof(FOLDER) + LFP_UNIT_MAX + 32];
};

static void find_place(const char *name, struct place *place)
{
	char unit[LFP_UNIT_MAX];

	instance_unit(unit, name);
	snprintf(place->folder, sizeof(place->folder), FOLDER "%s.d", unit);
	snprintf(place->file, sizeof(place->file), "%s/lfpd-host.conf", place->folder);
}

static int fail(const char *name, const char *file, int error)
{
	lfp_msg("VLFD861E", "%s: cannot change %s: %s.", name, file, strerror(error));
	return error == EACCES || error == EPERM ? LSB_NO_PERMISSION : LSB_FAILURE;
}

/* Writes the text that the configuration needs; "" if that is nothing. */
static int compose(const char *name, const char *conf, char text[static FILE_MAX])
{
	char netns[LFP_FIELD_PLACE_MAX], interface[LFP_FIELD_IF_MAX], path[LFP_NETNS_PATH_MAX];
	char *values = malloc(SERVICE_VALUES_MAX);
	int rc = values ? service_values(name, conf, values, SERVICE_VALUES_MAX) : LSB_FAILURE;
	bool raw;
	size_t len;

	*text = '\0';
	if (rc) {
		free(values);
		return rc;
	}
	(void)service_value(values, "HOST_NETNS", netns, sizeof(netns));
	(void)service_value(values, "HOST_INTERFACE", interface, sizeof(interface));
	free(values);
	raw = *interface && lfp_interface_needs_capability();
	if (!*netns && !raw)
		return LSB_OK;
	len = (size_t)snprintf(text, FILE_MAX,
			       "# Written by lfpd-ctl, for HOST_NETNS and HOST_INTERFACE of this "
			       "instance\n[Service]\n");
	if (*netns) {
		lfp_netns_path(netns, path);
		len += (size_t)snprintf(text + len, FILE_MAX - len, "NetworkNamespacePath=%s\n",
					path);
	}
	if (raw)
		snprintf(text + len, FILE_MAX - len,
			 "CapabilityBoundingSet=CAP_NET_RAW\nAmbientCapabilities=CAP_NET_RAW\n");
	return LSB_OK;
}

static void load(const char *file, char text[static FILE_MAX])
{
	FILE *in = fopen(file, "re");
	size_t len = in ? fread(text, 1, FILE_MAX - 1, in) : 0;

	text[len] = '\0';
	if (in)
		fclose(in);
}

static int store(const char *name, const struct place *place, const char *text)
{
	FILE *out;
	bool written;

	if (mkdir(place->folder, 0755) && errno != EEXIST)
		return fail(name, place->folder, errno);
	out = fopen(place->file, "we");
	if (!out)
		return fail(name, place->file, errno);
	(void)fchmod(fileno(out), 0644);
	written = fputs(text, out) >= 0;
	if (fclose(out) || !written)
		return fail(name, place->file, errno);
	lfp_msg("VLFD860I", "%s: systemd starts it with %s.", name, place->file);
	return systemd_daemon_reload(name);
}

int dropin_fit(const char *name, const char *conf)
{
	char wanted[FILE_MAX], found[FILE_MAX];
	struct place place;
	int rc = compose(name, conf, wanted);

	if (rc)
		return rc;
	if (!*wanted)
		return dropin_remove(name);
	find_place(name, &place);
	load(place.file, found);
	return strcmp(wanted, found) ? store(name, &place, wanted) : LSB_OK;
}

int dropin_remove(const char *name)
{
	struct place place;

	find_place(name, &place);
	if (unlink(place.file))
		return errno == ENOENT || errno == ENOTDIR ? LSB_OK : fail(name, place.file, errno);
	/* The folder stays if other files are in it. */
	(void)rmdir(place.folder);
	return systemd_daemon_reload(name);
}
