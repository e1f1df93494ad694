/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - an instance hosted in the test, a scripted lfpd, and a program's calls */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/wiring.h"
#include "lfp/bigend.h"
#include "lfp/places.h"
#include "transport/choice.h"

static void hello(struct host *host, const struct lfp_frame *frame)
{
	struct lfp_frame reply = {
		.code = LFP_HELLO_REPLY,
		.request = frame->request,
		.status = host->hello_status,
		.hello_reply = {.version = 1,
				.threshold = 25,
				.features = frame->hello.features & host->features,
				.session = host->session,
				.mtu = 2048,
				.msglimit = 8,
				.window = 16384,
				.appname = "PEER"},
	};

	strcpy(reply.hello_reply.vmid, host->vmid);
	assert_string_equal(frame->hello.vmid, "VSE1");
	assert_string_equal(frame->hello.dest_appname, "PEER");
	host->asked_for = frame->hello.session;
	path_send(host->path, &reply);
	assert_int_equal(path_open(host->path, 2048, 8), 0);
}

static void take_option(struct got *got, const struct lfp_setsockopt *option)
{
	size_t len = option->value.len;

	got->level = option->level;
	got->name = option->name;
	if (len == sizeof(uint32_t))
		got->number = be32_get(option->value.ptr);
	if (len < sizeof(got->text) && len)
		memcpy(got->text, option->value.ptr, len);
}

static void take_who(struct got_who *who, const struct lfp_task_who *said)
{
	who->known = said->known;
	who->uid = said->uid;
	who->nr_groups = said->groups.len / 4;
	if (who->nr_groups)
		who->group = be32_get(said->groups.ptr + said->groups.len - 4);
	snprintf(who->program, sizeof(who->program), "%.*s", (int)said->program.len,
		 (const char *)said->program.ptr);
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct host *host = path_data(path);
	struct got *got = &host->got[host->nr_got];
	struct lfp_frame reply = {.code = (uint8_t)(frame->code | 0x80),
				  .sock = frame->sock,
				  .request = frame->request};

	(void)why;
	switch (frame->code) {
	case LFP_HELLO:
		hello(host, frame);
		return 0;
	case LFP_TASK_BEGIN:
		reply.task = frame->task;
		path_send(path, &reply);
		return 0;
	case LFP_TASK_END:
		return 0;
	case LFP_CLOSE:
		path_send(path, &reply);
		break;
	}
	assert_true(host->nr_got < LOG_MAX);
	host->nr_got++;
	*got = (struct got){.code = frame->code,
			    .request = frame->request,
			    .sock = frame->sock,
			    .epoch = frame->epoch};
	if (frame->code == LFP_CLOSE)
		got->how = frame->close.how;
	if (frame->code == LFP_SHUTDOWN)
		got->how = frame->shutdown.how;
	if (frame->code == LFP_ACCEPT)
		got->count = frame->accept.count;
	if (frame->code == LFP_WINDOW)
		got->consumed = frame->window.consumed;
	if (frame->code == LFP_SETSOCKOPT)
		take_option(got, &frame->setsockopt);
	if (frame->code == LFP_CONNECT)
		got->addr = frame->connect.peer;
	if (frame->code == LFP_TASK_WHO)
		take_who(&got->who, &frame->task_who);
	if (frame->code == LFP_RESUME)
		got->resume = frame->resume;
	if (frame->code == LFP_DATAGRAM) {
		got->datagram = frame->datagram;
		got->addr = frame->datagram.addr;
		got->consumed = frame->datagram.position;
		got->count = frame->datagram.payload.len;
		got->first = got->count ? frame->datagram.payload.ptr[0] : 0;
		host->bytes += got->count;
	}
	if (frame->code == LFP_DATA) {
		got->count = frame->data.payload.len;
		got->flags = frame->flags;
		got->first = frame->data.payload.ptr[0];
		host->bytes += got->count;
	}
	return 0;
}

static void on_ready(struct path *path)
{
	(void)path;
}

static void on_down(struct path *path, int error, const char *why)
{
	struct host *host = path_data(path);

	if (!error)
		snprintf(host->bye, sizeof(host->bye), "%s", why);
	path_close(path, NULL);
	host->path = NULL;
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct host *host = listener->data;

	assert_null(host->path);
	host->path = path_create(&host->peer, conn, LFP_FROM_VSE, 2048, &ops, host);
}

void host_listen(struct host *host)
{
	char path[LFP_PLACE_MAX];
	struct transport_where where = {.path = path, .mtu = 8192};

	assert_int_equal(lfp_place_lfpd(path, "PEER", "path"), 0);
	assert_int_equal(lfp_place_make_parent(path), 0);
	assert_int_equal(transport_unix.listen(&host->peer, &where, &host->listener), 0);
	host->listener->data = host;
	host->listener->on_connection = on_connection;
	host->listener->on_pause = NULL;
}

void host_deafen(struct host *host)
{
	transport_unix.stop(host->listener);
	host->listener = NULL;
}

void (*host_on_turn)(bool begins);

void host_turn(struct host *host)
{
	struct pollfd pfds[] = {
		{.fd = uv_backend_fd(&host->loop), .events = POLLIN},
		{.fd = uv_backend_fd(&host->peer), .events = POLLIN},
	};
	int alive;

	if (host_on_turn)
		host_on_turn(true);
	alive = uv_run(&host->loop, UV_RUN_NOWAIT);
	if (host_on_turn)
		host_on_turn(false);
	uv_run(&host->peer, UV_RUN_NOWAIT);
	if (!alive || host->gone)
		return;
	poll(pfds, 2, 1);
}

struct got host_expect(struct host *host, uint8_t code)
{
	for (;;) {
		host_until(host, host->seen < host->nr_got);
		if (host->got[host->seen++].code == code)
			return host->got[host->seen - 1];
	}
}

void host_send(struct host *host, struct lfp_frame frame)
{
	assert_non_null(host->path);
	assert_int_equal(path_send(host->path, &frame), 0);
}

void host_answer(struct host *host, struct got got, uint16_t status)
{
	host_send(host, (struct lfp_frame){.code = (uint8_t)(got.code | 0x80),
					   .sock = got.sock,
					   .request = got.request,
					   .status = status});
}

void host_data(struct host *host, uint64_t sock, uint64_t position, const char *text)
{
	size_t len = strlen(text);
	uint8_t *at;

	assert_int_equal(path_data_reserve(host->path, len, &at), len);
	memcpy(at, text, len);
	path_data_commit(host->path, sock, position, len, false);
}

static void on_started(void *data, int error)
{
	((struct host *)data)->started = error;
}

static void on_stop(void *data)
{
	((struct host *)data)->stop_wanted = true;
}

static void on_gone(void *data)
{
	((struct host *)data)->gone = true;
}

struct host *host_create(void)
{
	struct host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	strcpy(host->root, "/tmp/vselfpd-test-XXXXXX");
	assert_non_null(mkdtemp(host->root));
	setenv("LFP_ROOT", host->root, 1);
	host->vmid = "LIN1";
	host->session = 1;
	uv_loop_init(&host->loop);
	uv_loop_init(&host->peer);
	host_listen(host);
	return host;
}

void host_start(struct host *host)
{
	struct instance_config config = {
		.st = {.id = "07",
		       .mtu = 4096,
		       .iucv_msg_limit = 16,
		       .iucv_src_appname = "TEST",
		       .iucv_dest_appname = "PEER",
		       .iucv_dest_vmid = "LIN1",
		       .window_size = 8192,
		       .window_threshold = 50,
		       .hold_time = host->hold_time},
		.vmid = "VSE1",
		.transport = &transport_unix,
		.on_started = on_started,
		.on_stop = on_stop,
		.on_gone = on_gone,
		.data = host,
	};
	char path[LFP_PLACE_MAX];
	int error;

	assert_int_equal(lfp_place_vse(path, "07", "ctl"), 0);
	assert_int_equal(lfp_place_make_parent(path), 0);
	host->started = 1;
	host->inst = instance_create(&host->loop, &config, &error);
	assert_non_null(host->inst);
	host_until(host, host->started != 1);
}

void host_destroy(struct host *host)
{
	char command[128];

	ijblfp_instance_stop(host->inst);
	host_until(host, host->gone);
	if (host->listener)
		host_deafen(host);
	if (host->path)
		path_close(host->path, NULL);
	uv_run(&host->loop, UV_RUN_DEFAULT);
	uv_run(&host->peer, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&host->loop), 0);
	assert_int_equal(uv_loop_close(&host->peer), 0);
	snprintf(command, sizeof(command), "rm -r %s", host->root);
	assert_int_equal(system(command), 0);
	free(host);
}

uint64_t host_as;
int32_t host_task;

void request_put(int conn, int op, unsigned int flags, int a, int b, int c, const void *data,
		 size_t len, int fd)
{
	struct lfp_ctl_request request = {.magic = LFP_CTL_MAGIC,
					  .op = (uint16_t)op,
					  .flags = (uint16_t)flags,
					  .a = a,
					  .b = b,
					  .c = c,
					  .len = (uint32_t)len,
					  .task = host_task,
					  .speaker = host_task ? getpid() : 0,
					  .as = host_as};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {&request, LFP_CTL_REQUEST_HEAD + len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	memcpy(request.data, data, len);
	if (fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		CMSG_FIRSTHDR(&msg)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&msg)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&msg)->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), &fd, sizeof(int));
	}
	assert_int_equal(sendmsg(conn, &msg, 0), iov.iov_len);
}

int call_connect(void)
{
	int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	struct sockaddr_un addr;
	char path[LFP_PLACE_MAX];

	assert_int_equal(lfp_place_vse(path, "07", "ctl"), 0);
	assert_int_equal(lfp_unix_addr(&addr, path), 0);
	assert_int_equal(connect(conn, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return conn;
}

int call_send(struct host *host, int op, unsigned int flags, int a, int b, int c, const void *data,
	      size_t len, int fd)
{
	int conn = call_connect();

	(void)host;
	request_put(conn, op, flags, a, b, c, data, len, fd);
	return conn;
}

int call_wait(struct host *host, int conn, struct lfp_ctl_reply *reply, int *fd)
{
	struct lfp_ctl_reply own;
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {reply ? reply : &own, sizeof(own)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	struct pollfd pfd = {.fd = conn, .events = POLLIN};

	host_until(host, poll(&pfd, 1, 0) == 1);
	assert_true(recvmsg(conn, &msg, 0) >= (ssize_t)LFP_CTL_REPLY_HEAD);
	assert_int_equal(((struct lfp_ctl_reply *)iov.iov_base)->magic, LFP_CTL_REPLY_MAGIC);
	if (fd) {
		assert_non_null(CMSG_FIRSTHDR(&msg));
		memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	}
	close(conn);
	return ((struct lfp_ctl_reply *)iov.iov_base)->error;
}

int call(struct host *host, int op, int a, int b, int fd)
{
	return call_wait(host, call_send(host, op, 0, a, b, 4, "", 0, fd), NULL, NULL);
}

int new_socket(struct host *host, uint64_t *id)
{
	int conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	struct got got = host_expect(host, LFP_SOCKET);
	int fd;

	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	*id = got.sock;
	return fd;
}

int take_record(int listener)
{
	struct lfp_accept_record record;
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {&record, sizeof(record)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	int fd = -1;

	assert_int_equal(recvmsg(listener, &msg, MSG_DONTWAIT), sizeof(record));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

struct lfp_addr some_addr(uint16_t port)
{
	return (struct lfp_addr){.family = LFP_AF_INET, .port = port, .ip = {127, 0, 0, 1}};
}

short poll_now(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};

	poll(&pfd, 1, 0);
	return pfd.revents;
}

int host_set_up(void **state)
{
	struct host *host = host_create();

	host_start(host);
	assert_int_equal(host->started, 0);
	host_as = 0;
	host_task = 0;
	*state = host;
	return 0;
}

int host_tear_down(void **state)
{
	host_as = 0;
	host_destroy(*state);
	return 0;
}

int connected_socket(struct host *host, uint64_t *id)
{
	struct lfp_addr peer = some_addr(80);
	int fd = new_socket(host, id);
	int conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);

	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	assert_int_equal(poll_now(fd), 0);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = *id});
	host_until(host, poll_now(fd) == POLLOUT);
	return fd;
}

int listening_socket(struct host *host, uint64_t *id, int backlog)
{
	int fd = new_socket(host, id);
	int conn = call_send(host, LFP_CTL_LISTEN, 0, backlog, 0, 0, "", 0, fd);

	host_answer(host, host_expect(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(poll_now(fd), 0);
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	return fd;
}

void write_block(struct host *host, int fd, size_t len)
{
	static const char block[4096];

	while (len) {
		ssize_t n;

		host_until(host, (n = send(fd, block, len < sizeof(block) ? len : sizeof(block),
					   MSG_DONTWAIT)) > 0);
		len -= (size_t)n;
	}
}
