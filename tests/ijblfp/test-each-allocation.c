/* SPDX-License-Identifier: Apache-2.0 */
/* test-each-allocation.c - each allocation of the instance fails once, at the cost of one call or
 * connection */
#include "bystander.h"
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/log.h"
#include "lfp/share.h"
#include "transport/path-inner.h"
#include "tests/failing-memory.h"
#include "tests/qemu-user.h"

#define SMALL_FRAMES 300 /* of a byte each: more than the near end's buffer takes */
#define MOST         5000

/* The scripted lfpd's counts since the scenario began. */
static struct {
	unsigned int sockets; /* that programs have, as far as lfpd knows */
	uint64_t listener, connecting, last;
	unsigned int credits;
	uint64_t data, ended, closed, reset; /* the sockets of the last such frames */
	unsigned int datagrams;
} lfpd;

static uint64_t next_id;

/* Answers all frames that have come. */
static void serve(struct host *host)
{
	for (; host->seen < host->nr_got; host->seen++) {
		struct got got = host->got[host->seen];

		switch (got.code) {
		case LFP_SOCKET:
			lfpd.sockets++;
			lfpd.last = got.sock;
			host_answer(host, got, 0);
			break;
		case LFP_CONNECT:
			host_answer(host, got, EINPROGRESS);
			host_send(host,
				  (struct lfp_frame){.code = LFP_CONNECTED, .sock = got.sock});
			break;
		case LFP_ACCEPT:
			lfpd.listener = got.sock;
			lfpd.credits += got.count;
			break;
		case LFP_DATA:
			lfpd.data = got.sock;
			break;
		case LFP_DATAGRAM:
			lfpd.datagrams++;
			break;
		case LFP_CLOSE:
			lfpd.sockets--;
			lfpd.closed = got.sock;
			break;
		case LFP_WINDOW:
		case LFP_SHUTDOWN:
			break;
		default:
			host_answer(host, got, 0);
			break;
		}
	}
	host->seen = host->nr_got = 0;
}

#define until(host, condition) host_until(host, (serve(host), (condition)))

/* A process for which this one calls; it ends when the pipe does. */
struct program {
	pid_t pid;
	int pipe;
};

static struct program start_program(void)
{
	struct program program;
	int ends[2];
	char c;

	assert_int_equal(pipe(ends), 0);
	program.pid = fork();
	assert_true(program.pid >= 0);
	if (!program.pid) {
		close(ends[1]);
		_exit(read(ends[0], &c, 1) != 0);
	}
	close(ends[0]);
	program.pipe = ends[1];
	return program;
}

static void end_program(const struct program *program)
{
	close(program->pipe);
	assert_int_equal(waitpid(program->pid, NULL, 0), program->pid);
}

static bool is_lack(int error)
{
	return error == ENOMEM || error == ENOBUFS;
}

/* Returns the answer's error. @fd is set to the descriptor that came along, or -1. */
static int answer(struct host *host, int conn, struct lfp_ctl_reply *reply, int *fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {reply, sizeof(*reply)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	ssize_t n;

	until(host, poll(&pfd, 1, 0) == 1);
	n = recvmsg(conn, &msg, 0);
	close(conn);
	if (n < (ssize_t)LFP_CTL_REPLY_HEAD || reply->magic != LFP_CTL_REPLY_MAGIC)
		fail_msg("allocation %lu: a call has no answer", memory_fails);
	if (fd) {
		*fd = -1;
		if (CMSG_FIRSTHDR(&msg))
			memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	}
	if (reply->error && !is_lack(reply->error))
		fail_msg("allocation %lu: a lack of memory is told as %s", memory_fails,
			 strerror(reply->error));
	return reply->error;
}

static int ask(struct host *host, int op, unsigned int flags, int a, int b, const void *data,
	       size_t len, int fd)
{
	struct lfp_ctl_reply reply;

	return answer(host, call_send(host, op, flags, a, b, 0, data, len, fd), &reply, NULL);
}

/* Returns the near end, or -1. */
static int make_socket(struct host *host, int type)
{
	struct lfp_ctl_reply reply;
	int fd;

	if (answer(host, call_send(host, LFP_CTL_SOCKET, 0, AF_INET, type, 0, "", 0, -1), &reply,
		   &fd))
		return -1;
	assert_true(fd >= 0);
	return fd;
}

/* Each of these returns false after a lack of memory, and has closed the program's descriptors by
 * then. */

static bool use_datagrams(struct host *host)
{
	int fd = make_socket(host, SOCK_DGRAM);
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	socklen_t len = sizeof(near);
	unsigned int before = lfpd.datagrams;
	bool done;

	if (fd < 0)
		return false;
	assert_int_equal(getsockname(fd, (struct sockaddr *)&near, &len), 0);
	assert_true(send_to(fd, &near, &meta, "question", 8) > 0);
	from_lfpd(host, lfpd.last, 0, 53, "answer");
	/* Each datagram may be lost, and the instance reports what became of those that were sent.
	 */
	done = !ask(host, LFP_CTL_SENT, 0, 0, 0, "", 0, fd);
	if (done && !memory_fails)
		until(host, lfpd.datagrams > before && (poll_now(fd) & POLLIN));
	close(fd);
	return done;
}

/* lfpd accepts a connection: the program gets it, or lfpd gets CLOSE for it. */
static bool accept_one(struct host *host, int listener)
{
	uint64_t id = LFP_ID_LFPD | ++next_id;
	int fd;

	until(host, lfpd.credits);
	lfpd.credits--;
	lfpd.sockets++;
	host_send(host,
		  (struct lfp_frame){
			  .code = LFP_ACCEPTED,
			  .sock = lfpd.listener,
			  .accepted = {.id = id, .peer = some_addr(9), .local = some_addr(80)}});
	until(host, lfpd.closed == id || (poll_now(listener) & POLLIN));
	if (lfpd.closed == id)
		return false;
	fd = take_record(listener);
	/* Its credit comes back. */
	until(host, lfpd.credits);
	close(fd);
	return true;
}

static bool use_listener(struct host *host)
{
	const struct lfp_addr addr = some_addr(80);
	int fd = make_socket(host, SOCK_STREAM);
	bool done = fd >= 0 && !ask(host, LFP_CTL_BIND, 0, 0, 0, &addr, sizeof(addr), fd) &&
		    !ask(host, LFP_CTL_LISTEN, 0, 2, 0, "", 0, fd) && accept_one(host, fd);

	if (fd >= 0)
		close(fd);
	lfpd.credits = 0;
	return done;
}

/* Makes the path allocate its next packet. */
static void forget_packets(struct host *host)
{
	struct packet_pool *pool = &host->inst->link->path->pool;

	packet_pool_finish(pool);
	packet_pool_spare(pool, 2);
}

/* Returns true if the connection still exists. Otherwise its program gets an error or a reset. */
static bool is_connected(int fd)
{
	return !(poll_now(fd) & (POLLRDHUP | POLLHUP));
}

/* Many small frames that the program does not read wait in the instance. */
static bool move_data(struct host *host, int fd, uint64_t id)
{
	char buf[4 * SMALL_FRAMES];
	size_t read = 0;
	ssize_t n;

	forget_packets(host);
	assert_int_equal(send(fd, "data", 4, MSG_NOSIGNAL), 4);
	until(host, lfpd.data == id || !is_connected(fd));
	for (uint64_t i = 0; i < SMALL_FRAMES && is_connected(fd); i++)
		host_data(host, id, i, "x");
	while (read < SMALL_FRAMES) {
		until(host, (n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) >= 0 || errno != EAGAIN);
		if (n <= 0)
			return false;
		read += (size_t)n;
	}
	return is_connected(fd);
}

static bool use_connection(struct host *host)
{
	const struct lfp_addr addr = some_addr(80);
	int fd = make_socket(host, SOCK_STREAM);
	uint64_t id = lfpd.last;
	bool done = fd >= 0 &&
		    !ask(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, &addr, sizeof(addr), fd) &&
		    move_data(host, fd, id) && !ask(host, LFP_CTL_URGENT, 0, 0, 0, "!", 1, fd);

	if (fd >= 0)
		close(fd);
	return done;
}

static bool ask_for_a_name(struct host *host)
{
	static const uint8_t question[] = "\1name\0";
	struct lfp_ctl_reply reply;

	return !answer(host,
		       call_send(host, LFP_CTL_GETADDRINFO, 0, 0, AF_INET, 0, question,
				 sizeof(question), -1),
		       &reply, NULL) &&
	       !reply.value;
}

/* A call whose request comes later than its connection. */
static bool come_silently(struct host *host)
{
	struct lfp_ctl_reply reply;
	struct pollfd pfd = {.events = POLLIN};
	unsigned int before = host->inst->ctl->nr_silent;
	int conn = call_connect();

	pfd.fd = conn;
	/* Without memory for it, the answer comes at once. */
	until(host, host->inst->ctl->nr_silent > before || poll(&pfd, 1, 0) == 1);
	if (poll(&pfd, 1, 0) == 0)
		request_put(conn, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	return !answer(host, conn, &reply, NULL);
}

static bool begin_task(struct host *host)
{
	struct lfp_ctl_reply reply;

	if (answer(host,
		   call_send(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_BEGIN, 0, 0, "INQUIRY ", 8, -1),
		   &reply, NULL))
		return false;
	memcpy(&host_as, reply.data, sizeof(host_as));
	return true;
}

static bool end_task(struct host *host)
{
	bool done = !ask(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_END, 0, "", 0, -1);

	host_as = 0;
	return done;
}

static bool scenario(struct host *host)
{
	bool done = true;

	/* Each part is tried: a lack of memory in one is no reason for others to fail. */
	done &= come_silently(host);
	done &= use_datagrams(host);
	done &= use_listener(host);
	done &= use_connection(host);
	done &= ask_for_a_name(host);
	if (begin_task(host)) {
		done &= use_connection(host);
		done &= end_task(host);
	} else {
		done = false;
	}
	return done;
}

static void on_turn(bool begins)
{
	memory_watched = begins;
}

/* Counts that must be the same before and after a scenario. */
struct counts {
	size_t sockets, shares, calls;
	unsigned int tasks, silent, parked, handles, descriptors, lfpd;
};

static struct counts count(struct host *host)
{
	const struct instance *inst = host->inst;

	return (struct counts){
		.sockets = inst->socks->by_id.count,
		.shares = inst->ctl->shares.users.count,
		.tasks = tasks_living(inst->tasks),
		.silent = inst->ctl->nr_silent,
		.parked = inst->ctl->nr_parked,
		.calls = inst->link->requests.by_number.count,
		.handles = inst->handles,
		/* A user's set of near ends stays. */
		.descriptors = open_descriptors() - inst->near->living.nr,
		.lfpd = lfpd.sockets,
	};
}

static bool is_at(struct host *host, const struct counts *before)
{
	struct counts now = count(host);

	return now.sockets == before->sockets && now.shares == before->shares &&
	       now.tasks == before->tasks && now.silent == before->silent &&
	       now.parked == before->parked && now.calls == before->calls &&
	       now.handles == before->handles && now.descriptors == before->descriptors &&
	       now.lfpd == before->lfpd;
}

static void say(const char *when, const struct counts *n)
{
	print_message(
		"%s: sockets %zu shares %zu tasks %u silent %u parked %u calls %zu handles %u "
		"descriptors %u lfpd's sockets %u\n",
		when, n->sockets, n->shares, n->tasks, n->silent, n->parked, n->calls, n->handles,
		n->descriptors, n->lfpd);
}

static void return_to(struct host *host, const struct counts *before)
{
	uint64_t limit = uv_hrtime() + HOST_PATIENCE;
	struct counts now;

	while (!is_at(host, before)) {
		if (uv_hrtime() > limit) {
			now = count(host);
			say("before", before);
			say("now", &now);
			fail_msg("allocation %lu: something remains", memory_fails);
		}
		host_turn(host);
		serve(host);
	}
}

/* Returns true if the program got everything that it asked for. */
static bool run(struct host *host, unsigned long fails, const struct counts *before)
{
	struct program program = start_program();
	bool done;

	forget_packets(host);
	host_task = program.pid;
	memory_asked = 0;
	memory_fails = fails;
	done = scenario(host);
	host_task = 0;
	end_program(&program);
	return_to(host, before);
	memory_fails = 0;
	return done;
}

static void each_allocation(void **state)
{
	struct host *host = *state;
	struct counts before;
	unsigned long fails;

	if (HAS_OWN_MALLOC)
		skip();
	begin_bystander(host);
	lfpd.sockets = 0;
	before = count(host);
	assert_true(run(host, 0, &before));
	host_on_turn = on_turn;
	for (fails = 1; fails < MOST; fails++) {
		bool done = run(host, fails, &before);
		unsigned long asked = memory_asked;

		bystander_lives(host);
		assert_true(run(host, 0, &before));
		assert_int_equal(host->inst->disagreements, 0);
		if (asked < fails) {
			assert_true(done);
			break;
		}
	}
	host_on_turn = NULL;
	print_message("%lu allocations\n", fails - 1);
	assert_in_range(fails, 20, MOST - 1);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_allocation),
	};

	QEMU_USER_CANNOT("a heap that is the test's alone");
	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
