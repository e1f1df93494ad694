/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfp-run: start a program whose Internet sockets are those of an LFP instance */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/elsewhere.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"
#include "lfp/places.h"
#include "lfp-run/choose.h"
#include "lfp-run/environment.h"
#include "lfp-run/namespace.h"
#include "lfp-run/partition.h"
#include "lfp-run/plan.h"
#include "lfp-run/unix-door.h"
#include "lfp-run/waiter.h"

#define PING_SECONDS 10
/* lfpd may be restarting. */
#define PATH_TRIES    20
#define PATH_PAUSE_MS 50

static void usage(FILE *to)
{
	fputs("usage: lfp-run [-i NN | --private] [-n] [--mode=MODE] [--strict-eof] [-v] [--]\n"
	      "               PROGRAM [ARGUMENT...]\n"
	      "Start PROGRAM with the sockets of LFP instance NN, or of one for PROGRAM alone.\n"
	      "  --private      an instance for PROGRAM alone, with this host's sockets; PROGRAM runs\n"
	      "                 in an empty network namespace\n"
	      "  -i NN          the instance, two digits; default LFP$ID, LFP_ID, SYSID, SYSPARM, "
	      "00,\n"
	      "                 or the only one that is running\n"
	      "  -n             run PROGRAM in an empty network namespace\n"
	      "  --no-userns    with -n or --private: make no user namespace\n"
	      "  --keep-net     with --private: stay in this network namespace\n"
	      "  --allow RULE   with --private: allow RULE, and deny all else; RULE is a peer, such as\n"
	      "                 *.example.org:443, or a rule\n"
	      "  --deny RULE    with --private: deny RULE\n"
	      "  --upstream URL with --private: go through the proxy at socks5://HOST[:PORT],\n"
	      "                 socks5h://HOST[:PORT] or http://HOST[:PORT]\n"
	      "  --credentials FILE\n"
	      "                 with --upstream: the file has USER:PASSWORD for the proxy\n"
	      "  --rules FILE   with --private: use the rules in FILE, see lfpd-policy(5)\n"
	      "  --publish [ADDR:]PORT[:PORT]\n"
	      "                 with --private: what the program binds to the last PORT is at ADDR and\n"
	      "                 the first PORT of this host; ranges are possible\n"
	      "  --log FILE     with --private: add a line of JSON to FILE for each call; - is standard\n"
	      "                 error\n"
	      "  --summary      with --private: print at the end what the program has reached\n"
	      "  --no-unix      close UNIX sockets with a path, but LFP's; implies --mode=seccomp\n"
	      "  --unix PATH    with --no-unix: leave this socket open\n"
	      "  --resolve WHO  names are looked up by lfpd, as on its host (the default), or by\n"
	      "                 program: PROGRAM's C library with its own files and name servers\n"
	      "  --mode=MODE    preload: a library; seccomp: a supervisor, for static programs "
	      "too;\n"
	      "                 both: the library, and the supervisor for calls that bypass it;\n"
	      "                 default both where the kernel can, else preload\n"
	      "  --strict-eof   refuse a supervisor that cannot show the reset of a connection to\n"
	      "                 programs without the library\n"
	      "  -v             show the program that is started\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      to);
}

static bool runs_elsewhere(const char *nn)
{
	char file[sizeof("vselfp/NN/ctl")];

	snprintf(file, sizeof(file), "vselfp/%.2s/ctl", nn);
	return lfp_elsewhere(file, SOCK_SEQPACKET);
}

/* Returns 0, or the exit code after a message. */
static int check_instance(const char *nn)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, nn, "ctl");

	if (mux_stack_place(nn)) /* it was just started */
		return 0;

	if (rc < 0) {
		lfp_msg("VLFB701E",
			"The path of the control socket of LFP instance %s, %s, is invalid: %s.",
			nn, path, lfp_place_strerror(rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	for (int tries = 0;
	     (rc = instance_ping(path, PING_SECONDS)) == ENETDOWN && tries < PATH_TRIES; tries++)
		(void)poll(NULL, 0, PATH_PAUSE_MS);
	if (rc == 0)
		return 0;
	if (rc == -ENOENT || rc == -ECONNREFUSED)
		lfp_msg("VLFB702E", "LFP instance %s is not started: no answer at %s.%s", nn, path,
			runs_elsewhere(nn) ? LFP_ELSEWHERE_HINT : "");
	else if (rc < 0)
		lfp_msg("VLFB703E", "Cannot ask LFP instance %s at %s: %s.", nn, path,
			lfp_place_strerror(rc));
	else if (rc == ENETDOWN)
		lfp_msg("VLFB704E", "LFP instance %s has no path to its lfpd.", nn);
	else if (rc == ESHUTDOWN)
		lfp_msg("VLFB725E", "LFP instance %s is being stopped, and starts no new tasks.",
			nn);
	else
		lfp_msg("VLFB705E", "LFP instance %s is not ready: %s.", nn, strerror(rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* Becomes the program. */
static int execute(const char *path, char **argv)
{
	int rc;

	execvp(path, argv);
	rc = errno;
	lfp_msg("VLFB716E", "Program %s cannot be started: %s.", path, strerror(rc));
	return rc == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The program's own calls go to this machine's kernel. Its calls of z/VSE's interfaces, if it has
 * any, find the partition's stack. */
static int start_on_host(const struct mux_lec *lec, char **argv)
{
	char why[PATH_MAX];
	int rc = environment_no_preload();

	if (!rc)
		rc = environment_places(lec->sysid);
	if (rc) {
		lfp_msg("VLFB708E", "Cannot set the environment of %s: %s.", *argv, strerror(-rc));
		return LFP_EXIT_UNAVAILABLE;
	}
	if (partition_start(lec->sysid, MUX_STACK_HOST, why))
		lfp_msg("VLFB732W",
			"z/VSE's socket interfaces are unavailable with system id %s: %s.",
			lec->sysid, why);
	lfp_msg("VLFB727I", "System id %s belongs to another stack: %s uses the host's sockets.",
		lec->sysid, *argv);
	return execute(*argv, argv);
}

/* Starts the stack of the program's own partition. Returns 0, or the exit code. */
static int start_stack(const char *nn)
{
	char why[PATH_MAX];

	if (!partition_start(nn, MUX_STACK_OWN, why))
		return 0;
	lfp_msg("VLFB733E", "The TCP/IP stack of system id %s does not start: %s.", nn, why);
	return LFP_EXIT_UNAVAILABLE;
}

/* lfpd names a line of a file that its user has not written: names the option instead. The reason
 * is text of another process, which knows only the file; if the text has another form, it stays. */
static void name_option(const struct partition_rules *rules, char why[static PATH_MAX])
{
	const char *at = rules->file ? NULL : strstr(why, "/rules:"), *from = at;
	size_t first = rules->upstream ? 2 : 1, line;
	char text[PATH_MAX], *end;

	if (!at)
		return;
	line = strtoul(at + strlen("/rules:"), &end, 10);
	while (from > why + 1 && (from[-2] != ':' || from[-1] != ' '))
		from--;
	if (*end != ':' || line < first || line - first >= rules->single.nr)
		return;
	snprintf(text, sizeof(text), "%.*s--%s '%s'%s", (int)(from - why), why,
		 rules->single.of[line - first].word, rules->single.of[line - first].text, end);
	strcpy(why, text);
}

/* Starts the instance for this program alone. Returns 0, or the exit code. */
static int start_private(const struct partition_rules *rules, int log)
{
	char why[PATH_MAX];

	if (!partition_start_private(rules, log, why))
		return 0;
	name_option(rules, why);
	lfp_msg("VLFB734E", "The private LFP instance does not start: %s.", why);
	return LFP_EXIT_UNAVAILABLE;
}

/* Separates this process from the caller's network. Returns 0, or the exit code. */
static int leave_network(const struct namespace_plan *plan)
{
	const char *what;
	int rc = namespace_enter(plan, &what);

	if (!rc)
		return 0;
	if (rc == -EOPNOTSUPP)
		lfp_msg("VLFB737E", "--keep-net needs Landlock's scope of abstract UNIX sockets "
				    "(Linux 6.12), which this kernel does not have.");
	else
		lfp_msg("VLFB738E",
			"The kernel refuses an empty network namespace: %s: %s. --private with "
			"--keep-net needs none.",
			what, strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

/* Closes UNIX sockets with a path, but those in @open. Returns 0, or the exit code. */
static int shut_unix(const char *nn, const struct lfp_texts *open)
{
	const char *which;
	int rc = unix_door_shut(nn, open, &which);

	if (!rc)
		return 0;
	lfp_msg("VLFB743E", "Cannot leave the UNIX socket %s open: %s.", which, strerror(-rc));
	return LFP_EXIT_UNAVAILABLE;
}

static int start(struct plan *plan, const struct lfp_texts *open, char **argv)
{
	int rc = plan_check_program(plan, *argv);

	if (!rc)
		rc = plan_check_shim(plan);
	if (!rc)
		rc = check_instance(plan->nn);
	if (!rc)
		rc = plan_set_environment(plan);
	if (rc)
		return rc;
	lfp_msg("VLFB709I", "Starting %s on LFP instance %s with %s%s%s.", plan->path, plan->nn,
		plan->preload ? plan->shim : "", plan->preload && plan->seccomp ? " and " : "",
		plan->seccomp ? "the seccomp tier" : "");
	if (plan->no_unix)
		rc = shut_unix(plan->nn, open);
	if (!rc)
		rc = plan_start_tier(plan, *argv);
	if (rc)
		return rc;
	return execute(plan->path, argv);
}

struct request {
	const char *nn, *mode, *resolve;
	bool verbose;
	bool private;   /* an instance for the program alone */
	bool empty_net; /* an empty network namespace, with any instance */
	bool no_unix;   /* UNIX sockets with a path are closed, but for: */
	struct lfp_texts unix_open;
	struct namespace_plan net;
	struct partition_rules rules;
	struct waiter waiter;
};

/* Returns the text of a conflict between the options, or NULL. */
static const char *find_conflict(const struct request *want)
{
	if (want->private && want->nn)
		return "--private and -i exclude each other: --private starts its own instance";
	if (want->net.keep_net && !want->private)
		return "--keep-net needs --private";
	if (want->net.keep_net && (want->empty_net || want->net.no_userns))
		return "--keep-net excludes -n and --no-userns";
	if (want->net.no_userns && !want->private && !want->empty_net)
		return "--no-userns needs -n or --private";
	if ((want->rules.file || want->rules.single.nr || want->rules.publish.nr ||
	     want->rules.upstream) &&
	    !want->private)
		return "--allow, --deny, --rules, --publish and --upstream need --private";
	if (want->rules.credentials && !want->rules.upstream)
		return "--credentials needs --upstream";
	if (want->rules.upstream && want->rules.file)
		return "--upstream excludes --rules, where lines \"upstream\" have the same effect";
	if (want->rules.upstream && strpbrk(want->rules.upstream, " \t\r\n#"))
		return "the URL of --upstream has a blank or #";
	if ((want->waiter.file || want->waiter.summary) && !want->private)
		return "--log and --summary need --private";
	if (want->no_unix && !want->private && !want->empty_net)
		return "--no-unix needs --private or -n, which close abstract names";
	if (want->unix_open.nr && !want->no_unix)
		return "--unix needs --no-unix";
	if (want->no_unix && want->mode && strcmp(want->mode, "seccomp") != 0)
		return "--no-unix needs --mode=seccomp: the library would give programs a way around";
	if (want->resolve && strcmp(want->resolve, "lfpd") != 0 &&
	    strcmp(want->resolve, "program") != 0)
		return "--resolve takes lfpd or program";
	if (want->rules.file && want->rules.single.nr)
		return "--rules excludes --allow and --deny";
	return NULL;
}

/* Makes the path of a file absolute in @path, because lfpd runs in another directory. Returns 0, or
 * the exit code. */
static int find_file(const char **file, char path[static PATH_MAX], const char *what)
{
	if (!*file)
		return 0;
	if (!realpath(*file, path)) {
		lfp_msg("VLFB739E", "Cannot use the %s in %s: %s.", what, *file, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	*file = path;
	return 0;
}

/* Returns 0, or the exit code. */
static int find_rules(struct partition_rules *rules)
{
	static char path[PATH_MAX], secret[PATH_MAX];
	int rc = find_file(&rules->file, path, "rules");

	if (!rc)
		rc = find_file(&rules->credentials, secret, "credentials");
	if (rc || !rules->credentials || !strpbrk(rules->credentials, " \t\r\n#"))
		return rc;
	lfp_msg("VLFB739E", "Cannot use the credentials in %s: the path has a blank or #.",
		rules->credentials);
	return LFP_EXIT_UNAVAILABLE;
}

/* Chooses the instance or the stack, and starts it if it is the program's own. Returns -1 to go on,
 * or an exit code. */
static int prepare(struct request *want, struct plan *plan, char **argv)
{
	enum mux_stack stack;
	struct mux_lec lec;
	int rc, log = -1;

	if (want->private) {
		memcpy(plan->nn, PARTITION_PRIVATE, sizeof(PARTITION_PRIVATE));
		rc = plan_find_program(plan->path, *argv);
		if (!rc)
			rc = find_rules(&want->rules);
		if (!rc && (want->waiter.file || want->waiter.summary))
			rc = waiter_fork(&want->waiter, &log);
		if (!rc)
			rc = start_private(&want->rules, log);
		return rc ? rc : -1;
	}
	rc = choose_instance(&lec, want->nn, &stack);
	if (rc)
		return rc;
	if (stack == MUX_STACK_HOST && want->empty_net) {
		fprintf(stderr,
			"lfp-run: -n would take away the host's sockets, which system id %s uses\n",
			lec.sysid);
		return LFP_EXIT_USAGE;
	}
	if (stack == MUX_STACK_HOST)
		return start_on_host(&lec, argv);
	memcpy(plan->nn, lec.sysid, sizeof(plan->nn)); /* the environment is changed below */
	if (stack == MUX_STACK_OWN)
		rc = start_stack(plan->nn);
	else if (mux_stack_place(plan->nn))
		rc = -unsetenv(MUX_STACK_VARIABLE); /* another table was in force around us */
	return rc ? rc : -1;
}

int main(int argc, char **argv)
{
	struct plan plan = {.mode = MODE_DEFAULT};
	struct request want = {0};
	const char *conflict;
	const struct lfp_option table[] = {
		{NULL, 'i', NULL, &want.nn, NULL},
		{"private", 0, &want.private, NULL, NULL},
		{NULL, 'n', &want.empty_net, NULL, NULL},
		{"no-userns", 0, &want.net.no_userns, NULL, NULL},
		{"keep-net", 0, &want.net.keep_net, NULL, NULL},
		{"mode", 0, NULL, &want.mode, NULL},
		{"resolve", 0, NULL, &want.resolve, NULL},
		{"no-unix", 0, &want.no_unix, NULL, NULL},
		{"unix", 0, NULL, NULL, &want.unix_open},
		{"allow", 0, NULL, NULL, &want.rules.single},
		{"deny", 0, NULL, NULL, &want.rules.single},
		{"rules", 0, NULL, &want.rules.file, NULL},
		{"upstream", 0, NULL, &want.rules.upstream, NULL},
		{"credentials", 0, NULL, &want.rules.credentials, NULL},
		{"publish", 0, NULL, NULL, &want.rules.publish},
		{"log", 0, NULL, &want.waiter.file, NULL},
		{"summary", 0, &want.waiter.summary, NULL, NULL},
		{"strict-eof", 0, &plan.strict_eof, NULL, NULL},
		{NULL, 'v', &want.verbose, NULL, NULL},
	};
	const struct lfp_options options = {
		.program = "lfp-run",
		.usage = usage,
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.operands_end = true,
	};
	int rc = lfp_options_read(&options, argc, argv);

	if (rc >= 0)
		return rc;
	if (want.mode && plan_parse_mode(&plan.mode, want.mode) < 0)
		return lfp_options_wrong("lfp-run", "unknown mode \"%s\"", want.mode);
	conflict = find_conflict(&want);
	if (conflict || optind >= argc)
		return lfp_options_wrong("lfp-run", "%s", conflict ? conflict : "no program given");
	conflict = partition_wrong_publish(&want.rules.publish);
	if (conflict)
		return lfp_options_wrong(
			"lfp-run", "--publish %s is not [ADDR:]PORT[:PORT][/tcp|/udp]", conflict);
	if (want.no_unix) {
		plan.no_unix = true;
		plan.mode = MODE_SECCOMP;
	}
	plan.resolves = want.resolve && !strcmp(want.resolve, "program");
	lfp_log_set_info(want.verbose);

	rc = prepare(&want, &plan, argv + optind);
	if (rc < 0 && (want.private || want.empty_net))
		rc = leave_network(&want.net);
	if (rc <= 0)
		waiter_bind(&want.waiter);
	return rc > 0 ? rc : start(&plan, &want.unix_open, argv + optind);
}
