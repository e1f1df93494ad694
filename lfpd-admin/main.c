/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfpd-admin: ask a running lfpd */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "lfpd-admin/status.h"

static void usage(FILE *out)
{
	fputs("usage: lfpd-admin <--iucv_appname|-i appname> <--status|-s>\n"
	      "  -i, --iucv_appname NAME  the instance\n"
	      "  -s, --status             show its status and its configuration\n"
	      "  -V, --version            print the version\n"
	      "  -h, --help               print this\n",
	      out);
}

static int show_status(const char *name)
{
	char place[LFP_PLACE_MAX], error[256], *answer;
	int rc = lfp_place_lfpd(place, name, "admin");

	if (rc == -EINVAL) {
		lfp_msg("VLFD901E",
			"%s is no name of an instance: 1 to 8 of A to Z, 0 to 9, $ # @ and _.",
			name);
		return LFP_EXIT_USAGE;
	}
	if (!rc)
		rc = lfp_admin_ask(place, "status", &answer);
	if (rc == -ENOENT || rc == -ECONNREFUSED) {
		lfp_msg("VLFD902E", "Instance %s of lfpd is not running.", name);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (rc) {
		lfp_msg("VLFD903E", "Instance %s of lfpd cannot be asked at %s: %s.", name, place,
			lfp_place_strerror(rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (!lfp_admin_value(answer, "error", error, sizeof(error))) {
		lfp_msg("VLFD904E", "Instance %s of lfpd does not answer: %s.", name, error);
		free(answer);
		return LFP_EXIT_UNAVAILABLE;
	}
	status_print(answer, stdout);
	free(answer);
	if (fflush(stdout)) {
		lfp_msg("VLFD905E", "The status cannot be written: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"iucv_appname", required_argument, NULL, 'i'},
		{"status", no_argument, NULL, 's'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *name = NULL;
	bool status = false;
	int c;

	while ((c = getopt_long(argc, argv, "i:sVh", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			name = optarg;
			break;
		case 's':
			status = true;
			break;
		case 'V':
			puts("lfpd-admin " VSELFPD_VERSION);
			return LFP_EXIT_OK;
		case 'h':
			usage(stdout);
			return LFP_EXIT_OK;
		default:
			usage(stderr);
			return LFP_EXIT_USAGE;
		}
	}
	if (optind < argc || !name || !status) {
		if (optind < argc)
			fprintf(stderr, "lfpd-admin: %s is one argument too many\n", argv[optind]);
		else
			fprintf(stderr, "lfpd-admin: %s is missing\n",
				name ? "--status" : "--iucv_appname");
		usage(stderr);
		return LFP_EXIT_USAGE;
	}
	return show_status(name);
}
