/* SPDX-License-Identifier: Apache-2.0 */
/* fake.c - an LFP instance for tests of the shim */
#include "tests/libvsesock/fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/ctl.h"
#include "lfp/places.h"

#define MAX_SOCKS 256
#define ROOT      "FAKE_ROOT"

struct sock {
	ino_t ino; /* of the near end; 0: unused */
	int far;   /* -1: none */
	int why;
	bool listening;
};

static struct sock socks[MAX_SOCKS];
static int pair_listener;
static struct sockaddr_un pair_addr;
static unsigned int last_id;
static int arrivals, deaf, detached, calls;

static struct lfp_ctl_request request;
static struct lfp_ctl_reply reply;
static size_t request_len;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sock *find(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	for (int i = 0; i < MAX_SOCKS; i++)
		if (socks[i].ino == st.st_ino)
			return &socks[i];
	return NULL;
}

/* A near end that is not connected; the caller closes it after it was passed on. */
static int make_near(struct sock **out)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	memcpy(addr.sun_path, LFP_NAME_PREFIX, LFP_NAME_PREFIX_LEN);
	snprintf(addr.sun_path + LFP_NAME_PREFIX_LEN, sizeof(addr.sun_path) - LFP_NAME_PREFIX_LEN,
		 "00/%016x/%016x", (unsigned int)getpid(), ++last_id);
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&addr,
		 offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN) < 0 ||
	    fstat(fd, &st) < 0)
		die("near end");
	for (int i = 0; i < MAX_SOCKS; i++) {
		/* Inodes of closed ones come again. */
		if (socks[i].ino && socks[i].ino != st.st_ino)
			continue;
		if (socks[i].ino && socks[i].far >= 0)
			close(socks[i].far);
		socks[i] = (struct sock){.ino = st.st_ino, .far = -1};
		*out = &socks[i];
		return fd;
	}
	fputs("fake: too many sockets\n", stderr);
	exit(1);
}

static void pair(struct sock *sock, int near)
{
	int flags = fcntl(near, F_GETFL);

	fcntl(near, F_SETFL, flags & ~O_NONBLOCK);
	if (connect(near, (struct sockaddr *)&pair_addr, sizeof(pair_addr)) < 0)
		die("pair");
	fcntl(near, F_SETFL, flags);
	sock->far = accept4(pair_listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (sock->far < 0)
		die("accept");
}

/* Keep a listener's near end from being writable. */
static void fill_gate(int near)
{
	char zeros[4096] = {0};

	while (send(near, zeros, sizeof(zeros), MSG_DONTWAIT) > 0)
		;
	while (send(near, zeros, 1, MSG_DONTWAIT) > 0)
		;
}

static void send_fd(int conn, const void *buf, size_t len, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memset(&rights, 0, sizeof(rights));
		rights.align.cmsg_level = SOL_SOCKET;
		rights.align.cmsg_type = SCM_RIGHTS;
		rights.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&rights.align), &fd, sizeof(int));
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	sendmsg(conn, &msg, MSG_NOSIGNAL);
}

static void make_addr(struct lfp_addr *addr, const char *ip, int port)
{
	*addr = (struct lfp_addr){.family = LFP_AF_INET, .port = (uint16_t)port};
	inet_pton(AF_INET, ip, addr->ip);
}

static void arrive(struct sock *listener)
{
	struct lfp_accept_record record = {.magic = LFP_CTL_MAGIC};
	struct sock *sock;
	int near = make_near(&sock);

	pair(sock, near);
	make_addr(&record.peer, FAKE_PEER, FAKE_PEER_PORT + arrivals++);
	make_addr(&record.local, FAKE_LOCAL, FAKE_LOCAL_PORT);
	send_fd(listener->far, &record, sizeof(record), near);
	close(near);
}

static int handle_set(struct sock *sock)
{
	char bytes[256];
	int value;

	if (request.a != FAKE)
		return 0;
	memcpy(&value, request.data, sizeof(value));
	switch (request.b) {
	case FAKE_SEND:
		memset(bytes, 'x', sizeof(bytes));
		return send(sock->far, bytes, (size_t)value, MSG_NOSIGNAL) < 0 ? errno : 0;
	case FAKE_END:
		close(sock->far);
		sock->far = -1;
		sock->why = value;
		return 0;
	case FAKE_ARRIVE:
		while (value-- > 0)
			arrive(sock);
		return 0;
	case FAKE_DEAF:
		deaf = value;
		return 0;
	default:
		return ENOPROTOOPT;
	}
}

static int handle_get(struct sock *sock)
{
	char bytes[1024];
	int value = 0;

	if (request.a == FAKE && request.b == FAKE_DETACHED)
		value = detached;
	else if (request.a == FAKE && request.b == FAKE_CALLS)
		value = calls;
	else if (request.a == FAKE && request.b == FAKE_TAKEN)
		value = (int)recv(sock->far, bytes, sizeof(bytes), MSG_DONTWAIT);
	else if (request.a == SOL_SOCKET && request.b == SO_ACCEPTCONN)
		value = sock->listening;
	memcpy(reply.data, &value, sizeof(value));
	reply.len = request.c < (int)sizeof(value) ? (uint32_t)request.c : sizeof(value);
	return 0;
}

/* Returns an errno, or -1 if there will be an answer later, -2 if never. */
static int handle_connect(struct sock *sock, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, request.data, sizeof(addr));
	if (sock->far >= 0)
		return EISCONN;
	switch (addr.port) {
	case PORT_GOOD:
		pair(sock, near);
		return 0;
	case PORT_SLOW:
	case PORT_JUST_IN_TIME:
		return request.flags & LFP_CTL_BLOCKING ? -1 : EINPROGRESS;
	case PORT_DEAF:
		return -2;
	default:
		return ECONNREFUSED;
	}
}

static int put_text(const char *text)
{
	memcpy(reply.data + reply.len, text, strlen(text) + 1);
	reply.len += (uint32_t)strlen(text) + 1;
	return 0;
}

static void put_bytes(const void *bytes, size_t len)
{
	memcpy(reply.data + reply.len, bytes, len);
	reply.len += (uint32_t)len;
}

/* "two" has an IPv4 and an IPv6 address; all others are unknown. */
static int handle_addrinfo(void)
{
	struct lfp_ctl_ai entry = {.kind = SOCK_STREAM, .protocol = IPPROTO_TCP};

	if (request_len < 3 || strcmp((char *)request.data + 1, "two") != 0) {
		reply.value = EAI_NONAME;
		return 0;
	}
	put_text("two.example.com");
	make_addr(&entry.addr, FAKE_PEER, 80);
	put_bytes(&entry, sizeof(entry));
	entry.addr.family = LFP_AF_INET6;
	inet_pton(AF_INET6, "2001:db8::7", entry.addr.ip);
	put_bytes(&entry, sizeof(entry));
	return 0;
}

static int handle_host(void)
{
	struct lfp_ctl_hostent host = {.nr_addrs = 2, .nr_aliases = 1};
	struct lfp_addr addr;

	if (request.op == LFP_CTL_GETHOSTBYNAME && strcmp((char *)request.data, "two") != 0) {
		reply.value = HOST_NOT_FOUND;
		return 0;
	}
	put_bytes(&host, sizeof(host));
	make_addr(&addr, FAKE_PEER, 0);
	put_bytes(&addr, sizeof(addr));
	make_addr(&addr, FAKE_LOCAL, 0);
	put_bytes(&addr, sizeof(addr));
	put_text("two.example.com");
	return put_text("alias");
}

static int handle_nameinfo(void)
{
	put_text("two.example.com");
	return put_text("http");
}

static int handle_name(const char *ip, int port)
{
	struct lfp_addr addr;

	make_addr(&addr, ip, port);
	put_bytes(&addr, sizeof(addr));
	return 0;
}

static int handle_why(struct sock *sock)
{
	int why = sock->why;

	sock->why = 0;
	return why;
}

static int handle_listen(struct sock *sock, int near)
{
	pair(sock, near);
	fill_gate(near);
	sock->listening = true;
	return 0;
}

static int handle_sock(struct sock *sock, int near)
{
	switch (request.op) {
	case LFP_CTL_BIND:
		return 0;
	case LFP_CTL_CONNECT:
		return handle_connect(sock, near);
	case LFP_CTL_LISTEN:
		return handle_listen(sock, near);
	case LFP_CTL_SHUTDOWN:
		reply.value = 1;
		if (sock->listening) {
			close(sock->far);
			sock->far = -1;
			sock->why = EINVAL;
		}
		return 0;
	case LFP_CTL_GETSOCKNAME:
		return handle_name(FAKE_LOCAL, FAKE_LOCAL_PORT);
	case LFP_CTL_GETPEERNAME:
		return sock->far < 0 ? ENOTCONN : handle_name(FAKE_PEER, FAKE_PEER_PORT);
	case LFP_CTL_GETSOCKOPT:
		return handle_get(sock);
	case LFP_CTL_SETSOCKOPT:
		return handle_set(sock);
	case LFP_CTL_WHY_EOF:
		return handle_why(sock);
	case LFP_CTL_OUTQ:
		reply.value = 4242;
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

/* Returns what handle_connect() does; @near is the descriptor that came, @out one to go back. */
static int handle(int near, int *out)
{
	struct sock *sock;

	switch (request.op) {
	case LFP_CTL_PING:
		return 0;
	case LFP_CTL_SOCKET:
		if (request.b != SOCK_STREAM)
			return EPROTONOSUPPORT;
		*out = make_near(&sock);
		return 0;
	case LFP_CTL_GETADDRINFO:
		return handle_addrinfo();
	case LFP_CTL_GETNAMEINFO:
		return handle_nameinfo();
	case LFP_CTL_GETHOSTBYNAME:
	case LFP_CTL_GETHOSTBYADDR:
		return handle_host();
	}
	sock = find(near);
	return sock ? handle_sock(sock, near) : ENOTSOCK;
}

static void send_reply(int conn, int error, int fd)
{
	reply.magic = LFP_CTL_MAGIC;
	reply.error = error;
	send_fd(conn, &reply, LFP_CTL_REPLY_HEAD + reply.len, fd);
}

static int receive(int conn)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = &request, .iov_len = sizeof(request)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights.buf),
	};
	ssize_t n = recvmsg(conn, &msg, MSG_CMSG_CLOEXEC);
	int fd = -1;

	request_len = n > 0 ? request.len : 0;
	if (n <= 0)
		request.op = 0;
	if (msg.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&rights.align), sizeof(int));
	return fd;
}

/* The caller waits until something happens: for tests only DETACH does. */
static void wait_for_detach(int conn, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, request.data, sizeof(addr));
	receive(conn);
	if (request.op != LFP_CTL_DETACH)
		return;
	detached++;
	if (addr.port == PORT_JUST_IN_TIME) {
		pair(find(near), near);
		send_reply(conn, 0, -1);
	} else {
		send_reply(conn, EINPROGRESS, -1);
	}
}

static void serve(int listener)
{
	for (;;) {
		int conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		int near, out = -1, rc;

		if (conn < 0)
			die("accept");
		near = receive(conn);
		calls++;
		memset(&reply, 0, LFP_CTL_REPLY_HEAD);
		if (deaf > 0) {
			deaf--;
		} else {
			rc = handle(near, &out);
			if (rc >= 0)
				send_reply(conn, rc, out);
			else if (rc == -1)
				wait_for_detach(conn, near);
		}
		if (out >= 0)
			close(out);
		if (near >= 0)
			close(near);
		close(conn);
	}
}

static int listen_at(struct sockaddr_un *addr, int type, const char *path)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (lfp_place_make_parent(path) < 0 || lfp_unix_addr(addr, path) < 0 || fd < 0 ||
	    bind(fd, (struct sockaddr *)addr, sizeof(*addr)) < 0 || listen(fd, 128) < 0)
		die(path);
	return fd;
}

static pid_t fork_fake(const char *root)
{
	char path[PATH_MAX];
	struct sockaddr_un addr;
	pid_t parent = getpid(), pid;
	int listener;

	snprintf(path, sizeof(path), "%s/run/vselfp/00/ctl", root);
	listener = listen_at(&addr, SOCK_SEQPACKET, path);
	snprintf(path, sizeof(path), "%s/pair", root);
	pair_listener = listen_at(&pair_addr, SOCK_STREAM, path);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			serve(listener);
		_exit(1);
	}
	close(listener);
	close(pair_listener);
	return pid;
}

/* The programs to be tested are in the build folder, the library is in its lib/. */
static void find_shim(char shim[static PATH_MAX])
{
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		die("/proc/self/exe");
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(path, sizeof(path), "%s/../../lib/libvsesock-preload.so", exe);
	if (!realpath(path, shim))
		die(path);
}

static void remove_root(void)
{
	char command[PATH_MAX];

	unsetenv("LD_PRELOAD");
	snprintf(command, sizeof(command), "rm -rf '%s'", getenv(ROOT));
	if (system(command) != 0)
		fputs("the fake's folder is still there\n", stderr);
}

/* The shim comes before the sanitizer's library then, which is well. */
static void prepare_sanitizer(void)
{
	const char *old = getenv("ASAN_OPTIONS");
	char text[512];

	snprintf(text, sizeof(text), "%s:verify_asan_link_order=0", old ? old : "");
	setenv("ASAN_OPTIONS", text, 1);
}

void fake_start(char **argv)
{
	char root[] = "/tmp/vsesock-XXXXXX", shim[PATH_MAX], text[16];
	const char *old = getenv("LD_PRELOAD");
	char preload[2 * PATH_MAX];

	if (getenv(ROOT)) {
		atexit(remove_root);
		return;
	}
	if (!mkdtemp(root))
		die(root);
	find_shim(shim);
	snprintf(preload, sizeof(preload), "%s%s%s", shim, old ? ":" : "", old ? old : "");
	snprintf(text, sizeof(text), "%d", (int)fork_fake(root));
	prepare_sanitizer();
	setenv("FAKE_PID", text, 1);
	setenv(ROOT, root, 1);
	setenv("LFP_ROOT", root, 1);
	setenv("LFP_ID", "00", 1);
	setenv("LD_PRELOAD", preload, 1);
	execv("/proc/self/exe", argv);
	die("exec");
}

void fake_stop(void)
{
	pid_t pid = (pid_t)strtol(getenv("FAKE_PID"), NULL, 10);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
