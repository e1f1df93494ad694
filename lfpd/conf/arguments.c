/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - the command line of lfpd */
#include "lfpd/conf/config.h"

#include <getopt.h>
#include <stdio.h>

#include "lfp/exit.h"

static void usage(FILE *out)
{
	fputs("usage: lfpd [-d] [-n] [-v] [--vmid ID] -f FILE\n"
	      "  -f, --file FILE   configuration file of the instance, lfpd-NAME.conf\n"
	      "  -d, --foreground  stay in the foreground, messages go to standard error\n"
	      "  -n, --check       check the configuration, print the values in force, and end\n"
	      "  -v, --verbose     show also log messages for developers\n"
	      "      --vmid ID     z/VM user id of this side\n"
	      "  -V, --version     print the version\n"
	      "  -h, --help        print this\n",
	      out);
}

int arguments_parse(struct arguments *args, int argc, char **argv)
{
	enum { VMID = 256 };
	static const struct option options[] = {
		{"file", required_argument, NULL, 'f'},  {"foreground", no_argument, NULL, 'd'},
		{"check", no_argument, NULL, 'n'},       {"verbose", no_argument, NULL, 'v'},
		{"vmid", required_argument, NULL, VMID}, {"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "f:dnvVh", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			args->file = optarg;
			break;
		case 'd':
			args->foreground = true;
			break;
		case 'n':
			args->check = true;
			break;
		case 'v':
			args->verbose = true;
			break;
		case VMID:
			args->vmid = optarg;
			break;
		case 'V':
			puts("lfpd " VSELFPD_VERSION);
			return LFP_EXIT_OK;
		case 'h':
			usage(stdout);
			return LFP_EXIT_OK;
		default:
			usage(stderr);
			return LFP_EXIT_USAGE;
		}
	}
	if (optind < argc || !args->file) {
		if (args->file)
			fprintf(stderr, "lfpd: unexpected argument %s\n", argv[optind]);
		else
			fputs("lfpd: no configuration file, name it with -f FILE\n", stderr);
		usage(stderr);
		return LFP_EXIT_USAGE;
	}
	return -1;
}
