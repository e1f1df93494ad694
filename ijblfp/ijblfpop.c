/* SPDX-License-Identifier: Apache-2.0 */
/* ijblfpop.c - the operator's program: START, STOP, LIST, INFO */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ijblfp/instance.h"
#include "ijblfp/report.h"
#include "lfp/admin.h"
#include "lfp/daemon.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"

#define WORDS_MAX       8
#define STOP_SECONDS    10
#define DESCRIPTORS_FEW 2048u /* IBM's sample: 1024 sockets, and some hundred tasks */

struct options {
	bool foreground;
	bool verbose;
	const char *vmid;
	bool log_all;
	bool show_tasks;
};

static const char usage_text[] =
	"usage: ijblfpop [-dv] [--vmid ID] START FILE|NN|DD:SYSIPT|- [LOGALL]\n"
	"       ijblfpop STOP NN\n"
	"       ijblfpop LIST\n"
	"       ijblfpop INFO NN [SHOWTASKS] [LOGALL]\n"
	"  FILE           the statements of the instance; NN is /etc/vselfp/lfp-NN.conf,\n"
	"                 DD:SYSIPT or - standard input\n"
	"  -d             stay in the foreground, messages go to standard error\n"
	"  -v             show what developers want to know, too\n"
	"      --vmid ID  z/VM user id of this side\n"
	"  -V, --version  print the version\n"
	"  -h, --help     print this\n";

static int usage(const char *reason, const char *what)
{
	lfp_msg("VLFB001E", "%s%s%s.", reason, *what ? " " : "", what);
	fputs(usage_text, stderr);
	return LFP_EXIT_USAGE;
}

/* --- START ------------------------------------------------------------------------------- */

/* A started instance's process. */
struct server {
	uv_loop_t loop;
	uv_signal_t term, interrupt;
	struct instance *inst; /* NULL when it is gone */
	struct lfp_daemon daemon;
	const struct options *options;
	const char *id;
	char log[LFP_PLACE_MAX];
	int code;
};

static int read_statements(const char *file, struct ijblfp_statements *st)
{
	struct lfp_reader_error error;
	bool sysipt = !strcmp(file, "-") || !strcasecmp(file, "DD:SYSIPT");
	FILE *in = sysipt ? stdin : fopen(file, "re");
	int rc;

	if (!in) {
		lfp_msg("VLFB002E", "Statements in %s cannot be read: %s.", file, strerror(errno));
		return LFP_EXIT_CONFIG;
	}
	rc = ijblfp_statements_read(st, in, sysipt ? "SYSIPT" : file, &error);
	if (in != stdin)
		fclose(in);
	if (!rc)
		return LFP_EXIT_OK;
	lfp_msg("VLFB003E", "Statements are wrong: %s.", error.text);
	return LFP_EXIT_CONFIG;
}

static void raise_limit(const char *id)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < DESCRIPTORS_FEW)
		lfp_msg("VLFB014W",
			"Instance %s may have %llu descriptors: sockets and tasks together can't "
			"be more.",
			id, (unsigned long long)limit.rlim_cur);
}

static void end_server(struct server *server)
{
	if (server->inst)
		instance_stop(server->inst);
}

static void on_signal(uv_signal_t *signal, int number)
{
	(void)number;
	end_server(signal->data);
}

static void on_started(void *data, int error)
{
	struct server *server = data;
	const char *id = server->id;
	int rc;

	if (error) {
		server->code = LFP_EXIT_UNAVAILABLE;
		end_server(server);
		return;
	}
	lfp_msg("VLFB010I", "Instance %s is up.", id);
	if (server->options->foreground)
		return;
	rc = lfp_log_open("ijblfpop", LFP_LOG_FILE, server->log);
	if (rc)
		lfp_msg("VLFB015W", "Messages of instance %s are lost, as %s cannot be opened: %s.",
			id, server->log, strerror(-rc));
	else
		lfp_msg("VLFB010I", "Instance %s is up.", id);
	lfp_daemon_tell(&server->daemon, LFP_EXIT_OK);
}

static void on_stop(void *data)
{
	end_server(data);
}

static void on_gone(void *data)
{
	struct server *server = data;

	server->inst = NULL;
	uv_close((uv_handle_t *)&server->term, NULL);
	uv_close((uv_handle_t *)&server->interrupt, NULL);
}

/* Be the instance until it ends; the exit code. */
static int serve(struct server *server, const struct instance_config *config)
{
	int error;

	signal(SIGPIPE, SIG_IGN);
	if (server->daemon.tell >= 0)
		signal(SIGHUP, SIG_IGN);
	uv_loop_init(&server->loop);
	uv_signal_init(&server->loop, &server->term);
	uv_signal_init(&server->loop, &server->interrupt);
	server->term.data = server->interrupt.data = server;
	uv_signal_start(&server->term, on_signal, SIGTERM);
	uv_signal_start(&server->interrupt, on_signal, SIGINT);

	server->inst = instance_create(&server->loop, config, &error);
	if (!server->inst) {
		server->code = LFP_EXIT_FAILURE;
		if (!uv_is_closing((uv_handle_t *)&server->term))
			on_gone(server);
	}
	uv_run(&server->loop, UV_RUN_DEFAULT);
	uv_loop_close(&server->loop);
	if (!server->code)
		lfp_msg("VLFB019I", "Instance %s has ended.", server->id);
	return server->code;
}

/* The pid file's lock, in a directory that exists; an exit code. */
static int lock(const char *id, struct lfp_pidfile *pidfile)
{
	char path[LFP_PLACE_MAX];
	pid_t pid = 0;
	int rc = lfp_place_vse(path, id, "pid");

	if (!rc)
		rc = lfp_place_make_parent(path);
	if (!rc)
		rc = lfp_pidfile_create(pidfile, path);
	if (rc == -EBUSY) {
		lfp_pidfile_query(path, &pid);
		lfp_msg("VLFB011E", "Instance %s is up already, in process %ld.", id, (long)pid);
		return LFP_EXIT_FAILURE;
	}
	if (rc) {
		lfp_msg("VLFB016E", "Instance %s cannot have its pid file %s: %s.", id, path,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

/* In the process that stays. */
static int run_locked(struct server *server, struct instance_config *config)
{
	struct lfp_pidfile pidfile;
	int code = lock(server->id, &pidfile), rc;

	if (code)
		return code;
	rc = lfp_pidfile_write(&pidfile);
	if (rc)
		lfp_msg("VLFB016E", "Instance %s cannot have its pid file %s: %s.", server->id,
			pidfile.path, strerror(-rc));
	code = rc ? LFP_EXIT_FAILURE : serve(server, config);
	lfp_pidfile_remove(&pidfile);
	return code;
}

static int run_instance(struct server *server, struct instance_config *config)
{
	int code = 0, rc = 0;

	if (!server->options->foreground)
		rc = lfp_daemon_fork(&server->daemon, &code);
	if (rc < 0) {
		lfp_msg("VLFB018E", "Instance %s cannot have a process of its own: %s.", server->id,
			strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (rc) {
		if (code >= 0)
			return code;
		lfp_msg("VLFB017E", "The process of instance %s has ended unexpectedly.",
			server->id);
		return LFP_EXIT_FAILURE;
	}
	code = run_locked(server, config);
	lfp_daemon_tell(&server->daemon, code);
	return code;
}

static int start(const struct options *options, const char *word)
{
	const char *nn = lfp_check_nn(word) ? NULL : word, *file = word;
	char conf[LFP_PLACE_MAX];
	struct server server = {.options = options, .daemon.tell = -1};
	struct instance_config config = {
		.transport = &transport_unix,
		.on_started = on_started,
		.on_stop = on_stop,
		.on_gone = on_gone,
		.data = &server,
	};
	int code, rc;

	lfp_log_set_info(options->log_all);
	lfp_log_set_debug(options->verbose);
	if (nn) {
		rc = lfp_place_vse_conf(conf, nn);
		if (rc) {
			lfp_msg("VLFB005E", "The statements of instance %s have no place: %s.", nn,
				lfp_place_strerror(rc));
			return LFP_EXIT_CONFIG;
		}
		file = conf;
	}
	code = read_statements(file, &config.st);
	if (code)
		return code;
	server.id = config.st.id;
	if (nn && strcmp(nn, server.id)) {
		lfp_msg("VLFB004E", "The statements in %s are those of instance %s, not of %s.",
			file, server.id, nn);
		return LFP_EXIT_CONFIG;
	}
	if (lfp_vmid(config.vmid, options->vmid))
		return usage("A z/VM user id is 1 to 8 of A-Z 0-9 $ # @ _ + - :, not",
			     options->vmid && *options->vmid ? options->vmid : getenv("LFP_VMID"));
	rc = lfp_place_vse(server.log, server.id, "log");
	if (rc) {
		lfp_msg("VLFB012E", "Instance %s cannot make %s: %s.", server.id, server.log,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	raise_limit(server.id);
	return run_instance(&server, &config);
}

/* --- STOP, LIST, INFO -------------------------------------------------------------------- */

/* Ask an instance; an exit code. The answer is to be freed. */
static int ask(const char *id, const char *request, char **answer)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, id, "op");

	if (!rc)
		rc = lfp_admin_ask(path, request, answer);
	if (rc == -ENOENT || rc == -ECONNREFUSED) {
		lfp_msg("VLFB020E", "Instance %s is not up.", id);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (rc) {
		lfp_msg("VLFB021E", "Instance %s cannot be asked at %s: %s.", id, path,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

static int stop(const char *id)
{
	const struct timespec tick = {.tv_nsec = 10 * 1000 * 1000};
	char path[LFP_PLACE_MAX], *answer;
	pid_t pid;
	int code = ask(id, "stop", &answer);

	if (code)
		return code;
	free(answer);
	if (lfp_place_vse(path, id, "pid"))
		return LFP_EXIT_FAILURE;
	for (int i = 0; i < STOP_SECONDS * 100; i++) {
		if (lfp_pidfile_query(path, &pid) != LFP_PIDFILE_HELD)
			return LFP_EXIT_OK;
		nanosleep(&tick, NULL);
	}
	lfp_msg("VLFB022E", "Instance %s has not ended within %d seconds.", id, STOP_SECONDS);
	return LFP_EXIT_FAILURE;
}

static int info(const struct options *options, const char *id)
{
	char *answer;
	int code = ask(id, "info", &answer);

	if (code)
		return code;
	report_info(stdout, answer, options->show_tasks, options->log_all);
	free(answer);
	return LFP_EXIT_OK;
}

static bool is_up(const char *id)
{
	char path[LFP_PLACE_MAX];
	pid_t pid;

	return !lfp_check_nn(id) && !lfp_place_vse(path, id, "pid") &&
	       lfp_pidfile_query(path, &pid) == LFP_PIDFILE_HELD;
}

static int list(void)
{
	struct report_instance found[100];
	char path[LFP_PLACE_MAX], id[3], tasks[32], *answer;
	unsigned int nr = 0;
	int code = LFP_EXIT_OK;

	for (unsigned int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "%02u", i);
		/* One that is starting, or ending, does not answer and is not active. */
		if (!is_up(id) || lfp_place_vse(path, id, "op"))
			continue;
		if (access(path, F_OK))
			continue;
		if (ask(id, "info", &answer)) {
			code = LFP_EXIT_FAILURE;
			continue;
		}
		if (!lfp_admin_value(answer, "tasks", tasks, sizeof(tasks))) {
			strcpy(found[nr].id, id);
			found[nr++].tasks = strtoull(tasks, NULL, 10);
		}
		free(answer);
	}
	report_list(stdout, found, nr);
	return code;
}

/* --- arguments --------------------------------------------------------------------------- */

static int run_command(struct options *options, char **words, int nr)
{
	const char *command = words[0];
	int operands = 1;
	bool is_start = !strcasecmp(command, "START"), is_info = !strcasecmp(command, "INFO");
	bool is_list = !strcasecmp(command, "LIST");

	if (!is_start && !is_info && !is_list && strcasecmp(command, "STOP"))
		return usage("Unknown command", command);
	if (is_list)
		operands = 0;
	if (nr < 1 + operands)
		return usage("An operand is missing after", command);
	for (int i = 1 + operands; i < nr; i++) {
		if (!strcasecmp(words[i], "LOGALL") && (is_start || is_info))
			options->log_all = true;
		else if (!strcasecmp(words[i], "SHOWTASKS") && is_info)
			options->show_tasks = true;
		else
			return usage("Unexpected word", words[i]);
	}
	if (is_start) {
		if (!strncasecmp(words[1], "DD:", 3) && strcasecmp(words[1], "DD:SYSIPT"))
			return usage("The only DD name here is SYSIPT, not", words[1]);
		return start(options, words[1]);
	}
	if (is_list)
		return list();
	if (lfp_check_nn(words[1]))
		return usage("An instance is two digits, not", words[1]);
	return is_info ? info(options, words[1]) : stop(words[1]);
}

/* One argument that is a whole PARM. Words, or -1 if there are too many. */
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
	int opt, nr;

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
			return usage("A value is missing after", argv[optind - 1]);
		default:
			return usage("Unknown option", argv[optind - 1]);
		}
	}
	nr = argc - optind;
	words = argv + optind;
	if (nr == 1) {
		/* As in JCL, where the shell has taken the quotes. */
		if (!strncasecmp(words[0], "PARM=", 5))
			words[0] += 5;
		nr = split_parm(words[0], split);
		words = split;
	}
	if (nr == 0)
		return usage("A command is missing", "");
	if (nr < 0 || nr > WORDS_MAX)
		return usage("Too many words", "");
	return run_command(&options, words, nr);
}
