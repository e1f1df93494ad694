/* SPDX-License-Identifier: Apache-2.0 */
/* misuse.c - programs that do random things with their sockets, the host that they meet, and a
 * bystander
 *
 *	misuse host HOST PORT SEED		a server on PORT that makes trouble; it also calls
 * the listeners of the programs, on the ports after PORT + 1 misuse bystander HOST PORT FILE
 * sends bytes to an echo until there is FILE misuse plain|raw HOST PORT SEED SECONDS MAX_MS DIR NR
 * CTL a program: the NRth whose mailbox is in DIR. CTL is the control channel, which only a raw one
 * uses
 *
 * A plain program makes socket calls alone, from two threads and from processes that it forks. A
 * raw one also makes system calls on near ends, past the library, and sends requests on the control
 * channel. A program fails if a call takes longer than MAX_MS milliseconds. Nobody waits in a call
 * on purpose.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "lfp/addr.h"
#include "lfp/ctl.h"
#include "tests/system/tool.h"

enum { SLOTS = 24, PORTS = 4, MAILBOXES = 4, CONNS = 128, HUNG_MS = 30000 };

static struct sockaddr_in target;

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 16;
}

static struct sockaddr_in port_after(unsigned int nr)
{
	struct sockaddr_in addr = target;

	addr.sin_port = htons((in_port_t)(ntohs(target.sin_port) + nr));
	return addr;
}

static struct pollfd conns[CONNS];
static unsigned int oldest;

static void keep(int fd)
{
	struct pollfd *pfd = &conns[oldest++ % CONNS];

	if (pfd->fd >= 0)
		close(pfd->fd);
	*pfd = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void reset(struct pollfd *pfd)
{
	const struct linger now = {.l_onoff = 1};

	(void)setsockopt(pfd->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(pfd->fd);
	pfd->fd = -1;
}

static void trouble(struct pollfd *pfd, uint64_t *seed)
{
	static char buf[70000];
	ssize_t n;

	switch (next_random(seed) % 24) {
	case 0:
		reset(pfd);
		break;
	case 1:
		close(pfd->fd);
		pfd->fd = -1;
		break;
	case 2:
		(void)shutdown(pfd->fd, SHUT_WR);
		break;
	case 3:
		pfd->events = 0; /* reads no more */
		break;
	case 4:
		(void)send(pfd->fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 5:
		(void)send(pfd->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 6:
		(void)shutdown(pfd->fd, SHUT_RDWR);
		break;
	default:
		n = pfd->revents & POLLIN ? recv(pfd->fd, buf, sizeof(buf), MSG_DONTWAIT) : 0;
		if (n > 0)
			(void)send(pfd->fd, buf, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* Calls one of the listeners that the programs may have. */
static void call_a_program(uint64_t *seed)
{
	struct sockaddr_in addr = port_after(2 + (unsigned int)(next_random(seed) % PORTS));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 && errno != EINPROGRESS)
		close(fd);
	else
		keep(fd);
}

static _Noreturn void host(uint64_t seed)
{
	int listener = tcp_listen(&target, SOCK_NONBLOCK);

	for (int i = 0; i < CONNS; i++)
		conns[i].fd = -1;
	for (;;) {
		int fd;

		(void)poll(conns, CONNS, 5);
		while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
			keep(fd);
		for (int i = 0; i < CONNS; i++)
			if (conns[i].fd >= 0 && (conns[i].revents || next_random(&seed) % 16 == 0))
				trouble(&conns[i], &seed);
		call_a_program(&seed);
	}
}

static int bystander(const char *file)
{
	static unsigned char out[20000], in[20000];
	int fd = tcp_connect(&target);
	uint64_t nr = 0;

	if (fd < 0)
		die("the bystander's connect");
	do {
		pattern(out, sizeof(out), nr);
		if (send_all(fd, out, sizeof(out)) < 0 || recv_all(fd, in, sizeof(in)) < 0)
			die("the bystander's echo");
		if (memcmp(in, out, sizeof(in))) {
			printf("block %lu has other bytes\n", (unsigned long)nr);
			return 1;
		}
		if (!nr++) {
			printf("ready\n");
			fflush(stdout);
		}
		poll(NULL, 0, 5);
	} while (access(file, F_OK) < 0);
	printf("%lu blocks\n", (unsigned long)nr);
	return 0;
}

/* A thread of a program. */
struct actor {
	uint64_t random;
	_Atomic int64_t since;     /* of its call; 0: none */
	const char *_Atomic doing; /* the last call that may wait */
};

static atomic_int slots[SLOTS];
/* A number is closed only while no other thread uses one. */
static pthread_rwlock_t in_use = PTHREAD_RWLOCK_INITIALIZER;
static bool is_raw, is_child;
static const char *directory, *ctl_path;
static unsigned int number_of_ours;
static int mailbox;
static int64_t end_at, max_ms;
static atomic_int slow;
static atomic_ulong nr_calls, nr_good;
static long (*bare)(long nr, ...);

static unsigned int pick(struct actor *actor, unsigned int of)
{
	return (unsigned int)(next_random(&actor->random) % of);
}

/* Some programs have few sockets, so that their threads often use the same one. */
static atomic_int *some_slot(struct actor *actor)
{
	return &slots[pick(actor, number_of_ours < MAILBOXES / 2 ? SLOTS : SLOTS / 6)];
}

static int some_fd(struct actor *actor)
{
	int fd = -1;

	for (int i = 0; i < 4 && fd < 0; i++)
		fd = atomic_load(some_slot(actor));
	return fd;
}

static void close_slot(atomic_int *slot, int with)
{
	int old;

	if (!is_child)
		pthread_rwlock_wrlock(&in_use);
	old = atomic_exchange(slot, with);
	if (old >= 0)
		close(old);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
}

static void result(long rc)
{
	atomic_fetch_add(&nr_calls, 1);
	if (rc >= 0)
		atomic_fetch_add(&nr_good, 1);
}

static struct sockaddr_un mailbox_addr(unsigned int nr)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/mail-%u", directory, nr);
	return addr;
}

union control {
	struct cmsghdr head;
	char buf[CMSG_SPACE(sizeof(int))];
};

static void put_fd(struct msghdr *msg, union control *control, int fd)
{
	memset(control, 0, sizeof(*control));
	control->head.cmsg_level = SOL_SOCKET;
	control->head.cmsg_type = SCM_RIGHTS;
	control->head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control->head), &fd, sizeof(int));
	msg->msg_control = control->buf;
	msg->msg_controllen = sizeof(control->buf);
}

/* Passes a near end to another program, or to itself. */
static void mail(struct actor *actor, int fd)
{
	struct sockaddr_un addr = mailbox_addr(pick(actor, MAILBOXES));
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	put_fd(&msg, &control, fd);
	result(sendmsg(mailbox, &msg, MSG_DONTWAIT | MSG_NOSIGNAL));
}

/* Returns the descriptor that came with a message, or -1. */
static int take_fd(const struct msghdr *msg)
{
	int fd = -1;

	if (msg->msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    ((struct cmsghdr *)msg->msg_control)->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA((struct cmsghdr *)msg->msg_control), sizeof(int));
	return fd;
}

static int get_mail(void)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};

	return recvmsg(mailbox, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0 ? -1 : take_fd(&msg);
}

/* A call that has to wait for others does not do so for long. */
static void be_quick(long (*set)(long, ...), int fd)
{
	const struct timeval soon = {.tv_usec = 10000};

	if (set) {
		(void)set(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
		(void)set(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		return;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
}

static int make(struct actor *actor)
{
	int fd = socket(AF_INET, SOCK_STREAM | (pick(actor, 2) ? SOCK_NONBLOCK : 0), 0), yes = 1;

	result(fd);
	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	be_quick(NULL, fd);
	return fd;
}

static void connect_somewhere(struct actor *actor, int fd)
{
	struct sockaddr_in addr = port_after(0);

	switch (pick(actor, 8)) {
	case 0:
		addr.sin_family = AF_UNSPEC;
		break;
	case 1:
		addr = port_after(1); /* nobody listens there */
		break;
	case 2:
		addr = port_after(2 + pick(actor, PORTS));
		break;
	case 3:
		addr.sin_port = 0;
		break;
	}
	actor->doing = "connect";
	result(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static void transfer(struct actor *actor, int fd)
{
	char buf[30000] = "";
	int bytes;

	switch (pick(actor, 8)) {
	case 0:
		result(send(fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL));
		break;
	case 1:
		result(recv(fd, buf, 1, MSG_OOB | MSG_DONTWAIT));
		break;
	case 2:
		result(recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT));
		break;
	case 3:
		result(ioctl(fd, FIONREAD, &bytes));
		break;
	case 4:
	case 5:
		result(recv(fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT));
		break;
	default:
		result(send(fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT | MSG_NOSIGNAL));
	}
}

static void ask(struct actor *actor, int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int value = 0;

	switch (pick(actor, 5)) {
	case 0:
		result(getsockname(fd, (struct sockaddr *)&addr, &len));
		break;
	case 1:
		result(getpeername(fd, (struct sockaddr *)&addr, &len));
		break;
	case 2:
		len = sizeof(value);
		result(getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &len));
		break;
	case 3:
		value = 1;
		result(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
		break;
	default:
		value = O_RDWR | (pick(actor, 2) ? O_NONBLOCK : 0);
		result(fcntl(fd, F_SETFL, value));
	}
}

static void act(struct actor *actor);

/* A child that has all sockets, uses them and ends. */
static void split(struct actor *actor)
{
	pid_t child;

	actor->doing = "fork";
	child = fork();

	result(child);
	if (child < 0)
		return;
	if (child == 0) {
		is_child = true;
		for (int i = 0; i < 10; i++)
			act(actor);
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Returns a new descriptor, or -1. */
static int plain_call(struct actor *actor, int fd)
{
	int fresh = -1;
	const struct linger now = {.l_onoff = 1};
	struct sockaddr_in addr;

	switch (pick(actor, 20)) {
	case 9:
		fresh = dup(fd);
		break;
	case 10:
	case 11:
		actor->doing = "accept";
		fresh = accept4(fd, NULL, NULL, pick(actor, 2) ? SOCK_NONBLOCK : 0);
		result(fresh);
		break;
	case 0:
		addr = port_after(2 + pick(actor, PORTS));
		result(bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
		break;
	case 1:
		result(listen(fd, (int)pick(actor, 8)));
		break;
	case 2:
	case 3:
	case 4:
		connect_somewhere(actor, fd);
		break;
	case 5:
		result(shutdown(fd, (int)pick(actor, 4)));
		break;
	case 6:
		mail(actor, fd);
		break;
	case 7:
		result(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
		break;
	case 8:
		ask(actor, fd);
		break;
	default:
		transfer(actor, fd);
	}
	return fresh;
}

/* Sends through a near end, with the descriptor of another. */
static void raw_pass(struct actor *actor, int fd)
{
	char bytes[8] = "";
	struct iovec iov = {bytes, 1 + pick(actor, sizeof(bytes))};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	put_fd(&msg, &control, pick(actor, 2) ? fd : some_fd(actor));
	result(bare(SYS_sendmsg, fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL));
}

/* Takes an accept record, or data, without the rest of accept(). Returns the descriptor, or -1. */
static int raw_take(struct actor *actor, int fd)
{
	char bytes[512];
	struct iovec iov = {bytes,
			    pick(actor, 3) ? sizeof(struct lfp_accept_record) : sizeof(bytes)};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	long n = bare(SYS_recvmsg, fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	result(n);
	return n < 0 ? -1 : take_fd(&msg);
}

static int raw_call(struct actor *actor, int fd)
{
	struct sockaddr_un addr = mailbox_addr(pick(actor, MAILBOXES));
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char buf[3000] = "";

	switch (pick(actor, 12)) {
	case 0:
		actor->doing = "bare connect";
		/* To a name of its own, or of another near end. */
		if (pick(actor, 2) && bare(SYS_getsockname, some_fd(actor), &name, &len) == 0)
			result(bare(SYS_connect, fd, &name, len));
		else
			result(bare(SYS_connect, fd, &addr, sizeof(addr)));
		break;
	case 1:
		result(bare(SYS_shutdown, fd, pick(actor, 3)));
		break;
	case 2:
		result(bare(SYS_sendto, fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL, NULL,
			    0));
		break;
	case 3:
		raw_pass(actor, fd);
		break;
	case 4:
		result(bare(SYS_getpeername, fd, &name, &len));
		break;
	case 5:
		result(bare(SYS_listen, fd, 3));
		break;
	case 6:
		result(bare(SYS_sendto, fd, buf, 1 + pick(actor, sizeof(buf) - 1),
			    MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0));
		break;
	case 7:
		result(bare(SYS_recvfrom, fd, buf, pick(actor, sizeof(buf)), MSG_DONTWAIT, NULL,
			    NULL));
		break;
	case 8:
		actor->doing = "bare accept";
		return (int)bare(SYS_accept4, fd, NULL, NULL, SOCK_NONBLOCK);
	case 9:
		name.ss_family = AF_UNSPEC;
		result(bare(SYS_connect, fd, &name, sizeof(sa_family_t)));
		break;
	default:
		return raw_take(actor, fd);
	}
	return -1;
}

static size_t fill(struct actor *actor, struct lfp_ctl_request *request)
{
	struct lfp_addr addr = {.family = LFP_AF_INET};
	struct sockaddr_in in = port_after(pick(actor, 2 + PORTS));
	struct lfp_ctl_client client = {.family = AF_INET};
	size_t len = 0;

	memset(client.name, ' ', sizeof(client.name) + sizeof(client.task));
	switch (request->op) {
	case LFP_CTL_BIND:
	case LFP_CTL_CONNECT:
		(void)lfp_addr_from(&addr, (struct sockaddr *)&in, sizeof(in));
		if (pick(actor, 8) == 0)
			memset(&addr, 0, sizeof(addr));
		memcpy(request->data, &addr, len = sizeof(addr));
		break;
	case LFP_CTL_URGENT:
		len = 1;
		break;
	case LFP_CTL_SETSOCKOPT:
		request->a = SOL_SOCKET;
		request->b = pick(actor, 2) ? SO_KEEPALIVE : SO_LINGER;
		len = pick(actor, 2) ? 4 : 8;
		break;
	case LFP_CTL_GIVE:
	case LFP_CTL_TAKE:
		request->a = (int)pick(actor, 3);
		request->b = 1;
		memcpy(request->data, &client, len = sizeof(client));
		break;
	}
	return pick(actor, 10) ? len : pick(actor, 200);
}

/* Sends a request and maybe waits for its answer. Returns the descriptor that came with that, or
 * -1. */
static int exchange(struct actor *actor, int conn, const struct lfp_ctl_request *request,
		    size_t len, int fd)
{
	struct iovec iov = {(void *)(uintptr_t)request, LFP_CTL_REQUEST_HEAD + len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;
	struct lfp_ctl_reply reply;
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	bool direct = request->flags & LFP_CTL_DIRECT;

	if (fd >= 0)
		put_fd(&msg, &control, fd);
	if (sendmsg(conn, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -1;
	/* Some leave before the answer comes. */
	if (pick(actor, 4) == 0 || request->op == LFP_CTL_PARK || request->op == LFP_CTL_HAND ||
	    poll(&pfd, 1, direct ? 50 : 200) <= 0)
		return -1;
	iov = (struct iovec){&reply, sizeof(reply)};
	msg = (struct msghdr){.msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control)};
	if (recvmsg(conn, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < (ssize_t)LFP_CTL_REPLY_HEAD)
		return -1;
	result(-reply.error);
	return take_fd(&msg);
}

/* A connection to the control channel, or one end of a pair that was handed over on a parked one.
 */
static int reach(struct actor *actor)
{
	const struct lfp_ctl_request park = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_PARK};
	const struct lfp_ctl_request hand = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_HAND};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), ends[2];

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", ctl_path);
	if (conn < 0 || connect(conn, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(conn);
		return -1;
	}
	if (pick(actor, 3))
		return conn;
	(void)exchange(actor, conn, &park, 0, -1);
	if (pick(actor, 3) == 0)
		return conn;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return conn;
	(void)exchange(actor, conn, &hand, 0, pick(actor, 8) ? ends[1] : conn);
	close(conn);
	close(ends[1]);
	return ends[0];
}

static int request(struct actor *actor, int fd)
{
	static const uint16_t ops[] = {
		LFP_CTL_BIND,    LFP_CTL_CONNECT,     LFP_CTL_CONNECT,   LFP_CTL_CONNECT,
		LFP_CTL_DETACH,  LFP_CTL_LISTEN,      LFP_CTL_SHUTDOWN,  LFP_CTL_GETSOCKNAME,
		LFP_CTL_WHY_EOF, LFP_CTL_SETSOCKOPT,  LFP_CTL_OUTQ,      LFP_CTL_IDENTIFY,
		LFP_CTL_RENEW,   LFP_CTL_RENEW,       LFP_CTL_WHY_EPIPE, LFP_CTL_URGENT,
		LFP_CTL_GIVE,    LFP_CTL_TAKE,        LFP_CTL_TAKEN,     LFP_CTL_DROP,
		LFP_CTL_SOCKET,  LFP_CTL_GETPEERNAME, LFP_CTL_GUARD,     LFP_CTL_SENT,
	};
	struct lfp_ctl_request request = {.magic = LFP_CTL_MAGIC};
	int conn, taken;
	size_t len;

	actor->doing = "request";
	conn = reach(actor);

	if (conn < 0)
		return -1;
	request.op = pick(actor, 40) ? ops[pick(actor, sizeof(ops) / sizeof(*ops))]
				     : (uint16_t)pick(actor, 50);
	request.flags = pick(actor, 3) ? 0 : (uint16_t)pick(actor, 16);
	request.a = request.op == LFP_CTL_SOCKET ? AF_INET : (int)pick(actor, 4);
	request.b = request.op == LFP_CTL_SOCKET ? SOCK_STREAM : (int)pick(actor, 4);
	if (pick(actor, 8) == 0) {
		request.task = getpid();
		request.speaker = pick(actor, 2) ? getpid() : 1;
	}
	len = fill(actor, &request);
	request.len = (uint32_t)len;
	taken = exchange(actor, conn, &request, len, pick(actor, 16) ? fd : conn);
	if (request.op == LFP_CTL_CONNECT && pick(actor, 2)) {
		request.op = LFP_CTL_DETACH;
		request.len = 0;
		(void)exchange(actor, conn, &request, 0, -1);
	}
	close(conn);
	return taken;
}

static void with_fd(struct actor *actor, int fd)
{
	int fresh;

	if (is_raw && pick(actor, 3) == 0)
		fresh = pick(actor, 2) ? raw_call(actor, fd) : request(actor, fd);
	else
		fresh = plain_call(actor, fd);
	if (fresh < 0)
		return;
	if (is_raw)
		be_quick(bare, fresh);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
	close_slot(some_slot(actor), fresh);
	if (!is_child)
		pthread_rwlock_rdlock(&in_use);
}

static void act(struct actor *actor)
{
	atomic_int *slot = some_slot(actor);
	int fd = atomic_load(slot);

	if (fd < 0) {
		fd = pick(actor, 4) ? make(actor) : get_mail();
		if (fd >= 0)
			close_slot(slot, fd);
		return;
	}
	if (pick(actor, 40) == 0) {
		close_slot(slot, -1);
		return;
	}
	if (!is_child && pick(actor, 200) == 0) {
		split(actor);
		return;
	}
	if (!is_child)
		pthread_rwlock_rdlock(&in_use);
	fd = atomic_load(slot);
	if (fd >= 0)
		with_fd(actor, fd);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
}

static void *perform(void *arg)
{
	struct actor *actor = arg;

	actor->doing = "nothing";
	while (now_ms() < end_at) {
		int64_t begun = now_ms(), took;
		uint64_t before = actor->random;

		atomic_store(&actor->since, begun);
		act(actor);
		atomic_store(&actor->since, 0);
		took = now_ms() - begun;
		if (took > max_ms) {
			printf("%ld ms at %016lx, after %s\n", (long)took, (unsigned long)before,
			       atomic_load(&actor->doing));
			atomic_fetch_add(&slow, 1);
		}
	}
	return NULL;
}

static int program(uint64_t seed)
{
	static struct actor actors[2];
	struct sockaddr_un addr = mailbox_addr(number_of_ours);
	pthread_t threads[2];

	mailbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (mailbox < 0 || bind(mailbox, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die("mailbox");
	bare = (long (*)(long, ...))dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "syscall");
	if (!bare)
		die("libc's syscall()");
	for (int i = 0; i < SLOTS; i++)
		slots[i] = -1;
	for (int i = 0; i < 2; i++) {
		uint64_t nr = number_of_ours * 2 + (unsigned int)i + 1;

		actors[i].random = (seed + 1) * 0x9E3779B97F4A7C15u ^ nr << 32;
		if (pthread_create(&threads[i], NULL, perform, &actors[i]))
			die("thread");
	}
	while (now_ms() < end_at + HUNG_MS) {
		bool ended = true;

		for (int i = 0; i < 2; i++)
			ended &= now_ms() > end_at && !atomic_load(&actors[i].since);
		if (ended)
			break;
		poll(NULL, 0, 50);
	}
	for (int i = 0; i < 2; i++)
		if (atomic_load(&actors[i].since)) {
			printf("a call does not end after %s\n", atomic_load(&actors[i].doing));
			fflush(stdout);
			_exit(1);
		}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	unlink(addr.sun_path);
	printf("%lu calls, %lu of them good, %d slow\n", atomic_load(&nr_calls),
	       atomic_load(&nr_good), atomic_load(&slow));
	return atomic_load(&slow) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 64;
	target = host_addr(argv[2], number(argv[3]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(argv[1], "bystander"))
		return bystander(argv[4]);
	if (!strcmp(argv[1], "host"))
		host(number(argv[4]) + 1);
	if (argc < 10)
		return 64;
	is_raw = !strcmp(argv[1], "raw");
	end_at = now_ms() + (int64_t)number(argv[5]) * 1000;
	max_ms = (int64_t)number(argv[6]);
	directory = argv[7];
	number_of_ours = (unsigned int)number(argv[8]);
	ctl_path = argv[9];
	return program(number(argv[4]));
}
