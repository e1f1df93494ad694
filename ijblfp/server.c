/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the process of an LFP instance: START makes it, STOP ends it */
#include "ijblfp/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/oper/console.h"
#include "ijblfp/wiring.h"
#include "lfp/daemon.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "systemd/systemd.h"
#include "transport/closers.h"
#include "transport/loop.h"
#include "transport/reactor.h"

#define DESCRIPTORS_FEW 2048u /* IBM's sample: 1024 sockets, and some hundred tasks */

struct server {
	uv_loop_t loop;
	uv_signal_t term, interrupt;
	struct instance *inst; /* NULL when it is gone */
	struct lfp_daemon daemon;
	struct watchdog watchdog;
	const struct server_options *options;
	const char *id;
	char log[LFP_PLACE_MAX];
	bool started;
	int code;
};

static void raise_limit(const char *id)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max < CLOSERS_NUMBERS ? limit.rlim_max : CLOSERS_NUMBERS;
	if (!setrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < DESCRIPTORS_FEW)
		lfp_msg("VLFB014W",
			"The limit of instance %s is %llu descriptors, for all of its sockets and "
			"tasks.",
			id, (unsigned long long)limit.rlim_cur);
}

static void end_server(struct server *server)
{
	notify_stopping();
	if (server->inst)
		ijblfp_instance_stop(server->inst);
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
	server->started = true;
	lfp_msg("VLFB010I", "Instance %s is up.", id);
	if (server->options->foreground) {
		notify_ready("Up");
		return;
	}
	/* The console log has this message once. */
	console_log(NULL);
	rc = lfp_log_open("ijblfpop", LFP_LOG_FILE, server->log);
	if (rc)
		lfp_msg("VLFB015W",
			"Messages of instance %s are lost, because %s cannot be opened: %s.", id,
			server->log, strerror(-rc));
	else
		lfp_msg("VLFB010I", "Instance %s is up.", id);
	if (server->options->log_all)
		console_log(id);
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
	watchdog_stop(&server->watchdog);
	uv_close((uv_handle_t *)&server->term, NULL);
	uv_close((uv_handle_t *)&server->interrupt, NULL);
}

/* Runs the instance until it ends. Returns the exit code. */
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

	watchdog_start(&server->watchdog, &server->loop);
	error = threads_start(&server->loop, config->transport->threads);
	if (error)
		lfp_msg("VLFB059E", "Instance %s cannot start its threads: %s.", server->id,
			strerror(-error));
	/* Without it only a later lack of memory is worse. */
	if (!error)
		(void)watchers_reserve(&server->loop);
	if (!error)
		server->inst = instance_create(&server->loop, config, &error);
	if (!server->inst) {
		server->code = LFP_EXIT_FAILURE;
		on_gone(server);
	}
	reactor_run(&server->loop);
	uv_loop_close(&server->loop);
	if (!server->code && !server->started) {
		lfp_msg("VLFB053E", "Instance %s was stopped before it was up.", server->id);
		server->code = LFP_EXIT_UNAVAILABLE;
	}
	if (!server->code)
		lfp_msg("VLFB019I", "Instance %s has ended.", server->id);
	return server->code;
}

int server_lock(const char *id, struct lfp_pidfile *pidfile)
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
		lfp_msg("VLFB011E", "Instance %s is already up, in process %ld.", id, (long)pid);
		return SERVER_ALREADY_UP;
	}
	if (rc) {
		lfp_msg("VLFB016E", "Instance %s cannot create its pid file %s: %s.", id, path,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

int server_network(const struct ijblfp_statements *st, struct near_network *network,
		   struct near_network **use)
{
	const char *step;
	int rc;

	*use = NULL;
	if (st->near_network == NEAR_NETWORK_HOST)
		return LFP_EXIT_OK;
	rc = near_network_start(network, &step);
	if (rc) {
		lfp_msg("VLFB091E",
			"Instance %s cannot isolate its programs' sockets from this system's "
			"network, because it cannot get %s: %s. Set NearNetwork = host to start "
			"it without this isolation.",
			st->id, step, strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (network->queue_error)
		lfp_msg("VLFB092W",
			"Instance %s cannot make the queues of its datagram sockets longer than "
			"the kernel's default (net.unix.max_dgram_qlen): %s.",
			st->id, strerror(network->queue_error));
	*use = network;
	return LFP_EXIT_OK;
}

/* In the process that stays. */
static int run_locked(struct server *server, struct instance_config *config)
{
	struct near_network network;
	struct lfp_pidfile pidfile;
	int code = server_lock(server->id, &pidfile), rc;

	if (code)
		return code;
	rc = lfp_pidfile_write(&pidfile);
	if (rc)
		lfp_msg("VLFB016E", "Instance %s cannot create its pid file %s: %s.", server->id,
			pidfile.path, strerror(-rc));
	code = rc ? LFP_EXIT_FAILURE : server_network(&config->st, &network, &config->network);
	if (!code)
		code = serve(server, config);
	if (config->network)
		near_network_finish(config->network);
	lfp_pidfile_remove(&pidfile);
	return code;
}

static int run_instance(struct server *server, struct instance_config *config)
{
	int code = 0, rc = 0;

	if (!server->options->foreground)
		rc = lfp_daemon_fork(&server->daemon, &code);
	if (rc < 0) {
		lfp_msg("VLFB018E", "Instance %s cannot create its process: %s.", server->id,
			strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (rc) {
		if (!code && server->options->tell && !server->options->log_all) {
			lfp_log_set_info(true);
			lfp_msg("VLFB010I", "Instance %s is up.", server->id);
		}
		if (code >= 0)
			return code;
		lfp_msg("VLFB017E", "The process of instance %s has ended unexpectedly.",
			server->id);
		return LFP_EXIT_FAILURE;
	}
	/* The daemon has closed the descriptors that it inherited. */
	if (server->options->log_all)
		console_log(server->id);
	code = run_locked(server, config);
	lfp_daemon_tell(&server->daemon, code);
	return code;
}

int server_start(const struct ijblfp_statements *st, const struct server_options *options)
{
	struct server server = {.options = options, .daemon.tell = -1, .id = st->id};
	struct instance_config config = {
		.st = *st,
		.transport = transport_chosen(&st->transport),
		.on_started = on_started,
		.on_stop = on_stop,
		.on_gone = on_gone,
		.data = &server,
	};
	int rc = lfp_place_vse(server.log, server.id, "log");

	strcpy(config.vmid, options->vmid);
	if (config.transport->hosted) {
		lfp_msg("VLFB048E",
			"Instance %s has Transport = %s. Start lfpd %s, which runs it in its own process.",
			server.id, config.transport->name, st->iucv_dest_appname);
		return LFP_EXIT_CONFIG;
	}
	if (rc) {
		lfp_msg("VLFB012E", "Instance %s cannot create %s: %s.", server.id, server.log,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	/* The service of whoever runs this command is none of the instance's. */
	if (options->foreground)
		journal_open("ijblfpop", "VSELFP", server.id);
	else
		unsetenv("NOTIFY_SOCKET");
	raise_limit(server.id);
	return run_instance(&server, &config);
}
