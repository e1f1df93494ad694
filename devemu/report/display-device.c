/* SPDX-License-Identifier: Apache-2.0 */
/* display-device.c - D M=DEV(nnnn) */
#include <inttypes.h>
#include <limits.h>

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/zhpf.h"
#include "devemu/report/display.h"

enum { LABEL = 22 };

/* Port numbers of host adapters in a DS8950: two a pair of slots. */
static unsigned int interface_id(unsigned int port)
{
	return port / 2 << 8 | (port % 2 ? 0x32 : 0);
}

/* One line: its label, then @of each path. */
static void line(const struct fabric_device *device, const char *label,
		 void (*of)(const struct fabric_path *path, char text[8]), FILE *out)
{
	fprintf(out, "%-*s", LABEL - 1, label);
	for (unsigned int p = 0; p < device->paths; p++) {
		char text[8];

		of(device->path[p], text);
		fprintf(out, p + 1 < device->paths ? " %-4s" : " %s", text);
	}
	fputc('\n', out);
}

static void chp(const struct fabric_path *path, char text[8])
{
	snprintf(text, 8, "%02X", path->config->chpid);
}

static void link_address(unsigned int address, char text[8])
{
	snprintf(text, 8, address ? "%04X" : "..", address);
}

static void entry(const struct fabric_path *path, char text[8])
{
	link_address(path->config->entry, text);
}

static void dest(const struct fabric_path *path, char text[8])
{
	link_address(path->config->dest, text);
}

static void yes(bool value, char text[8])
{
	snprintf(text, 8, "%s", value ? "Y" : "N");
}

/* The channel subsystem removes no path: a path is online as long as its channel. */
static void channel_up(const struct fabric_path *path, char text[8])
{
	yes(path->channel->up, text);
}

static void operational(const struct fabric_path *path, char text[8])
{
	yes(path_usable(path), text);
}

static void managed(const struct fabric_path *path, char text[8])
{
	(void)path;
	yes(false, text);
}

static void unit(const struct fabric_path *path, char text[8])
{
	snprintf(text, 8, "%04X", path->config->cu);
}

static void interface(const struct fabric_path *path, char text[8])
{
	snprintf(text, 8, "%04X", interface_id(path->config->port) & 0xFFFF);
}

static void security(const struct fabric_path *path, char text[8])
{
	snprintf(text, 8, "%s", display_security(path));
}

void display_device(const struct fabric *fabric, const struct fabric_device *device, FILE *out)
{
	const struct control_unit_config *config = device->control_unit->config;
	bool online = false, zhpf = false;

	for (unsigned int p = 0; p < device->paths; p++) {
		online |= path_usable(device->path[p]);
		zhpf |= zhpf_allowed(fabric, device->path[p]->channel, device);
	}
	fprintf(out, "DEVICE %05X   STATUS=%s\n", device->number, online ? "ONLINE" : "OFFLINE");
	line(device, "CHP", chp, out);
	line(device, "ENTRY LINK ADDRESS", entry, out);
	line(device, "DEST LINK ADDRESS", dest, out);
	line(device, "PATH ONLINE", channel_up, out);
	line(device, "CHP PHYSICALLY ONLINE", channel_up, out);
	line(device, "PATH OPERATIONAL", operational, out);
	line(device, "MANAGED", managed, out);
	line(device, "CU NUMBER", unit, out);
	line(device, "INTERFACE ID", interface, out);
	line(device, "CONNECTION SECURITY", security, out);
	/* The published display is damaged here. IBM's z/OS MVS System Messages, IEE174I, has the
	 * line with "=n" and no other field; the lines beside it have a blank behind the sign. */
	fprintf(out,
		"MAXIMUM MANAGED CHPID(S) ALLOWED = 0\n"
		"DESTINATION CU LOGICAL ADDRESS = %02X\n"
		"SCP CU ND         = 002107.996.IBM.75.%s.0000\n"
		"SCP TOKEN NED     = 002107.900.IBM.75.%s.0000\n"
		"SCP DEVICE NED    = 002107.900.IBM.75.%s.%04X\n"
		"WWNN              = %016" PRIX64 "\n",
		config->address, config->serial, config->serial, config->serial,
		config->address << 8 | ((device->number - device->config->cu) & 0xFF),
		config->wwnn);
	if (device->config->aliases != UINT_MAX)
		fprintf(out, "HYPERPAV ALIASES CONFIGURED = %u\n", device->config->aliases);
	if (device->control_unit->zhyperlinks)
		fprintf(out, "ZHYPERLINKS AVAILABLE = %u\n", device->control_unit->zhyperlinks);
	fprintf(out, "FUNCTIONS ENABLED = MIDAW%s\n", zhpf ? ", ZHPF" : "");
}
