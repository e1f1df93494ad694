/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - where commands come from, and who may give them */
#include "via/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "lfp/endpoint.h"
#include "transport/iucv-socket.h"
#include "via/answer.h"
#include "via/boot.h"
#include "via/client.h"
#include "via/close.h"
#include "via/config.h"
#include "via/journal.h"
#include "via/loop.h"

/*
 * Theory of operation
 *
 * The kernel says who has connected: the CID, the z/VM user id, the user. Anybody but the
 * CONTROLLERs of via.conf is refused before a byte of his is read, and is told on the console, at
 * most ten in ten seconds. RELOAD may take the right away: the next command ends the connection.
 */

#define BACKLOG     128
#define SWEEP       1000 /* ms; docs/s390x.md: poll() is silent about a peer that has gone */
#define TOLD_MOST   10
#define TOLD_PERIOD 10000 /* ms */

enum { LISTEN_VSOCK, LISTEN_IUCV, LISTEN_UNIX, LISTENERS };

static struct via_watch listeners[LISTENERS];
static struct via_timer sweep;

/* Who has connected. Returns false if nobody is there any more. */
static bool identify(int fd, int which, struct via_controller *who, char text[static 64])
{
	struct sockaddr_vm vm = {.svm_cid = 0};
	struct iucv_addr iucv;
	struct ucred cred;
	socklen_t len;

	memset(who, 0, sizeof(*who));
	if (which == LISTEN_VSOCK) {
		len = sizeof(vm);
		who->kind = VIA_CONTROLLER_VSOCK;
		if (getpeername(fd, (struct sockaddr *)&vm, &len))
			return false;
		who->number = vm.svm_cid;
		who->privileged = vm.svm_port < 1024;
		snprintf(text, 64, "CID %u, port %u", vm.svm_cid, vm.svm_port);
	} else if (which == LISTEN_IUCV) {
		char name[9];

		len = sizeof(iucv);
		who->kind = VIA_CONTROLLER_IUCV;
		if (getpeername(fd, (struct sockaddr *)&iucv, &len))
			return false;
		iucv_name_get(who->vmid, iucv.user);
		iucv_name_get(name, iucv.name);
		snprintf(text, 64, "%s, application %s", who->vmid, name);
	} else {
		len = sizeof(cred);
		who->kind = VIA_CONTROLLER_USER;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
			return false;
		who->number = cred.uid;
		snprintf(text, 64, "user %u, process %d", cred.uid, (int)cred.pid);
	}
	return true;
}

static bool is_controller(const struct via_controller *who)
{
	const struct via_settings *settings = &via_config.settings;

	for (size_t i = 0; i < settings->nr_controllers; i++) {
		const struct via_controller *one = &settings->controllers[i];

		if (one->kind == who->kind && one->number == who->number &&
		    !strcmp(one->vmid, who->vmid) && (who->privileged || !one->privileged))
			return true;
	}
	return false;
}

static void tell_refusal(const char *who)
{
	static int64_t since;
	static unsigned int told;

	via_refused++;
	if (via_now() - since > TOLD_PERIOD) {
		since = via_now();
		told = 0;
	}
	if (told++ < TOLD_MOST)
		via_say("VLFD533W", "Commands of %s are refused: it is no CONTROLLER.", who);
}

static bool may_ask(const struct via_controller *peer, const char *who)
{
	bool may = is_controller(peer);

	if (!may)
		tell_refusal(who);
	return may;
}

static void admit(int fd, int which)
{
	struct via_client_from from = {.fd = fd,
				       .messages = which == LISTEN_IUCV,
				       .may_ask = may_ask,
				       .on_request = via_answer_request};

	if (identify(fd, which, &from.peer, from.who) && may_ask(&from.peer, from.who) &&
	    via_client_make(&from))
		return;
	via_close(fd);
}

static void accept_all(int which)
{
	for (int i = 0; i < BACKLOG; i++) {
		int fd = accept4(listeners[which].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		admit(fd, which);
	}
}

static void on_listener(struct via_watch *watch, short events)
{
	(void)events;
	accept_all((int)(watch - listeners));
}

static void on_sweep(struct via_timer *timer)
{
	via_control_listen();
	if (listeners[LISTEN_IUCV].on)
		accept_all(LISTEN_IUCV);
	via_timer_set(timer, SWEEP);
}

static int listen_vsock(void)
{
	const struct sockaddr_vm addr = {
		.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = VIA_PORT};
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, BACKLOG))
		return fd;
	close(fd);
	return -errno;
}

/* Only where a controller is named, for it needs the name of a device. */
static int listen_iucv(void)
{
	struct iucv_wanted wanted = {.name = VIA_APPNAME, .msglimit = 64, .mtu = VIA_PIECE_MAX};
	const struct via_settings *settings = &via_config.settings;
	char vmid[9], why[TRANSPORT_WHY];
	bool named = false;
	int fd;

	for (size_t i = 0; i < settings->nr_controllers; i++)
		named |= settings->controllers[i].kind == VIA_CONTROLLER_IUCV;
	if (!named)
		return -ENOENT;
	memcpy(wanted.hsuid, settings->hsuid, sizeof(wanted.hsuid));
	fd = iucv_open(&wanted, vmid, why);
	if (fd >= 0 && (fcntl(fd, F_SETFL, O_NONBLOCK) || listen(fd, BACKLOG))) {
		close(fd);
		fd = -EIO;
	}
	return fd;
}

static int listen_unix(void)
{
	return via_in_container() ? lfp_listen(VIA_RUN "/" VIA_SOCKET, SOCK_STREAM, 0660, BACKLOG)
				  : -ENOENT;
}

void via_control_listen(void)
{
	static int (*const ways[LISTENERS])(void) = {listen_vsock, listen_iucv, listen_unix};

	for (int i = 0; i < LISTENERS; i++) {
		int fd = listeners[i].on ? -1 : ways[i]();

		if (fd < 0)
			continue;
		listeners[i].fd = fd;
		listeners[i].events = POLLIN;
		listeners[i].on_ready = on_listener;
		via_watch_add(&listeners[i]);
	}
	if (!sweep.on) {
		sweep.on_time = on_sweep;
		via_timer_set(&sweep, SWEEP);
	}
}
