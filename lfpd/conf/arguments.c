/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - the command line of lfpd */
#include "lfpd/conf/config.h"

#include <getopt.h>
#include <stdio.h>

#include "lfp/options.h"

static void usage(FILE *out)
{
	fputs("usage: lfpd [-d] [-n] [-v] [--vmid ID] -f FILE\n"
	      "       lfpd -n {-f FILE | --rules FILE} [CALL...]\n"
	      "  -f, --file FILE   configuration file of the instance, lfpd-NAME.conf\n"
	      "  -d, --foreground  stay in the foreground, messages go to standard error\n"
	      "  -n, --check       check the configuration, print the values in force, and end\n"
	      "      --rules FILE  with -n: check a file of rules alone\n"
	      "  -v, --verbose     show also log messages for developers\n"
	      "      --vmid ID     z/VM user id of this side\n"
	      "  -V, --version     print the version\n"
	      "  -h, --help        print this\n"
	      "CALL: connect|listen|bind|lookup [tcp|udp] PEER[:PORT] [user USER] ... [at ADDRESS];\n"
	      "with -n: print what the rules would decide about it\n",
	      out);
}

int arguments_parse(struct arguments *args, int argc, char **argv)
{
	const struct lfp_option table[] = {
		{"file", 'f', NULL, &args->file, NULL},
		{"foreground", 'd', &args->foreground, NULL, NULL},
		{"check", 'n', &args->check, NULL, NULL},
		{"verbose", 'v', &args->verbose, NULL, NULL},
		{"rules", 0, NULL, &args->rules, NULL},
		{"vmid", 0, NULL, &args->vmid, NULL},
	};
	const struct lfp_options options = {
		.program = "lfpd",
		.usage = usage,
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.operands_end = true,
	};
	int code = lfp_options_read(&options, argc, argv);

	if (code >= 0)
		return code;
	if (args->rules && (!args->check || args->file))
		return lfp_options_wrong("lfpd", "--rules works only with -n, and without -f");
	if (!args->file && !args->rules)
		return lfp_options_wrong("lfpd", "no configuration file, name it with -f FILE");
	if (args->check && optind < argc)
		args->call = argv + optind;
	else if (optind < argc)
		return lfp_options_wrong("lfpd", "unexpected argument %s", argv[optind]);
	return -1;
}
