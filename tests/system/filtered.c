/* SPDX-License-Identifier: Apache-2.0 */
/* filtered.c - sockets of a program under a seccomp filter of its own
 *
 *	filtered HOST PORT CALL...
 *
 * HOST PORT is an echo server. For each CALL a child makes sockets, forbids itself this system call
 * and makes all of them; what comes is printed, so that it can be compared. CALL is also "data"
 * (any system call but those of data kills) and "count" (how many system calls are made for data).
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

enum { REFUSED = ENOTUNIQ, EXCHANGES = 50 };

static struct sockaddr_in server;
static int conn, listener, fresh;

static const struct {
	const char *name;
	int nr;
} calls[] = {
	{"none", -1},
	{"socket", SYS_socket},
	{"bind", SYS_bind},
	{"listen", SYS_listen},
	{"connect", SYS_connect},
	{"accept4", SYS_accept4},
	{"shutdown", SYS_shutdown},
	{"getsockname", SYS_getsockname},
	{"getpeername", SYS_getpeername},
	{"getsockopt", SYS_getsockopt},
	{"setsockopt", SYS_setsockopt},
	{"ioctl", SYS_ioctl},
	{"socketpair", SYS_socketpair},
	{"sendmsg", SYS_sendmsg},
	{"recvmsg", SYS_recvmsg},
	{"fcntl", SYS_fcntl},
	{"close", SYS_close},
};

static void make_sockets(void)
{
	struct sockaddr_in any = host_addr("127.0.0.1", 0);

	conn = tcp_connect(&server);
	listener = tcp_listen(&any, SOCK_NONBLOCK);
	fresh = socket(AF_INET, SOCK_STREAM, 0);
	if (conn < 0 || fresh < 0)
		die("sockets");
}

static void install(struct sock_filter *code, size_t nr)
{
	struct sock_fprog prog = {.len = (unsigned short)nr, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		die("filter");
}

/* arm64 has no poll(): libc calls ppoll(). */
#ifdef SYS_poll
#define NR_POLL SYS_poll
#else
#define NR_POLL SYS_ppoll
#endif

#define LOAD_NR          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(what)     BPF_STMT(BPF_RET | BPF_K, (what))
#define IF_NR(call, yes) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)(call), (yes), 0)

static void refuse(int nr)
{
	struct sock_filter code[] = {
		LOAD_NR,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)nr, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | REFUSED),
		RETURN(SECCOMP_RET_ALLOW),
	};

	install(code, sizeof(code) / sizeof(code[0]));
}

static void say(const char *what, int rc)
{
	int error = errno;

	printf("%s: %s\n", what, rc < 0 ? error_name(error) : "0");
}

static void exchange(const char *what)
{
	char buf[5] = "";

	say(what, send_all(conn, "hello", 5));
	say(what, recv_all(conn, buf, 5));
	printf("as it was: %d\n", !memcmp(buf, "hello", 5));
}

static void all_calls(void)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	struct linger linger = {0};
	int value = 1, other[2], fd;

	exchange("at first");
	say("getsockname", getsockname(conn, (struct sockaddr *)&addr, &len));
	len = sizeof(addr);
	say("getpeername", getpeername(conn, (struct sockaddr *)&addr, &len));
	say("setsockopt", setsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
	value = 0;
	len = sizeof(value);
	say("getsockopt", getsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &value, &len));
	printf("TCP_NODELAY is %d\n", value);
	say("SO_LINGER", setsockopt(conn, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	say("socket", socket(AF_INET, SOCK_STREAM, 0));
	addr = host_addr("127.0.0.1", 0);
	say("bind", bind(fresh, (struct sockaddr *)&addr, sizeof(addr)));
	say("connect", connect(fresh, (struct sockaddr *)&server, sizeof(server)));
	say("listen", listen(listener, 7));
	say("accept", accept4(listener, NULL, NULL, SOCK_CLOEXEC));
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	say("accept again", fd);
	say("SIOCOUTQ", ioctl(conn, SIOCOUTQ, &value));
	/* sockets that are not LFP's */
	say("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, other));
	len = sizeof(addr);
	say("its name", getsockname(other[0], (struct sockaddr *)&addr, &len));
	say("its option", setsockopt(other[0], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){1, 0},
				     sizeof(struct timeval)));
	exchange("at last");
	say("shutdown", shutdown(conn, SHUT_WR));
}

/* Allows the system calls that a program needs to move data, and the call @also. */
static void allow_data(int also)
{
	struct sock_filter code[] = {
		LOAD_NR,
		IF_NR(SYS_read, 9),
		IF_NR(SYS_write, 8),
		IF_NR(SYS_sendto, 7),
		IF_NR(SYS_recvfrom, 6),
		IF_NR(NR_POLL, 5),
		IF_NR(SYS_writev, 4),
		IF_NR(SYS_readv, 3),
		IF_NR(SYS_exit_group, 2),
		IF_NR(also, 1),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		RETURN(SECCOMP_RET_ALLOW),
	};

	install(code, sizeof(code) / sizeof(code[0]));
}

/* As often as that, in all the ways; no line is printed, that would be other calls. */
static int move_data(void)
{
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	char buf[64];
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};

	memset(buf, 'x', sizeof(buf));
	for (int i = 0; i < EXCHANGES; i++) {
		if (write(conn, "hello", 5) != 5 || poll(&pfd, 1, -1) != 1 ||
		    read(conn, buf, 5) != 5 || send(conn, buf, 5, MSG_NOSIGNAL) != 5 ||
		    recv(conn, buf, 5, MSG_WAITALL) != 5 || memcmp(buf, "hello", 5) != 0)
			return 1;
		if (writev(conn, &iov, 1) != sizeof(buf) || poll(&pfd, 1, -1) != 1)
			return 1;
		if (readv(conn, &iov, 1) != sizeof(buf))
			return 1;
		if (recv(conn, buf, 5, MSG_DONTWAIT) >= 0 || errno != EAGAIN)
			return 1;
	}
	return 0;
}

/* The end of the connection, by both kinds of calls. */
static int move_nothing(char *byte)
{
	return recv(conn, byte, 1, 0) != 0 || read(conn, byte, 1) != 0;
}

static void report(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (WIFSIGNALED(status))
		printf("killed by %d\n", WTERMSIG(status));
	else
		printf("exit %d\n", WEXITSTATUS(status));
}

/* Count the system calls of a stopped child from one SIGSTOP to the next. */
static unsigned int count(pid_t pid)
{
	unsigned int stops = 0;
	int status;

	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			die("count");
		if (WSTOPSIG(status) == SIGSTOP)
			break;
		stops += WSTOPSIG(status) == (SIGTRAP | 0x80);
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	return stops / 2;
}

static void run_count(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		make_sockets();
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		status = move_data();
		raise(SIGSTOP);
		_exit(status);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
		puts("no ptrace here");
		return;
	}
	printf("%u system calls\n", count(pid));
	report(pid);
}

static void run_data(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		make_sockets();
		allow_data(-1);
		_exit(move_data());
	}
	report(pid);
	/* a control call kills */
	pid = fork();
	if (pid == 0) {
		make_sockets();
		allow_data(-1);
		setsockopt(conn, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
		_exit(0);
	}
	report(pid);
}

/* A program whose filter forbids control calls is not killed at the end of a connection. */
static void run_end(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		char byte;

		make_sockets();
		if (shutdown(conn, SHUT_WR))
			_exit(3);
		allow_data(-1);
		_exit(move_nothing(&byte));
	}
	report(pid);
}

/* A control call that the filter lets through, of a program that may do nothing for it. */
static void run_confined(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct sockaddr_in addr;
		socklen_t len = sizeof(addr);

		make_sockets();
		allow_data(SYS_getsockname);
		if (getsockname(conn, (struct sockaddr *)&addr, &len))
			_exit(errno == ENETDOWN ? 3 : 4);
		_exit(0);
	}
	report(pid);
}

static void run_refused(int nr)
{
	pid_t pid = fork();

	if (pid == 0) {
		make_sockets();
		if (nr >= 0)
			refuse(nr);
		all_calls();
		fflush(stdout);
		_exit(0);
	}
	report(pid);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 64;
	server = host_addr(argv[1], number(argv[2]));
	for (char **name = argv + 3; *name; name++) {
		size_t i = 0;

		printf("--- %s\n", *name);
		fflush(stdout);
		if (!strcmp(*name, "data")) {
			run_data();
			continue;
		}
		if (!strcmp(*name, "count")) {
			run_count();
			continue;
		}
		if (!strcmp(*name, "end")) {
			run_end();
			continue;
		}
		if (!strcmp(*name, "confined")) {
			run_confined();
			continue;
		}
		while (i < sizeof(calls) / sizeof(calls[0]) && strcmp(*name, calls[i].name) != 0)
			i++;
		if (i == sizeof(calls) / sizeof(calls[0])) {
			printf("%s is no call\n", *name);
			return 64;
		}
		run_refused(calls[i].nr);
	}
	return 0;
}
