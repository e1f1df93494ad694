/* SPDX-License-Identifier: Apache-2.0 */
/* verb-ipsec.c - zdev ipsec: packets of a TUN interface through ESP and AH, on processors */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "devemu/ipsec/profile.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "lfp/options.h"
#include "zdev/ipsec.h"
#include "zdev/verb.h"

struct arguments {
	const char *tun, *mtu, *mark, *cps, *ziips, *share, *help, *tcpip, *opt, *ports, *rules;
};

static void print_usage(FILE *out)
{
	fputs("usage: zdev ipsec [--tun=NAME] [--mtu=BYTES] [--mark=N] [--cps=N] [--ziips=N]\n"
	      "                  [--share=PERCENT] [--help-after=US] [--tcpip=PROFILE] [--opt=MEMBER]\n"
	      "                  [--ziip-ports=FIRST-LAST] RULES\n",
	      out);
}

static int number(const char *text, const char *what, unsigned long min, unsigned long max,
		  unsigned long value, unsigned long *to)
{
	*to = value;
	if (!text || lfp_number(text, min, max, to) == 0)
		return 0;
	fprintf(stderr, "zdev: '%s' is not %s from %lu to %lu\n", text, what, min, max);
	return -EINVAL;
}

static int ports(const char *text, struct flow_config *flow)
{
	unsigned long first, last;
	char copy[16], *dash;

	if (!text)
		return 0;
	snprintf(copy, sizeof(copy), "%s", text);
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (strlen(text) >= sizeof(copy) || lfp_number(copy, 1, UINT16_MAX, &first) < 0 ||
	    lfp_number(dash ? dash + 1 : copy, first, UINT16_MAX, &last) < 0) {
		fprintf(stderr, "zdev: '%s' is not a port or FIRST-LAST\n", text);
		return -EINVAL;
	}
	flow->port[flow->ports++] = (struct policy_ports){(uint16_t)first, (uint16_t)last};
	return 0;
}

static int engines(const struct arguments *given, struct ipsec_run *run)
{
	struct pool_config *config = &run->pool_config;
	unsigned long cps, ziips, share, help;

	if (number(given->cps, "a number of CPs", 1, 8, 1, &cps) < 0 ||
	    number(given->ziips, "a number of zIIPs", 0, 8, 0, &ziips) < 0 ||
	    number(given->share, "a percentage", 1, 100, 100, &share) < 0 ||
	    number(given->help, "microseconds", 0, 1000000, POOL_HELP_US, &help) < 0)
		return -EINVAL;
	run->other = 1;
	*config = (struct pool_config){
		.engines = (unsigned int)(cps + ziips),
		.classes = 2,
		/* z/OS runs TCP/IP in SYSSTC, above all importances. */
		.class = {{"IPSECCL", 3}, {"SYSSTC", 0}},
		.help_us = (unsigned int)help,
	};
	for (unsigned int i = 0; i < config->engines; i++)
		config->engine[i] =
			(struct engine_config){.kind = i < cps ? ENGINE_CP : ENGINE_ZIIP,
					       .cpu = -1,
					       .share = (unsigned int)share};
	return 0;
}

static int read_switches(const char *path, struct switches *switches,
			 int (*read)(struct switches *switches, const char *name, FILE *file,
				     struct lfp_reader_error *err))
{
	struct lfp_reader_error err;
	FILE *file;
	int rc;

	if (!path)
		return LFP_EXIT_OK;
	file = fopen(path, "re");
	if (!file) {
		lfp_msg("VLFZ050E", "Cannot open file %s: %s.", path, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = read(switches, path, file, &err);
	fclose(file);
	if (rc < 0)
		lfp_msg("VLFZ051E", "%s", err.text);
	return rc < 0 ? LFP_EXIT_CONFIG : LFP_EXIT_OK;
}

static int read_files(const struct arguments *given, struct ipsec_run *run)
{
	struct lfp_reader_error err;
	int rc = read_switches(given->tcpip, &run->switches, switches_read_profile);

	if (rc == LFP_EXIT_OK)
		rc = read_switches(given->opt, &run->switches, switches_read_opt);
	if (rc != LFP_EXIT_OK)
		return rc;
	rc = profile_load(&run->policy, given->rules, &err);
	if (rc == 0)
		return LFP_EXIT_OK;
	if (rc == -ENOMEM)
		snprintf(err.text, sizeof(err.text), "%s: out of memory", given->rules);
	lfp_msg("VLFZ052E", "%s", err.text);
	return rc == -EINVAL || rc == -EPERM ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
}

/* Reads what is on standard input; complete lines are commands. Returns 1, 0 for STOP, or -EPIPE at
 * the end of the file. */
static int read_commands(struct ipsec_run *run, char *line, size_t *used)
{
	char byte, why[120];
	int rc = 1;
	const ssize_t got = read(STDIN_FILENO, &byte, 1);

	if (got <= 0)
		return got < 0 && errno == EINTR ? 1 : -EPIPE;
	if (byte != '\n') {
		/* A line that is too long is refused as a whole. */
		if (*used < IPSEC_COMMAND)
			line[(*used)++] = byte;
		return 1;
	}
	line[*used] = '\0';
	*used = 0;
	rc = ipsec_command(run, line, stdout, why);
	fflush(stdout);
	if (rc < 0)
		lfp_msg("VLFZ054E", "%s.", why);
	return rc < 0 ? 1 : rc;
}

static void serve(struct ipsec_run *run, int signals)
{
	struct pollfd pfd[2] = {{.fd = signals, .events = POLLIN},
				{.fd = STDIN_FILENO, .events = POLLIN}};
	char line[IPSEC_COMMAND + 1];
	size_t used = 0;

	for (;;) {
		if (poll(pfd, 2, -1) < 0)
			continue;
		if (pfd[0].revents)
			return;
		if (pfd[1].revents) {
			const int rc = read_commands(run, line, &used);

			if (rc == 0)
				return;
			/* Without standard input, a signal ends it. */
			if (rc < 0)
				pfd[1].fd = -1;
		}
	}
}

static int run_path(struct ipsec_run *run, const struct ipsec_path_config *config, const char *tun,
		    int signals)
{
	run->pool_config.honor_priority = run->switches.honor_priority;
	run->pool = pool_create(&run->pool_config);
	if (run->pool) {
		struct ipsec_path_config with_pool = *config;

		with_pool.pool = run->pool;
		run->path = ipsec_path_create(&with_pool);
	}
	if (!run->path) {
		lfp_msg("VLFZ055E", "Cannot start the processors: %s.", strerror(errno));
		pool_destroy(run->pool);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (run->switches.ziip_ipsecurity && !run->switches.project_cpu &&
	    !pool_online(run->pool, ENGINE_ZIIP))
		lfp_msg("VLFZ057W",
			"GLOBALCONFIG ZIIP IPSECURITY is coded, but there is no zIIP, and PROJECTCPU=NO.");
	pool_read(run->pool, &run->begin);
	lfp_msg("VLFZ056I", "%u CPs and %u zIIPs protect the packets of interface %s.",
		pool_online(run->pool, ENGINE_CP), pool_online(run->pool, ENGINE_ZIIP), tun);
	serve(run, signals);
	ipsec_path_destroy(run->path);
	pool_destroy(run->pool);
	return LFP_EXIT_OK;
}

static int start(struct ipsec_run *run, const struct netdev_config *device,
		 const struct flow_config *flow)
{
	struct ipsec_path_config config = {.policy = run->policy,
					   .device = &run->device,
					   .class = run->class,
					   .other = run->other,
					   .flow = *flow};
	struct netdev_error error;
	sigset_t set;
	int rc, signals;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	/* Before the threads begin, which inherit the mask. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of answers that has gone does not end the path. */
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	rc = netdev_open(&run->device, device, run->policy, &error);
	if (rc < 0 || signals < 0) {
		lfp_msg("VLFZ053E", "Cannot open %s: %s.", rc < 0 ? error.what : "signals",
			strerror(rc < 0 ? -rc : errno));
		rc = LFP_EXIT_UNAVAILABLE;
	} else {
		config.flow.ziip = run->switches.ziip_ipsecurity;
		rc = run_path(run, &config, device->tun, signals);
		netdev_close(&run->device);
	}
	if (signals >= 0)
		close(signals);
	return rc;
}

int verb_ipsec(int argc, char **argv)
{
	struct arguments given = {.tun = "zipsec0"};
	const struct lfp_option table[] = {
		{"tun", 0, NULL, &given.tun, NULL},
		{"mtu", 0, NULL, &given.mtu, NULL},
		{"mark", 0, NULL, &given.mark, NULL},
		{"cps", 0, NULL, &given.cps, NULL},
		{"ziips", 0, NULL, &given.ziips, NULL},
		{"share", 0, NULL, &given.share, NULL},
		{"help-after", 0, NULL, &given.help, NULL},
		{"tcpip", 0, NULL, &given.tcpip, NULL},
		{"opt", 0, NULL, &given.opt, NULL},
		{"ziip-ports", 0, NULL, &given.ports, NULL},
	};
	const struct lfp_options options = {
		.usage = print_usage, .table = table, .nr = sizeof(table) / sizeof(table[0])};
	struct flow_config flow = {0};
	struct ipsec_run run = {0};
	unsigned long mtu, mark;
	int rc;

	if (lfp_options_read(&options, argc, argv) >= 0)
		return LFP_EXIT_USAGE;
	if (argc - optind != 1) {
		print_usage(stderr);
		return LFP_EXIT_USAGE;
	}
	given.rules = argv[optind];
	switches_init(&run.switches);
	if (number(given.mtu, "an MTU", 576, IP_PACKET_MAX, 1400, &mtu) < 0 ||
	    number(given.mark, "a mark", 0, UINT32_MAX, 0, &mark) < 0 ||
	    ports(given.ports, &flow) < 0 || engines(&given, &run) < 0)
		return LFP_EXIT_USAGE;
	rc = read_files(&given, &run);
	if (rc == LFP_EXIT_OK)
		rc = start(
			&run,
			&(struct netdev_config){given.tun, (unsigned int)mtu, (unsigned int)mark},
			&flow);
	policy_destroy(run.policy);
	return rc;
}
