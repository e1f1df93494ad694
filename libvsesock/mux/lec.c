/* SPDX-License-Identifier: Apache-2.0 */
/* lec.c - the system id of an LE/C program; the preloaded library uses the same one */
#include "libvsesock/mux/lec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/places.h"

#define SETPARM_MAX 8192u

/* Reads a file as far as there is room. Returns the number of bytes; 0 without a file. */
static size_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t used = 0;
	ssize_t n = 1;

	if (fd < 0)
		return 0;
	while (used < size && n > 0) {
		n = read(fd, buf + used, size - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(fd);
	return used;
}

/* Copies the value of @symbol into @value; the text has NAME=value entries, each ended by @end. */
static void find_symbol(const char *symbol, const char *text, size_t len, char end,
			char value[static MUX_SYSID_MAX])
{
	const size_t want = strlen(symbol) + 1;

	value[0] = '\0';
	while (len) {
		const char *stop = memchr(text, end, len);
		size_t item = stop ? (size_t)(stop - text) : len;

		if (item > want && !memcmp(text, symbol, want - 1) && text[want - 1] == '=') {
			size_t most =
				item - want < MUX_SYSID_MAX - 1 ? item - want : MUX_SYSID_MAX - 1;

			memcpy(value, text + want, most);
			value[most] = '\0';
			return;
		}
		if (!stop)
			return;
		text += item + 1;
		len -= item + 1;
	}
}

void mux_setparm(const char *run, const char *symbol, char value[static MUX_SYSID_MAX])
{
	const char *of_job = getenv("LFP_SETPARM");
	char path[LFP_PLACE_MAX + 32], text[SETPARM_MAX];

	value[0] = '\0';
	if (of_job)
		find_symbol(symbol, of_job, strlen(of_job), ',', value);
	if (*value || !*run)
		return;
	snprintf(path, sizeof(path), "%s/vselfp/setparm", run);
	find_symbol(symbol, text, read_file(path, text, sizeof(text)), '\n', value);
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

enum mux_phase mux_ask_phase(const char *sysid)
{
	char path[LFP_PLACE_MAX], text[MUX_TABLE_MAX];

	if (lfp_place_edctcpmc(path) < 0 || access(path, F_OK) < 0)
		return MUX_LFP;
	return mux_look_up(text, read_file(path, text, sizeof(text)), sysid);
}

void mux_ask(enum mux_interface interface, const char *given, struct mux_lec *lec, const char *run)
{
	char setparm[MUX_SYSID_MAX];
	struct mux_said said = {{NULL}};

	mux_setparm(run, "LFP$ID", setparm);
	said.text[MUX_VARIABLE_LFP_ID] = variable("LFP$ID");
	if (!said.text[MUX_VARIABLE_LFP_ID])
		said.text[MUX_VARIABLE_LFP_ID] = variable("LFP_ID");
	said.text[MUX_SETPARM_LFP_ID] = setparm;
	said.text[MUX_VARIABLE_SYSID] = variable("SYSID");
	said.text[MUX_TCPNAME] = said.text[MUX_ID] = given;
	said.text[MUX_SYSPARM] = variable("SYSPARM");
	snprintf(lec->sysid, sizeof(lec->sysid), "%s", mux_choose(interface, &said, &lec->source));
	lec->phase = lfp_check_nn(lec->sysid) < 0 ? MUX_NO_ENTRY : mux_ask_phase(lec->sysid);
}

void mux_ask_lec(struct mux_lec *lec, const char *run)
{
	mux_ask(MUX_LEC, NULL, lec, run);
}

const char *mux_phase_trouble(enum mux_phase phase)
{
	switch (phase) {
	case MUX_LFP:
		break;
	case MUX_EDTCPV:
		return "its interface phase belongs to another stack, TCP/IP for VSE ($EDTCPV), "
		       "and mux.conf names no stack for it";
	case MUX_BSTTTCP6:
		return "its interface phase belongs to another stack, IPv6/VSE (BSTTTCP6), and "
		       "mux.conf names no stack for it";
	case MUX_NO_ENTRY:
		return "the multiplexer's table has no entry for it";
	case MUX_NO_PHASE:
		return "its interface phase does not exist, and cannot be loaded";
	}
	return NULL;
}
