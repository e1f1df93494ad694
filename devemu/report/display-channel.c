/* SPDX-License-Identifier: Apache-2.0 */
/* display-channel.c - D M=CHP(nn)[,PATHINFO] */
#include "devemu/fabric/fabric.h"
#include "devemu/report/display.h"

/* CHPID types: FICON point to point 1A, switched 1B, FCP 25. */
static void type(const struct fabric *fabric, const struct fabric_channel *channel, FILE *out)
{
	bool switched = false;
	const char *text;

	for (size_t p = 0; p < fabric->paths; p++)
		switched |= fabric->path[p].channel == channel && fabric->path[p].config->entry;
	if (channel->config->type == CHANNEL_FCP)
		text = "TYPE=25, DESC=FIBRE CHANNEL PROTOCOL";
	else if (switched)
		text = "TYPE=1B, DESC=FICON SWITCHED";
	else
		text = "TYPE=1A, DESC=FICON POINT TO POINT";
	fprintf(out, "CHPID %02X:  %s, %s\n", channel->config->chpid, text,
		channel->up ? "ONLINE" : "OFFLINE");
}

/* The path of the channel to the device, or NULL. */
static const struct fabric_path *path_of(const struct fabric_channel *channel,
					 const struct fabric_device *device)
{
	for (unsigned int p = 0; p < device->paths; p++)
		if (device->path[p]->channel == channel)
			return device->path[p];
	return NULL;
}

static char symbol(const struct fabric_device *device, const struct fabric_path *path)
{
	bool online = false;

	for (unsigned int p = 0; p < device->paths; p++)
		online |= path_usable(device->path[p]);
	if (path_usable(path))
		return '+';
	return online ? '$' : '-';
}

/* Sixteen devices a line; lines without any device of the channel are left out. */
static void grid(const struct fabric *fabric, const struct fabric_channel *channel, FILE *out)
{
	fprintf(out, "DEVICE STATUS FOR CHANNEL PATH %02X\n", channel->config->chpid);
	fputs("     0 1 2 3 4 5 6 7 8 9 A B C D E F\n", out);
	for (unsigned int first = 0; first <= 0xFFF0; first += 16) {
		char symbols[16];
		bool any = false;

		for (unsigned int n = 0; n < 16; n++) {
			const struct fabric_device *device = fabric->by_number[first + n];
			const struct fabric_path *path = device ? path_of(channel, device) : NULL;

			symbols[n] = path ? symbol(device, path) : '.';
			any |= path != NULL;
		}
		if (!any)
			continue;
		fprintf(out, "%04X", first >> 4 << 4 & 0xFFFF);
		for (int n = 0; n < 16; n++)
			fprintf(out, " %c", symbols[n]);
		fputc('\n', out);
	}
}

static void path_information(const struct fabric *fabric, const struct fabric_channel *channel,
			     FILE *out)
{
	fputs("PATH INFORMATION\n"
	      "CU   CULA ENTRY DEST  OPERATIONAL  CONN SEC\n",
	      out);
	for (size_t p = 0; p < fabric->paths; p++) {
		const struct fabric_path *path = &fabric->path[p];

		if (path->channel != channel)
			continue;
		fprintf(out, "%04X  %02X  ", path->config->cu, path->control_unit->config->address);
		if (path->config->entry)
			fprintf(out, "%04X  %04X", path->config->entry, path->config->dest);
		else
			fputs("..    ..  ", out);
		fprintf(out, "  %-11s  %s\n", path_usable(path) ? "Y" : "N",
			display_security(path));
	}
}

void display_channel(const struct fabric *fabric, const struct fabric_channel *channel,
		     bool pathinfo, FILE *out)
{
	const struct system_config *system = &fabric->config->system;

	type(fabric, channel, out);
	if (pathinfo)
		path_information(fabric, channel, out);
	else
		grid(fabric, channel, out);
	fprintf(out, "ATTACHED CPC ND = 00%s.%s.IBM.02.0000000%s\n", system->machine, system->model,
		system->serial);
	if (channel->speed)
		fprintf(out, "LINK SPEED = %uG%s\n", channel->speed->gbps,
			channel->speed->fec ? ", WITH ERROR CORRECTION" : "");
	fprintf(out, "FACILITIES SUPPORTED = %s\n",
		channel->config->type == CHANNEL_FCP || channel->config->no_zhpf ? "NONE" : "ZHPF");
	fprintf(out, "CONNECTION SECURITY CAPABILITY = %s\n",
		channel->config->fces ? "ENCRYPTION" : "NONE");
	if (!pathinfo)
		fputs("+ ONLINE    $ PATH NOT OPERATIONAL    - OFFLINE    . DOES NOT EXIST\n", out);
}
