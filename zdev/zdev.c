/* SPDX-License-Identifier: Apache-2.0 */
/* zdev.c - the front program of the device emulation, zdev(1) */
#include <stdio.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"
#include "zdev/verb.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;
} verbs[] = {
	{"run", verb_run, "run [-q] SCENARIO"},
	{"trace", verb_trace, "trace [-n RECORDS] SCENARIO"},
	{"report", verb_report, "report [-q] [--format=text|json|csv] SCENARIO [REPORT...]"},
	{"display", verb_display, "display [-t TIME] [COMMAND] SCENARIO"},
	{"check", verb_check,
	 "check [-q] [--analytic] [--format=text|markdown] [--table=FILE] [--measured=FILE] "
	 "[ROW...]"},
	{"plot", verb_plot, "plot FIGURE [-o FILE] [-p FILE]"},
	{"volume", verb_volume, "volume FILE CYLINDERS"},
	{"fctc", verb_fctc, "fctc [-lvx] [-b SIZE] [SECURITY] send|receive SOCKET"},
	{"ipsec", verb_ipsec, "ipsec [--tun=NAME] [OPTIONS] RULES"},
	{"hsi", verb_hsi,
	 "hsi [--frame=BYTES] [--zos-net=PATH] [--linux-net=PATH] [--check] PROFILE LINUX..."},
	{"keyserver", verb_keyserver, "keyserver [-v] ADDRESS FILE | --new NAME..."},
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int usage(void)
{
	for (size_t i = 0; i < VERBS; i++)
		printf("%s zdev %s\n", i ? "      " : "usage:", verbs[i].usage);
	return LFP_EXIT_OK;
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		return lfp_options_wrong("zdev", "no verb given");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return usage();
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		puts("zdev " VSELFPD_VERSION);
		return LFP_EXIT_OK;
	}
	for (size_t i = 0; i < VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	return lfp_options_wrong("zdev", "unknown verb %s", argv[1]);
}

/* For every verb, a failed write of the output is a failure. */
int main(int argc, char **argv)
{
	const int code = run(argc, argv);
	const int rc = code == LFP_EXIT_OK ? run_flush() : 0;

	if (rc < 0)
		lfp_msg("VLFZ022E", "Cannot write the output: %s.", strerror(-rc));
	return rc < 0 ? LFP_EXIT_FAILURE : code;
}
