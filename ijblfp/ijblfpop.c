/* SPDX-License-Identifier: Apache-2.0 */
/* ijblfpop.c - the operator's program: START, STOP, LIST, INFO, NETSTAT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ijblfp/oper/console.h"
#include "ijblfp/oper/operate.h"
#include "ijblfp/oper/phase.h"
#include "ijblfp/oper/source.h"
#include "ijblfp/server.h"
#include "ijblfp/service.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "systemd/systemd.h"
#include "transport/vm.h"

#define WORDS_MAX    8
#define SERVICE_USER "lfpd" /* of the unit, too */
#define CLAIM_FAILED 255

struct options {
	bool foreground;
	bool verbose;
	const char *vmid;
	bool log_all;
	bool show_tasks;
	bool immediate;
};

static const char usage_text[] =
	"usage: ijblfpop [-dv] [--vmid ID] START FILE|NN|DD:SYSIPT|DD:MEMBER|- [LOGALL]\n"
	"       ijblfpop STOP NN [IMMEDIATE]\n"
	"       ijblfpop LIST\n"
	"       ijblfpop INFO NN [SHOWTASKS] [LOGALL]\n"
	"       ijblfpop NETSTAT NN -d [-K LINK]|-a [-E JOB]\n"
	"       ijblfpop CLAIM NN\n"
	"  FILE           the statements of the instance; NN is /etc/vselfp/lfp-NN.conf,\n"
	"                 DD:SYSIPT or - standard input, MEMBER lib.sublib(name.type)\n"
	"  CLAIM          used by the systemd unit, before it starts the instance\n"
	"  -d             stay in the foreground, messages go to standard error\n"
	"  -v             also log messages for developers\n"
	"      --vmid ID  z/VM user id of this side\n"
	"  -V, --version  print the version\n"
	"  -h, --help     print this\n";

static bool is_phase; /* in a job: the usage of the command would not help there */

static int usage(const char *reason, const char *what)
{
	lfp_msg("VLFB001E", "%s%s%s%s.", reason, *what ? " " : "", what,
		is_phase ? "" : "; see ijblfpop --help");
	return LFP_EXIT_USAGE;
}

/* Reports that the statements cannot be opened. Returns an exit code. */
static int say_no_source(const struct source *source, const char *word, int error)
{
	if (error == -EINVAL)
		return usage("DD: goes with SYSIPT or lib.sublib(name.type), not", word);
	if (error == -ENAMETOOLONG)
		lfp_msg("VLFB005E", "The path of the statements %s is invalid: %s.", word,
			lfp_place_strerror(error));
	else
		lfp_msg("VLFB002E", "Cannot read the statements in %s: %s.", source->name,
			strerror(-error));
	return LFP_EXIT_CONFIG;
}

/* Settings that LFP does not allow, and tests use. */
static void warn_of_settings(const struct ijblfp_statements *st)
{
	struct transport_fault warning;

	if (transport_settings_warn(&st->transport, TRANSPORT_VSE, &warning))
		lfp_msg("VLFB063W", "Instance %s has %s = no: %s.", st->id, warning.key,
			warning.text);
}

static void on_finding(void *data, enum machine_finding finding, const char *what, const char *text)
{
	unsigned int *missing = data;

	*missing += finding == MACHINE_MISSING;
	if (finding == MACHINE_MISSING)
		lfp_msg("VLFB056E", "The declared machine cannot run LFP (%s): %s.", what, text);
	else if (finding == MACHINE_ADVICE)
		lfp_msg("VLFB057W", "The declared machine (%s): %s.", what, text);
}

/* The machine that the directory declares. Returns an exit code. */
static int check_machine(void)
{
	unsigned int missing = 0;
	const struct machine_report report = {.line = on_finding, .data = &missing};
	struct machine machine;
	char why[LFP_PLACE_MAX + 256];

	/* A faulty directory refuses each path, and says so. */
	if (vm_machine(NULL, &machine, why, sizeof(why)) > 0)
		machine_check(&machine, &report);
	return missing ? LFP_EXIT_CONFIG : LFP_EXIT_OK;
}

/* The unit has no words but the number: a START with more, or with a z/VM user id of its own, makes
 * a process of its own. */
static bool by_service(const struct options *options, const char *word)
{
	const char *vmid = getenv("LFP_VMID");

	return !is_phase && !options->foreground && !options->verbose && !options->log_all &&
	       !options->vmid && (!vmid || !*vmid) && !lfp_check_nn(word) && service_is_unit(word);
}

static int start_service(const char *nn)
{
	int code = service_start(nn);

	if (!code) {
		lfp_log_set_info(true);
		lfp_msg("VLFB010I", "Instance %s is up.", nn);
	}
	return code;
}

static int start(const struct options *options, const char *word)
{
	struct server_options how = {
		.foreground = options->foreground,
		.log_all = options->log_all,
		.tell = !is_phase,
	};
	struct ijblfp_statements st;
	struct lfp_reader_errors errors;
	struct source source;
	int rc;

	/* The journal has all messages of a service. */
	lfp_log_set_info(options->log_all || (options->foreground && notify_is_service()));
	lfp_log_set_debug(options->verbose);
	rc = source_open(&source, word);
	if (rc)
		return say_no_source(&source, word, rc);
	rc = ijblfp_statements_read_all(&st, source.in, source.name, &errors);
	source_close(&source);
	if (rc) {
		ijblfp_statements_report(&errors);
		return LFP_EXIT_CONFIG;
	}
	if (!lfp_check_nn(word) && strcmp(word, st.id)) {
		lfp_msg("VLFB004E", "The statements in %s are those of instance %s, not of %s.",
			source.name, st.id, word);
		return LFP_EXIT_CONFIG;
	}
	if (lfp_vmid(how.vmid, options->vmid))
		return usage("A z/VM user id is 1 to 8 of A-Z 0-9 $ # @ _ + - :, not",
			     options->vmid && *options->vmid ? options->vmid : getenv("LFP_VMID"));
	warn_of_settings(&st);
	rc = check_machine();
	if (rc)
		return rc;
	return by_service(options, word) ? start_service(st.id) : server_start(&st, &how);
}

enum command {
	COMMAND_START,
	COMMAND_STOP,
	COMMAND_LIST,
	COMMAND_INFO,
	COMMAND_NETSTAT,
	COMMAND_CLAIM,
	NR_COMMANDS,
};

static const struct {
	const char *name;
	int operands;
} commands[NR_COMMANDS] = {
	[COMMAND_START] = {"START", 1},     [COMMAND_STOP] = {"STOP", 1},
	[COMMAND_LIST] = {"LIST", 0},       [COMMAND_INFO] = {"INFO", 1},
	[COMMAND_NETSTAT] = {"NETSTAT", 2}, [COMMAND_CLAIM] = {"CLAIM", 1},
};

/* Parses a word behind the operands. Returns false if it does not go with the command. */
static bool take_keyword(struct options *options, enum command command, const char *word)
{
	bool *given = NULL;

	if (!strcasecmp(word, "LOGALL") && (command == COMMAND_START || command == COMMAND_INFO))
		given = &options->log_all;
	else if (!strcasecmp(word, "SHOWTASKS") && command == COMMAND_INFO)
		given = &options->show_tasks;
	else if (!strcasecmp(word, "IMMEDIATE") && command == COMMAND_STOP)
		given = &options->immediate;
	if (!given)
		return false;
	*given = true;
	return true;
}

/* Parses the rest of NETSTAT: -d or -a, and its filter. */
static int netstat(const char *id, char **words, int nr)
{
	bool device = !strcmp(words[0], "-d");
	const char *filter = device ? "-K" : "-E";

	if (!device && strcmp(words[0], "-a"))
		return usage("NETSTAT goes with -d or -a, not", words[0]);
	if (nr > 1 && strcmp(words[1], filter))
		return usage("Unexpected word", words[1]);
	if (nr == 2)
		return usage("An operand is missing after", words[1]);
	if (nr > 3)
		return usage("Unexpected word", words[3]);
	return device ? operate_netstat_device(id, nr == 3 ? words[2] : NULL)
		      : operate_netstat_sockets(id, nr == 3 ? words[2] : NULL);
}

static int stop(const char *nn, bool immediate)
{
	int code = service_stop_trying(nn) ? LFP_EXIT_OK : operate_stop(nn, immediate);

	if (!code && !is_phase) {
		lfp_log_set_info(true);
		lfp_msg("VLFB019I", "Instance %s has ended.", nn);
	}
	return code;
}

static int run_command(struct options *options, char **words, int nr)
{
	char nn[] = "00";
	int command = 0;

	while (command < NR_COMMANDS && strcasecmp(words[0], commands[command].name))
		command++;
	if (command == NR_COMMANDS)
		return usage("Unknown command", words[0]);
	if (nr < 1 + commands[command].operands)
		return usage("An operand is missing after", words[0]);
	/* "5" is 05; START takes a file as well. */
	if (commands[command].operands && command != COMMAND_START && words[1][0] >= '0' &&
	    words[1][0] <= '9' && !words[1][1]) {
		nn[1] = words[1][0];
		words[1] = nn;
	}
	if (command == COMMAND_NETSTAT)
		return lfp_check_nn(words[1]) ? usage("An instance is two digits, not", words[1])
					      : netstat(words[1], words + 2, nr - 2);
	for (int i = 1 + commands[command].operands; i < nr; i++)
		if (!take_keyword(options, (enum command)command, words[i]))
			return usage("Unexpected word", words[i]);
	if (options->log_all)
		console_log("");
	if (command == COMMAND_START)
		return start(options, words[1]);
	if (command == COMMAND_LIST)
		return operate_list();
	if (lfp_check_nn(words[1]))
		return usage("An instance is two digits, not", words[1]);
	if (command == COMMAND_STOP)
		return stop(words[1], options->immediate);
	if (command == COMMAND_CLAIM)
		return service_claim(words[1], SERVICE_USER);
	return operate_info(words[1], options->show_tasks, options->log_all);
}

/* Splits one argument that is a whole PARM. Returns the number of words, or -1 if there are too
 * many. */
static int split_parm(char *parm, char **words)
{
	char *save = NULL;
	int nr = 0;

	for (char *word = strtok_r(parm, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (nr == WORDS_MAX)
			return -1;
		words[nr++] = word;
	}
	return nr;
}

/* The exit code, or the return code in a job. */
static int finish(int code, const char *command)
{
	bool is_start = !strcasecmp(command, commands[COMMAND_START].name);

	if (code == SERVER_ALREADY_UP)
		return is_phase ? PHASE_NOT_THERE : LFP_EXIT_FAILURE;
	/* For systemd.service(5), ExecCondition=: codes below 255 mean that nothing is wrong. */
	if (code && !strcasecmp(command, commands[COMMAND_CLAIM].name))
		return CLAIM_FAILED;
	return is_phase ? (int)phase_code(code, is_start) : code;
}

int main(int argc, char **argv)
{
	enum { VMID = 256 };
	static const struct option longs[] = {
		{"vmid", required_argument, NULL, VMID},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	struct options options = {0};
	char *split[WORDS_MAX], **words;
	int opt, nr, code;

	is_phase = phase_is(argv[0]);
	lfp_log_open("ijblfpop", LFP_LOG_STDERR, NULL);
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:dvVh", longs, NULL)) != -1) {
		switch (opt) {
		case 'd':
			options.foreground = true;
			break;
		case 'v':
			options.verbose = true;
			break;
		case VMID:
			options.vmid = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return LFP_EXIT_OK;
		case 'V':
			puts("ijblfpop " VSELFPD_VERSION);
			return LFP_EXIT_OK;
		case ':':
			return finish(usage("A value is missing after", argv[optind - 1]), "");
		default:
			return finish(usage("Unknown option", argv[optind - 1]), "");
		}
	}
	nr = argc - optind;
	words = argv + optind;
	if (nr == 1) {
		/* Quotes as in JCL, where the shell has removed the quotes. */
		if (!strncasecmp(words[0], "PARM=", 5))
			words[0] += 5;
		nr = split_parm(words[0], split);
		words = split;
	}
	if (nr == 0)
		return finish(usage("A command is missing", ""), "");
	if (nr < 0 || nr > WORDS_MAX)
		return finish(usage("Too many words", ""), "");
	code = run_command(&options, words, nr);
	if (code && options.foreground)
		notify_error();
	return finish(code, words[0]);
}
