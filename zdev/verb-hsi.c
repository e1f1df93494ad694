/* SPDX-License-Identifier: Apache-2.0 */
/* verb-hsi.c - zdev hsi: HiperSockets as an IP network device between two network namespaces */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "devemu/hipersockets/address.h"
#include "devemu/qdio/qdio.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "lfp/options.h"
#include "zdev/hsi.h"
#include "zdev/verb.h"

struct arguments {
	const char *frame, *zos, *side;
	bool check;
};

static void print_usage(FILE *out)
{
	fputs("usage: zdev hsi [--frame=BYTES] [--zos-net=PATH] [--linux-net=PATH] [--check]\n"
	      "                PROFILE LINUX...\n",
	      out);
}

static int profile_into(void *to, const char *path, FILE *file, struct lfp_reader_error *err)
{
	return tcpip_profile_read(to, path, file, err);
}

static int linux_into(void *to, const char *path, FILE *file, struct lfp_reader_error *err)
{
	return linux_side_read(to, path, file, err);
}

/* Reads a file into @to. Returns the exit code after a message. */
static int read_definitions(const char *path, void *to,
			    int (*read)(void *to, const char *path, FILE *file,
					struct lfp_reader_error *err))
{
	struct lfp_reader_error err;
	FILE *file = fopen(path, "re");
	int rc;

	if (!file) {
		lfp_msg("VLFZ060E", "Cannot open definitions %s: %s.", path, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = read(to, path, file, &err);
	fclose(file);
	if (rc < 0)
		lfp_msg("VLFZ061E", "%s.", err.text);
	return rc == -EIO ? LFP_EXIT_UNAVAILABLE : rc < 0 ? LFP_EXIT_CONFIG : LFP_EXIT_OK;
}

static void warn(void *context, const char *text)
{
	(void)context;
	lfp_msg("VLFZ063W", "%s.", text);
}

static int find_pair(struct hsi_pair *pair, const struct tcpip_profile *profile,
		     const struct linux_side *side, unsigned long frame)
{
	char why[PAIR_WHY];

	if (pair_find(pair, profile, side, (uint32_t)frame, why) < 0) {
		lfp_msg("VLFZ062E", "The definitions make no network: %s.", why);
		return LFP_EXIT_CONFIG;
	}
	pair_warn(pair, warn, NULL);
	return LFP_EXIT_OK;
}

/* Writes an answer. Returns 1, or 0 if a signal comes while nobody reads it. */
static int write_answer(const char *text, size_t len, int signals)
{
	struct pollfd pfd[] = {{.fd = signals, .events = POLLIN},
			       {.fd = STDOUT_FILENO, .events = POLLOUT}};

	while (len) {
		ssize_t put;

		if (poll(pfd, 2, -1) < 0)
			continue;
		if (pfd[0].revents)
			return 0;
		/* A pipe that is ready has room for so much. */
		put = write(STDOUT_FILENO, text, len < PIPE_BUF ? len : PIPE_BUF);
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return 1; /* its reader has gone */
		text += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
	return 1;
}

/* Does a command, and writes its answer. Returns 1, or 0 if that was the last one. */
static int run_command(const struct hsi_run *run, const char *line, int signals)
{
	char *text = NULL, why[HSI_WHY] = "there is no memory for the answer";
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc = out ? hsi_command(run, line, out, why) : -ENOMEM;

	if (out && fclose(out))
		rc = -ENOMEM;
	if (rc < 0)
		lfp_msg("VLFZ066E", "%s.", why);
	if (rc > 0)
		rc = write_answer(text, len, signals);
	free(text);
	return rc < 0 ? 1 : rc;
}

/* Reads a part of standard input; complete lines are commands. Returns 1, 0 for STOP or a signal,
 * or -EPIPE at the end of the file. */
static int read_commands(const struct hsi_run *run, int signals, char line[HSI_COMMAND + 1],
			 size_t *used)
{
	char bytes[512];
	const ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));
	int rc = 1;

	if (got <= 0)
		return got < 0 && (errno == EINTR || errno == EAGAIN) ? 1 : -EPIPE;
	for (ssize_t i = 0; rc > 0 && i < got; i++) {
		if (bytes[i] != '\n') {
			/* A line that is too long is refused as a whole. */
			if (*used < HSI_COMMAND)
				line[(*used)++] = bytes[i] ? bytes[i] : '?';
			continue;
		}
		line[*used] = '\0';
		*used = 0;
		rc = run_command(run, line, signals);
	}
	return rc;
}

static int serve(const struct hsi_run *run, int signals)
{
	struct pollfd pfd[] = {{.fd = signals, .events = POLLIN},
			       {.fd = lan_watch(run->lan), .events = POLLIN},
			       {.fd = STDIN_FILENO, .events = POLLIN}};
	char line[HSI_COMMAND + 1];
	size_t used = 0;

	for (;;) {
		if (poll(pfd, 3, -1) < 0)
			continue;
		if (pfd[0].revents)
			return LFP_EXIT_OK;
		if (pfd[1].revents) {
			lfp_msg("VLFZ067E", "The network has failed: %s.",
				strerror(-lan_failure(run->lan)));
			return LFP_EXIT_FAILURE;
		}
		if (pfd[2].revents) {
			const int rc = read_commands(run, signals, line, &used);

			if (rc == 0)
				return LFP_EXIT_OK;
			/* Without standard input, a signal ends it. */
			if (rc < 0)
				pfd[2].fd = -1;
		}
	}
}

static const char *remedy(int rc)
{
	return rc == -EPERM ? ". Root is needed, or unshare --map-root-user" : "";
}

static int run_network(struct hsi_run *run, const struct lan_config *config, int signals)
{
	const struct hsi_pair *pair = &run->pair;
	char zos[ADDRESS_TEXT], side[ADDRESS_TEXT];
	struct tun_error error;
	int rc = lan_create(&run->lan, config, &error);

	if (rc < 0) {
		lfp_msg("VLFZ064E", "Cannot set up %s: %s%s.", error.what, strerror(-rc),
			remedy(rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	lfp_msg("VLFZ065I",
		"HiperSockets joins link %s (%s) in the network namespace /proc/%d/task/%d/ns/net "
		"and interface %s (%s) in /proc/%d/task/%d/ns/net; the largest MTU is %u.",
		pair->link->name, address_text(pair->home->address, zos), getpid(),
		lan_thread(run->lan, LAN_ZOS), pair->interface->name,
		address_text(pair->interface->address.value, side), getpid(),
		lan_thread(run->lan, LAN_LINUX), pair->mtu);
	rc = serve(run, signals);
	lan_destroy(run->lan);
	return rc;
}

static int start(struct hsi_run *run, const struct arguments *given)
{
	const struct lan_config config = {.pair = &run->pair,
					  .namespace = {given->zos, given->side}};
	sigset_t set;
	int rc, signals;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	/* Before the threads begin, which inherit the mask. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of answers that has gone does not end the network. */
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0) {
		lfp_msg("VLFZ064E", "Cannot set up %s: %s%s.", "a descriptor of signals",
			strerror(errno), "");
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = run_network(run, &config, signals);
	close(signals);
	return rc;
}

int verb_hsi(int argc, char **argv)
{
	struct arguments given = {0};
	const struct lfp_option table[] = {
		{"frame", 0, NULL, &given.frame, NULL},
		{"zos-net", 0, NULL, &given.zos, NULL},
		{"linux-net", 0, NULL, &given.side, NULL},
		{"check", 0, &given.check, NULL, NULL},
	};
	const struct lfp_options options = {
		.usage = print_usage, .table = table, .nr = sizeof(table) / sizeof(table[0])};
	static struct tcpip_profile profile;
	static struct linux_side side;
	struct hsi_run run = {0};
	unsigned long frame = 65536;
	int rc;

	if (lfp_options_read(&options, argc, argv) >= 0)
		return LFP_EXIT_USAGE;
	if (argc - optind < 2) {
		print_usage(stderr);
		return LFP_EXIT_USAGE;
	}
	if (given.frame &&
	    (lfp_size(given.frame, 0, 65536, &frame) < 0 || !qdio_mtu((uint32_t)frame))) {
		fprintf(stderr, "zdev: '%s' is not a frame of HiperSockets: 16K, 24K, 40K or 64K\n",
			given.frame);
		return LFP_EXIT_USAGE;
	}
	rc = read_definitions(argv[optind], &profile, profile_into);
	for (int i = optind + 1; rc == LFP_EXIT_OK && i < argc; i++)
		rc = read_definitions(argv[i], &side, linux_into);
	if (rc == LFP_EXIT_OK)
		rc = find_pair(&run.pair, &profile, &side, frame);
	return rc != LFP_EXIT_OK || given.check ? rc : start(&run, &given);
}
