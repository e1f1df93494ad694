/* SPDX-License-Identifier: Apache-2.0 */
/* test-each-allocation.c - each allocation of lfpd's loop fails once: that costs one call or socket
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfpd/state/session.h"
#include "tests/failing-memory.h"
#include "tests/lfpd/bystander.h"
#include "tests/lfpd/datagrams.h"
#include "transport/path-inner.h"

#define TASK  7
#define BLOCK 4000 /* bytes of a DATA frame */
#define MOST  5000

static uint64_t next_id = 1000;
static uint64_t was_reset; /* the socket of the last RESET */
static uint64_t data_bytes;

static void on_turn(bool begins)
{
	memory_watched = begins;
}

/* So that the path allocates its next packet. */
static void forget_packets(void)
{
	struct packet_pool *pool = &host.inst.session->path->pool;

	packet_pool_finish(pool);
	packet_pool_spare(pool, 2);
}

static void note(const struct lfp_frame *frame)
{
	if (frame->code == LFP_RESET)
		was_reset = frame->sock;
	if (frame->code == LFP_DATA)
		data_bytes += frame->data.payload.len;
}

static struct lfp_frame next_frame(void)
{
	struct lfp_frame frame;

	if (!vse_next(&vse, &frame))
		fail_msg("allocation %lu: the path has ended", memory_fails);
	note(&frame);
	return frame;
}

static bool is_lack(int error)
{
	return error == ENOMEM || error == ENOBUFS;
}

/* The answer, for which frames of other kinds may come before. */
static struct lfp_frame ask(struct lfp_frame frame)
{
	struct lfp_frame reply;

	frame.request = ++vse.request;
	vse_send(&vse, &frame);
	do
		reply = next_frame();
	while (reply.request != frame.request);
	assert_int_equal(reply.code, frame.code | 0x80);
	return reply;
}

/* False after a lack of memory. */
static bool works(struct lfp_frame frame)
{
	int status = ask(frame).status;

	if (status && status != EINPROGRESS && !is_lack(status) &&
	    !(status == EPROTO && was_reset == frame.sock))
		fail_msg("allocation %lu: a lack of memory is told as %s to %s", memory_fails,
			 strerror(status), lfp_message_name(frame.code));
	return !status || status == EINPROGRESS;
}

static bool make_socket(uint64_t id, unsigned int kind)
{
	return works((struct lfp_frame){.code = LFP_SOCKET,
					.sock = id,
					.task = TASK,
					.socket = {.family = LFP_AF_INET, .kind = (uint16_t)kind}});
}

static void close_socket(uint64_t id)
{
	int status = ask((struct lfp_frame){.code = LFP_CLOSE, .sock = id, .close.how = 1}).status;

	assert_true(status == 0 || status == EPROTO);
}

static bool bind_socket(uint64_t id)
{
	return works((struct lfp_frame){
		.code = LFP_BIND, .sock = id, .bind.local = vse_addr("127.0.0.1", 0)});
}

static unsigned int port_of(uint64_t id)
{
	return ask((struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = id}).name.addr.port;
}

static bool move_data(uint64_t id, int fd)
{
	static char block[BLOCK];
	uint64_t sent = 0, limit = 4 * sizeof(block), read_ = 0;
	ssize_t n;

	was_reset = 0;
	data_bytes = 0;
	/* More than the kernel takes at once waits in lfpd's buffers. */
	for (; sent < limit; sent += sizeof(block))
		vse_data(&vse, id, sent, block, sizeof(block));
	while (read_ < sent && was_reset != id) {
		struct lfp_frame frame;

		while (vse_look(&vse, &frame))
			note(&frame);
		n = recv(fd, block, sizeof(block), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return false;
		read_ += n > 0 ? (uint64_t)n : 0;
	}
	forget_packets();
	if (was_reset == id || write(fd, "y", 1) != 1)
		return false;
	while (!data_bytes && was_reset != id)
		next_frame();
	return was_reset != id;
}

static bool use_connection(void)
{
	uint64_t id = ++next_id;
	unsigned int port;
	int listener = tcp_listen(&port), small = 4096, fd = -1;
	const struct lfp_addr to = vse_addr("127.0.0.1", port);
	struct lfp_frame frame;
	bool made, done;

	assert_int_equal(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	made = make_socket(id, 1);
	done = made &&
	       works((struct lfp_frame){.code = LFP_CONNECT, .sock = id, .connect.peer = to});
	if (done) {
		do
			frame = next_frame();
		while (frame.code != LFP_CONNECTED && frame.code != LFP_RESET);
		done = frame.code == LFP_CONNECTED && !frame.status;
		if (done)
			fd = tcp_accept(&host, listener);
	}
	done = done && move_data(id, fd);
	if (made)
		close_socket(id);
	if (fd >= 0)
		close(fd);
	close(listener);
	return done;
}

/* The host connects; lfpd hands the connection over or closes it. */
static bool accept_one(uint64_t listener)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				   .sin_port = htons((in_port_t)port_of(listener))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd pfd = {.fd = fd, .events = POLLRDHUP};
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = listener, .accept.count = 1};
	uint64_t id = 0;

	vse_send(&vse, &frame);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	while (!id && poll(&pfd, 1, 0) == 0) {
		if (!vse_look(&vse, &frame))
			continue;
		note(&frame);
		if (frame.code == LFP_ACCEPTED)
			id = frame.accepted.id;
	}
	if (id)
		close_socket(id);
	close(fd);
	return id;
}

static bool use_listener(void)
{
	uint64_t id = ++next_id;
	bool made = make_socket(id, 1);
	bool done =
		made && bind_socket(id) &&
		works((struct lfp_frame){.code = LFP_LISTEN, .sock = id, .listen.backlog = 4}) &&
		accept_one(id);

	if (made)
		close_socket(id);
	return done;
}

static bool use_datagrams(void)
{
	static const char half[] = "half";
	uint64_t id = ++next_id;
	unsigned int port, mine;
	int fd = udp(&mine), sent = 0;
	struct lfp_addr to = vse_addr("127.0.0.1", mine);
	bool made = make_socket(id, 2), done = made && bind_socket(id);

	if (done) {
		port = port_of(id);
		forget_packets();
		udp_send(fd, port, "question", 8);
		/* In two parts, which lfpd puts together. */
		datagram(id, 0, 8, 0, &to, half, 4);
		datagram(id, 0, 8, 4, &to, half, 4);
		sent = ask((struct lfp_frame){.code = LFP_SENT, .sock = id}).status;
		if (sent && sent != EPROTO && !is_lack(sent))
			fail_msg("allocation %lu: SENT says %s", memory_fails, strerror(sent));
		done = !sent;
	}
	if (made)
		close_socket(id);
	close(fd);
	return done;
}

static bool ask_for_a_name(void)
{
	struct lfp_frame reply = ask((struct lfp_frame){
		.code = LFP_GETNAMEINFO,
		.task = TASK,
		.getnameinfo = {.addr = vse_addr("127.0.0.1", 80), .flags = NI_NUMERICHOST}});
	int error = (int)reply.getnameinfo_reply.error;

	if (error && error != EAI_MEMORY && error != EAI_AGAIN)
		fail_msg("allocation %lu: a name is told as %s", memory_fails, gai_strerror(error));
	reply = ask(
		(struct lfp_frame){.code = LFP_GETADDRINFO,
				   .task = TASK,
				   .getaddrinfo = {.given = 2,
						   .kind = SOCK_STREAM,
						   .flags = AI_NUMERICSERV,
						   .service = {(const uint8_t *)"\xf8\xf0", 2}}});
	if (reply.getaddrinfo_reply.error) {
		error = (int)reply.getaddrinfo_reply.error;
		if (error != EAI_MEMORY && error != EAI_AGAIN)
			fail_msg("allocation %lu: an address is told as %s", memory_fails,
				 gai_strerror(error));
	}
	return !error;
}

static bool ask_for_interfaces(void)
{
	return works((struct lfp_frame){.code = LFP_GETIFADDRS, .task = TASK});
}

static bool scenario(void)
{
	struct lfp_frame end = {.code = LFP_TASK_END, .task = TASK};
	bool done = works((struct lfp_frame){
		.code = LFP_TASK_BEGIN, .task = TASK, .task_begin = {.pid = 1, .uid = 4711}});

	if (!done)
		return false;
	done &= use_connection();
	done &= use_listener();
	done &= use_datagrams();
	done &= ask_for_a_name();
	done &= ask_for_interfaces();
	vse_send(&vse, &end);
	return done;
}

struct counts {
	size_t sockets, tasks, shares, buffers;
	unsigned int jobs, descriptors;
};

static struct counts count_all(void)
{
	struct counts now = {
		.sockets = host.inst.nr_sockets,
		.tasks = host.inst.session->tasks.count,
		.shares = host.inst.shares.users.count,
		.buffers = host.inst.pool.in_use,
		.jobs = host.inst.session->nr_jobs,
	};

	for (int fd = 0; fd < 1024; fd++)
		now.descriptors += fcntl(fd, F_GETFD) >= 0;
	return now;
}

static bool is_at(const struct counts *before)
{
	struct counts now = count_all();

	return now.sockets == before->sockets && now.tasks == before->tasks &&
	       now.shares == before->shares && now.buffers == before->buffers &&
	       now.jobs == before->jobs && now.descriptors == before->descriptors;
}

static void return_to(const struct counts *before)
{
	uint64_t limit = uv_hrtime() + UINT64_C(60000000000);
	struct lfp_frame frame;

	while (!is_at(before)) {
		struct counts now = count_all();

		if (uv_hrtime() > limit)
			fail_msg(
				"allocation %lu: sockets %zu, tasks %zu, shares %zu, buffers %zu, jobs %u, "
				"descriptors %u remain",
				memory_fails, now.sockets - before->sockets,
				now.tasks - before->tasks, now.shares - before->shares,
				now.buffers - before->buffers, now.jobs - before->jobs,
				now.descriptors - before->descriptors);
		while (vse_look(&vse, &frame))
			note(&frame);
	}
}

static bool run(unsigned long fails, const struct counts *before)
{
	bool done;

	forget_packets();
	memory_asked = 0;
	memory_fails = fails;
	done = scenario();
	return_to(before);
	memory_fails = 0;
	return done;
}

static void each_allocation(void **state)
{
	struct lfp_frame frame;
	struct counts before;
	unsigned long fails;

	(void)state;
	host.config.initial_io_bufs = 0;
	start_logged();
	if (HAS_OWN_MALLOC)
		skip();
	begin_bystander();
	before = count_all();
	assert_true(run(0, &before));
	host_on_turn = on_turn;
	for (fails = 1; fails < MOST; fails++) {
		bool done = run(fails, &before);
		unsigned long asked = memory_asked;

		while (vse_look(&vse, &frame))
			note(&frame);
		bystander_lives();
		assert_true(run(0, &before));
		if (asked < fails) {
			assert_true(done);
			break;
		}
	}
	host_on_turn = NULL;
	print_message("%lu allocations\n", fails - 1);
	assert_in_range(fails, 10, MOST - 1);
	close(far_end);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
