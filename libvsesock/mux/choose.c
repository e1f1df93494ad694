/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - chooses the system id for a socket interface, by IBM's table */
#include "libvsesock/mux/choose.h"

#include <stdbool.h>
#include <stddef.h>

#include "lfp/places.h"

#define LEC (1u << MUX_LEC)
#define EZA (1u << MUX_EZA)
#define CSI (1u << MUX_CSI)

/* IBM's table "Specifying the System ID", from top to bottom. */
static const struct {
	unsigned int interfaces;
	bool shared; /* other software uses the name, too */
	const char *name;
} sources[MUX_SOURCES] = {
	[MUX_VARIABLE_LFP_ID] = {LEC, false, "variable LFP$ID"},
	[MUX_SETPARM_LFP_ID] = {LEC | EZA, false, "// SETPARM LFP$ID"},
	[MUX_VARIABLE_SYSID] = {LEC, true, "variable SYSID"},
	[MUX_TCPNAME] = {EZA, false, "IDENT.TCPNAME of INITAPI"},
	[MUX_ID] = {CSI, false, "ID of the SOCKET macro"},
	[MUX_SYSPARM] = {LEC | EZA | CSI, true, "// OPTION SYSPARM"},
	[MUX_DEFAULT] = {LEC | EZA | CSI, false, "default"},
};

int mux_counts(enum mux_interface interface, enum mux_source source)
{
	return (sources[source].interfaces >> interface) & 1u;
}

const char *mux_choose(enum mux_interface interface, const struct mux_said *said,
		       enum mux_source *source)
{
	for (*source = 0; *source < MUX_DEFAULT; (*source)++) {
		const char *text = said->text[*source];

		if (!mux_counts(interface, *source) || !text || !*text)
			continue;
		if (!sources[*source].shared || !lfp_check_nn(text))
			return text;
	}
	return "00";
}

const char *mux_source_name(enum mux_source source)
{
	return sources[source].name;
}
