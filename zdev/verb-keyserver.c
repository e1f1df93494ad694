/* SPDX-License-Identifier: Apache-2.0 */
/* verb-keyserver.c - zdev keyserver: a key server for ends with endpoint security */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "devemu/fces/key-client.h"
#include "devemu/fces/key-server.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

static int usage(void)
{
	fputs("usage: zdev keyserver [-v] ADDRESS FILE\n"
	      "       zdev keyserver --new NAME...\n"
	      "ADDRESS is HOST:PORT, [IPV6]:PORT or the path of a socket; FILE has ends and "
	      "shares\n",
	      stderr);
	return LFP_EXIT_USAGE;
}

/* Prints lines for the file: each end with a secret of its own. */
static int new_ends(char *const *names)
{
	for (char *const *name = names; *name; name++)
		if (!key_name_ok(*name)) {
			fprintf(stderr,
				"zdev: '%s' is not a name: 1 to %d letters, digits, '.', '_' and "
				"'-'\n",
				*name, FCES_NAME - 1);
			return LFP_EXIT_USAGE;
		}
	for (; *names; names++) {
		uint8_t secret[FCES_KEY];

		if (RAND_bytes(secret, sizeof(secret)) != 1) {
			lfp_msg("VLFZ034E", "Cannot get random numbers for the secret of %s.",
				*names);
			return LFP_EXIT_FAILURE;
		}
		printf("end %s ", *names);
		for (size_t i = 0; i < sizeof(secret); i++)
			printf("%02x", secret[i]);
		putchar('\n');
	}
	if (fflush(stdout) == EOF) {
		lfp_msg("VLFZ035E", "Cannot write the secrets: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

struct watch {
	bool verbose;
	double told;   /* time of the last message about a closed connection */
	uint64_t more; /* connections closed since then */
};

static void on_event(void *context, enum key_server_event event, const char *name, const char *peer,
		     const char *why)
{
	struct watch *watch = context;

	switch (event) {
	case KEY_SERVED:
		if (watch->verbose)
			lfp_msg("VLFZ031I", "%s got the key that it shares with %s.", name, peer);
		break;
	case KEY_REFUSED:
		lfp_msg("VLFZ032W", "%s gets no key for %s: %s.", name, peer, why);
		break;
	case KEY_CLOSED:
		/* Any client can connect, so limit this to one message a second. */
		watch->more++;
		if (run_wall() - watch->told < 1)
			break;
		lfp_msg("VLFZ033W",
			"Closed a connection of %s: %s (%" PRIu64 " since the last such "
			"message).",
			*name ? name : "an unknown client", why, watch->more);
		watch->told = run_wall();
		watch->more = 0;
		break;
	}
}

/* Serves until SIGTERM or SIGINT. SIGHUP makes new keys. */
static int serve(struct key_server *server, int signals)
{
	for (;;) {
		struct signalfd_siginfo info;
		int rc = key_server_turn(server, -1, signals);

		if (rc == 1 && read(signals, &info, sizeof(info)) == sizeof(info)) {
			if (info.ssi_signo != SIGHUP) {
				lfp_msg("VLFZ036I", "The key server ends.");
				return LFP_EXIT_OK;
			}
			rc = key_server_renew(server);
			if (rc == 0)
				lfp_msg("VLFZ037I", "All keys that are not in the file are new.");
		}
		if (rc < 0) {
			lfp_msg("VLFZ038E", "The key server cannot continue: %s.", strerror(-rc));
			return LFP_EXIT_FAILURE;
		}
	}
}

static int listen_on(const char *text, int *listener)
{
	struct key_address address;
	int rc = key_address_parse(&address, text);

	if (rc == -EINVAL) {
		fprintf(stderr,
			"zdev: '%s' is neither HOST:PORT, [IPV6]:PORT nor the path of a socket\n",
			text);
		return LFP_EXIT_USAGE;
	}
	if (rc == 0) {
		*listener = key_address_listen(&address);
		rc = *listener < 0 ? *listener : 0;
	}
	if (rc == 0)
		return LFP_EXIT_OK;
	lfp_msg("VLFZ039E", "The key server cannot listen on %s: %s.", text, strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* Removes the server's socket. @was: its identity at its creation. Another socket in its place
 * belongs to another server. */
static void remove_socket(const char *text, const struct stat *was)
{
	struct stat st;

	if (S_ISSOCK(was->st_mode) && lstat(text, &st) == 0 && st.st_dev == was->st_dev &&
	    st.st_ino == was->st_ino)
		unlink(text);
}

static int run(const char *text, const struct key_file *keys, bool verbose)
{
	struct watch watch = {.verbose = verbose, .told = -1};
	char address[KEY_ADDRESS_TEXT];
	struct key_server *server;
	int listener, signals, rc;
	struct stat was = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	rc = listen_on(text, &listener);
	if (rc)
		return rc;
	if (*text == '/' && lstat(text, &was) < 0)
		was.st_mode = 0;
	key_address_of(listener, address);
	signals = sigprocmask(SIG_BLOCK, &set, NULL) < 0
			  ? -1
			  : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	server = signals < 0 ? NULL : key_server_create(keys, listener, 0);
	if (server) {
		key_server_watch(server, on_event, &watch);
		lfp_msg("VLFZ030I", "The key server listens on %s, for %zu ends.", address,
			keys->ends);
		rc = serve(server, signals);
		key_server_destroy(server);
	} else {
		lfp_msg("VLFZ038E", "The key server cannot continue: %s.", strerror(errno));
		rc = LFP_EXIT_FAILURE;
		if (signals < 0)
			close(listener);
	}
	remove_socket(text, &was);
	if (signals >= 0)
		close(signals);
	return rc;
}

int verb_keyserver(int argc, char **argv)
{
	static const struct option options[] = {
		{"new", no_argument, NULL, 'n'},
		{NULL, 0, NULL, 0},
	};
	bool verbose = false, new = false;
	struct lfp_reader_error err;
	struct key_file keys;
	int option, rc;

	optind = 1;
	while ((option = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		if (option == 'v')
			verbose = true;
		else if (option == 'n')
			new = true;
		else
			return usage();
	}
	if (new)
		return optind < argc ? new_ends(argv + optind) : usage();
	if (argc - optind != 2)
		return usage();
	rc = key_file_load(&keys, argv[optind + 1], &err);
	if (rc < 0) {
		lfp_msg("VLFZ017E", "%s", err.text);
		return rc == -EINVAL || rc == -EPERM ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
	}
	if (!keys.shares) {
		lfp_msg("VLFZ016E", "%s: no two ends share a key ('share' is missing).",
			argv[optind + 1]);
		key_file_finish(&keys);
		return LFP_EXIT_CONFIG;
	}
	rc = run(argv[optind], &keys, verbose);
	key_file_finish(&keys);
	return rc;
}
