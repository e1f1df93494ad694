/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - via-init: the first process of the appliance, which runs lfpd and nothing else */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/system.h"
#include "via/answer.h"
#include "via/ask.h"
#include "via/boot.h"
#include "via/child.h"
#include "via/client.h"
#include "via/config.h"
#include "via/control.h"
#include "via/instance.h"
#include "via/journal.h"
#include "via/loop.h"
#include "via/network.h"
#include "via/place.h"
#include "via/strays.h"

/*
 * Theory of operation
 *
 * The image has a kernel, lfpd, lfpd-admin and this program, which the kernel starts. It makes the
 * mounts, reads the configuration disk, starts an lfpd for each lfpd-NAME.conf, and from then on
 * waits: for the ends of processes, for what they write, and for commands of the controller. It has
 * no configuration of its own that it could write, so a power cut at any moment leaves what was
 * there.
 *
 * It is the only process of root. lfpd runs as a user of its own for each instance, lfpd-admin as
 * that of the instance that it asks.
 *
 * In a container (OCI image) it is process 1 without root. Then mounts, network, time and power are
 * others'.
 */

#define DISK_PAUSE  5000  /* ms until the next look for a configuration, while there is none */
#define NET_WAIT    3000  /* ms for a network device at boot */
#define END_WAIT    15000 /* ms for all instances to end */
#define CLIENT_WAIT 3000  /* ms for the controller to go */

static struct via_watch signals, notify;
static struct via_timer again;
static bool ending;

static bool is_known(pid_t pid)
{
	return via_instance_has(pid) || via_ask_has(pid);
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (!via_instance_ended(pid, status))
			(void)via_ask_ended(pid, status);
	/* With users, all processes of an instance end with it (via/instance.c). */
	if (!via_strays_own_users())
		via_strays_kill_orphans(is_known);
}

static void on_signal(struct via_watch *watch, short events)
{
	struct signalfd_siginfo info;

	(void)events;
	while (read(watch->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap();
		else if (info.ssi_signo == SIGHUP)
			(void)via_config_load(NULL);
		else
			via_shutdown_wanted = true;
	}
}

static int watch_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);  /* Ctrl-Alt-Del, as the kernel passes it on */
	sigaddset(&set, SIGTERM); /* the container's stop */
	sigaddset(&set, SIGPWR);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signals.events = POLLIN;
	signals.on_ready = on_signal;
	if (signals.fd < 0)
		return -errno;
	via_watch_add(&signals);
	return 0;
}

/* sd_notify(3): descriptors that come along are closed by the kernel, for there is no room for
 * them. */
static void on_notify(struct via_watch *watch, short events)
{
	char text[512];
	struct iovec part = {text, sizeof(text) - 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(watch->fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	struct ucred cred;

	(void)events;
	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_CREDENTIALS)
		return;
	memcpy(&cred, CMSG_DATA(head), sizeof(cred));
	text[n] = '\0';
	if (!strncmp(text, "READY=1", 7) || strstr(text, "\nREADY=1"))
		via_instance_ready(cred.pid);
}

static int watch_notify(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = VIA_NOTIFY};
	int yes = 1, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	(void)unlink(VIA_NOTIFY);
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) ||
	    bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) || chmod(VIA_NOTIFY, 0666)) {
		close(fd);
		return -errno;
	}
	notify.fd = fd;
	notify.events = POLLIN;
	notify.on_ready = on_notify;
	via_watch_add(&notify);
	return 0;
}

/* Until there is a configuration: a disk may come later. */
static void look_again(struct via_timer *timer)
{
	if (via_config.generation || ending)
		return;
	if (via_config_disk())
		(void)via_config_load(NULL);
	via_timer_set(timer, DISK_PAUSE);
}

static void say_booted(void)
{
	char uptime[LFP_SYSTEM_NAME], build[LFP_SYSTEM_NAME];

	(void)lfp_system_line(uptime, "/proc/uptime");
	(void)lfp_system_line(build, VIA_BUILD);
	uptime[strcspn(uptime, " ")] = '\0';
	via_say("VLFD550I", "The appliance is up after %s s: image %s, configuration %llu.", uptime,
		build, (unsigned long long)via_config.generation);
}

static void end_all(void)
{
	int64_t until = via_now() + END_WAIT;

	if (ending)
		return;
	ending = true;
	via_say("VLFD551I", "The appliance ends.");
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].state)
			via_instance_stop(&via_instances[i], false);
	while (!via_instances_ended() && via_now() < until)
		via_loop_turn();
	/* Whoever has said SHUTDOWN goes when the answer is there; without a machine it would be
	 * lost on its way. */
	until = via_now() + CLIENT_WAIT;
	via_timer_set(&again, CLIENT_WAIT);
	while (!via_clients_gone() && via_now() < until)
		via_loop_turn();
	via_say("VLFD552I", "The appliance has ended.");
}

int main(void)
{
	const bool contained = via_in_container();
	int rc;

	if (contained)
		via_journal_console(STDERR_FILENO);
	else
		via_boot();
	(void)prctl(PR_SET_DUMPABLE, 0);
	via_strays_adopt();
	if ((mkdir(VIA_RUN, 0755) && errno != EEXIST) ||
	    (mkdir(VIA_PLACES, 0755) && errno != EEXIST))
		via_say("VLFD553E", "%s cannot be made: %s.", VIA_PLACES, strerror(errno));
	rc = watch_signals();
	if (!rc)
		rc = watch_notify();
	if (rc)
		via_say("VLFD554E", "The appliance cannot work: %s.", strerror(-rc));
	if (!contained)
		via_network_wait(NET_WAIT);
	(void)via_config_load(NULL);
	again.on_time = look_again;
	via_timer_set(&again, DISK_PAUSE);
	via_control_listen();
	say_booted();
	while (!via_shutdown_wanted)
		via_loop_turn();
	end_all();
	via_power_off();
}
