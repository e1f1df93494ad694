/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfp-run: start a program whose Internet sockets are those of an LFP instance */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/instance.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "lfp-run/ping.h"
#include "lfp-run/program.h"

#define SHIM         "libvsesock-preload.so"
#define PING_SECONDS 10

/* As shells have them */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

static int usage(FILE *to, int code)
{
	fputs("usage: lfp-run [-i NN] [-v] [--] PROGRAM [ARGUMENT...]\n"
	      "Start PROGRAM with the sockets of LFP instance NN.\n"
	      "  -i NN          the instance, two digits; default LFP$ID, LFP_ID, SYSID, SYSPARM, "
	      "00\n"
	      "  -v             say what is started\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      to);
	return code;
}

/* 0, or the exit code after a message. */
static int check_instance(const char *nn)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, nn, "ctl");

	if (rc < 0) {
		lfp_msg("VLFB701E", "LFP instance %s has no place for its control socket, %s: %s.",
			nn, path, lfp_place_strerror(rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = instance_ping(path, PING_SECONDS);
	if (rc == 0)
		return 0;
	if (rc == -ENOENT || rc == -ECONNREFUSED)
		lfp_msg("VLFB702E", "LFP instance %s is not started: nobody answers at %s.", nn,
			path);
	else if (rc < 0)
		lfp_msg("VLFB703E", "LFP instance %s cannot be asked at %s: %s.", nn, path,
			lfp_place_strerror(rc));
	else if (rc == ENETDOWN)
		lfp_msg("VLFB704E", "LFP instance %s has no path to its lfpd.", nn);
	else
		lfp_msg("VLFB705E", "LFP instance %s is not ready: %s.", nn, strerror(rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* The shim: in ../lib of the directory that lfp-run is in, else where it is installed. */
static int find_shim(char path[static PATH_MAX])
{
	char exe[PATH_MAX], beside[PATH_MAX + sizeof("/../lib/" SHIM)];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n > 0) {
		exe[n] = '\0';
		slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
		snprintf(beside, sizeof(beside), "%s/../lib/" SHIM, exe);
		if (realpath(beside, path))
			return 0;
	}
	return realpath(VSELFPD_LIBDIR "/" SHIM, path) ? 0 : -errno;
}

static int check_program(char path[static PATH_MAX], const char *name)
{
	char at_fault[PATH_MAX];
	int rc = program_find(path, name);

	if (rc == -ENOENT || rc == -ENOTDIR) {
		lfp_msg("VLFB710E", "Program %s is not found.", name);
		return EXIT_NOT_FOUND;
	}
	if (rc < 0) {
		lfp_msg("VLFB711E", "Program %s cannot be executed: %s.", name, strerror(-rc));
		return EXIT_NOT_EXECUTABLE;
	}
	snprintf(at_fault, sizeof(at_fault), "%s", path);
	switch (program_judge(at_fault)) {
	case PROGRAM_FINE:
		return 0;
	case PROGRAM_STATIC:
		lfp_msg("VLFB712E", "%s is linked statically: it would not use LFP.", at_fault);
		break;
	case PROGRAM_SETID:
		lfp_msg("VLFB713E", "%s changes its user or group: it would not use LFP.",
			at_fault);
		break;
	case PROGRAM_CAPABLE:
		lfp_msg("VLFB714E", "%s has file capabilities: it would not use LFP.", at_fault);
		break;
	case PROGRAM_FOREIGN:
		lfp_msg("VLFB715E",
			"%s is for another machine or C library than " SHIM
			": it would not use LFP.",
			at_fault);
		break;
	}
	return LFP_EXIT_UNAVAILABLE;
}

/* Put the shim before what is preloaded already. */
static int set_preload(const char *shim)
{
	const char *old = getenv("LD_PRELOAD");
	size_t len = strlen(shim);
	char *value;
	int rc;

	if (!old || !*old)
		return setenv("LD_PRELOAD", shim, 1) < 0 ? -errno : 0;
	if (strncmp(old, shim, len) == 0 && (!old[len] || old[len] == ':' || old[len] == ' '))
		return 0;
	if (asprintf(&value, "%s:%s", shim, old) < 0)
		return -ENOMEM;
	rc = setenv("LD_PRELOAD", value, 1) < 0 ? -errno : 0;
	free(value);
	return rc;
}

/* The program's children find the same instance, whoever they are by then. */
static int set_places(const char *nn)
{
	const char *root = lfp_root();
	char run[LFP_PLACE_MAX];
	int rc;

	if (unsetenv("LFP$ID") < 0 || setenv("LFP_ID", nn, 1) < 0)
		return -errno;
	if (strcmp(root, "-") != 0)
		return setenv("LFP_ROOT", *root ? root : "/", 1) < 0 ? -errno : 0;
	rc = lfp_place_run_dir(run);
	if (rc < 0)
		return rc;
	return unsetenv("LFP_ROOT") < 0 || setenv("LFP_RUN", run, 1) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	char shim[PATH_MAX], path[PATH_MAX];
	static const struct option longs[] = {
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *nn = NULL;
	bool verbose = false;
	char id[3];
	int opt, rc;

	while ((opt = getopt_long(argc, argv, "+i:vVh", longs, NULL)) != -1) {
		switch (opt) {
		case 'i':
			nn = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		case 'V':
			puts("lfp-run " VSELFPD_VERSION);
			return LFP_EXIT_OK;
		case 'h':
			return usage(stdout, LFP_EXIT_OK);
		default:
			return usage(stderr, LFP_EXIT_USAGE);
		}
	}
	if (optind >= argc) {
		fputs("lfp-run: the program is missing\n", stderr);
		return usage(stderr, LFP_EXIT_USAGE);
	}
	lfp_log_set_info(verbose);

	if (!nn)
		nn = lfp_instance();
	if (lfp_check_nn(nn) < 0) {
		lfp_msg("VLFB700E", "An LFP instance is two digits, not \"%s\".", nn);
		return LFP_EXIT_USAGE;
	}
	memcpy(id, nn, sizeof(id)); /* the environment is going to change */

	rc = check_program(path, argv[optind]);
	if (rc)
		return rc;
	rc = find_shim(shim);
	if (rc < 0) {
		lfp_msg("VLFB706E",
			SHIM " is neither in ../lib beside lfp-run nor in " VSELFPD_LIBDIR ": %s.",
			strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (strpbrk(shim, ": ")) {
		lfp_msg("VLFB707E", "%s cannot be preloaded: a blank or colon in its path ends it.",
			shim);
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = check_instance(id);
	if (rc)
		return rc;
	rc = set_preload(shim);
	if (!rc)
		rc = set_places(id);
	if (rc < 0) {
		lfp_msg("VLFB708E", "The environment of %s cannot be set: %s.", path,
			strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	lfp_msg("VLFB709I", "Starting %s on LFP instance %s with %s.", path, id, shim);
	execvp(path, argv + optind);
	rc = errno;
	lfp_msg("VLFB716E", "Program %s cannot be started: %s.", path, strerror(rc));
	return rc == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
