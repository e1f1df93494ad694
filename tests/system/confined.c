/* SPDX-License-Identifier: Apache-2.0 */
/* confined.c - control calls on sockets of a program that has confined itself
 *
 *	confined HOST PORT CASE...
 *
 * HOST PORT is an echo server. Sockets are made, then the cases are done to the program in their
 * order, then every kind of call is made on the sockets. It prints the results for comparison,
 * except values that differ each time (ports).
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

enum { NOBODY = 65534, HIGH = 48 };

static struct sockaddr_in server;
static int conn, listener, fresh, udp, udp_peer;
static bool full, other_net;

static void say(const char *what, int rc)
{
	int error = errno;

	printf("%s: %s\n", what, rc < 0 ? error_name(error) : "0");
}

static void must(const char *what, int rc)
{
	if (rc < 0)
		die(what);
}

static void make_datagrams(void)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", 0);
	socklen_t len = sizeof(addr);

	udp = socket(AF_INET, SOCK_DGRAM, 0);
	udp_peer = socket(AF_INET, SOCK_DGRAM, 0);
	if (udp < 0 || udp_peer < 0)
		die("datagram sockets");
	must("bind", bind(udp, (struct sockaddr *)&addr, sizeof(addr)));
	must("getsockname", getsockname(udp, (struct sockaddr *)&addr, &len));
	must("connect", connect(udp_peer, (struct sockaddr *)&addr, sizeof(addr)));
}

static void do_chroot(const char *dir)
{
	must("chroot", chroot(dir));
	must("chdir", chdir("/"));
}

static void do_setuid(const char *unused)
{
	(void)unused;
	must("setgroups", setgroups(0, NULL));
	must("setgid", setresgid(NOBODY, NOBODY, NOBODY));
	must("setuid", setresuid(NOBODY, NOBODY, NOBODY));
}

static void do_network(const char *unused)
{
	(void)unused;
	must("unshare", unshare(CLONE_NEWNET));
	other_net = true;
}

/* Something else is mounted where the instance's sockets are. */
static void do_mount(const char *dir)
{
	must("unshare", unshare(CLONE_NEWNS));
	must("private", mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	must("mount", mount("none", dir, "tmpfs", 0, NULL));
}

static void do_user(const char *unused)
{
	(void)unused;
	must("unshare", unshare(CLONE_NEWUSER));
}

/* The next child of this process would be the first of a pid namespace. */
static void do_pid(const char *unused)
{
	(void)unused;
	must("unshare", unshare(CLONE_NEWPID));
}

static void do_closefrom(const char *unused)
{
	(void)unused;
	/* the one that was made last */
	closefrom(udp_peer + 1);
}

/* All that is no file of ours is replaced, as by a program that manages its numbers itself. */
static void do_overwrite(const char *unused)
{
	(void)unused;
	for (int fd = HIGH; fd < 1024; fd++) {
		struct stat st;

		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			must("dup2", dup2(0, fd));
	}
}

static void do_full(const char *unused)
{
	struct rlimit limit;

	(void)unused;
	must("getrlimit", getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = 64;
	must("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
	while (fcntl(0, F_DUPFD, 0) >= 0)
		;
	full = true;
}

static void do_fork(const char *unused)
{
	int status;
	pid_t pid = fork();

	(void)unused;
	must("fork", pid);
	if (pid == 0)
		return;
	must("waitpid", waitpid(pid, &status, 0));
	_exit(status ? 1 : 0);
}

/* Waits for a file. The program is not confined, but other programs have time for their
 * attempts. */
static void do_wait(const char *file)
{
	puts("waiting");
	fflush(stdout);
	while (access(file, F_OK))
		poll(NULL, 0, 10);
}

static void names(void)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	say("getpeername", getpeername(conn, (struct sockaddr *)&addr, &len));
	printf("of the server: %d\n", !memcmp(&addr, &server, sizeof(addr)));
	say("getsockname", getsockname(conn, (struct sockaddr *)&addr, &len));
	printf("of the loopback: %d\n", addr.sin_addr.s_addr == server.sin_addr.s_addr);
	say("a port's name", getsockname(0, (struct sockaddr *)&addr, &len));
}

static void options(void)
{
	int value = 1;
	socklen_t len = sizeof(value);

	say("setsockopt", setsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)));
	value = 0;
	say("getsockopt", getsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &value, &len));
	printf("TCP_NODELAY is %d\n", value);
	say("SO_ERROR", getsockopt(conn, SOL_SOCKET, SO_ERROR, &value, &len));
	printf("it is %d\n", value);
	say("SO_ACCEPTCONN", getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &len));
	printf("it is %d\n", value);
	say("no option", setsockopt(conn, IPPROTO_TCP, 7777, &value, sizeof(value)));
}

static void exchange(const char *what, int from, int to)
{
	char buf[5] = "";

	say(what, send_all(from, "hello", 5));
	say(what, recv_all(to, buf, 5));
	printf("as it was: %d\n", !memcmp(buf, "hello", 5));
}

static void connections(void)
{
	struct sockaddr_in addr, name;
	socklen_t len = sizeof(addr);
	int fd;

	must("getsockname", getsockname(listener, (struct sockaddr *)&addr, &len));
	say("connect", connect(fresh, (struct sockaddr *)&addr, sizeof(addr)));
	say("connect again", connect(fresh, (struct sockaddr *)&addr, sizeof(addr)));
	len = sizeof(addr);
	fd = accept(listener, (struct sockaddr *)&addr, &len);
	say("accept", fd);
	if (fd >= 0) {
		len = sizeof(name);
		say("its name", getsockname(fresh, (struct sockaddr *)&name, &len));
		printf("the peer: %d\n", addr.sin_port == name.sin_port);
		exchange("through it", fresh, fd);
		close(fd);
	}
	if (full)
		say("socket", socket(AF_INET, SOCK_STREAM, 0));
	else if (!other_net)
		say("a new connection", tcp_connect(&server));
}

/* A datagram socket without a peer, and one with it as the peer. */
static void datagrams(void)
{
	struct sockaddr_in addr, from;
	socklen_t len = sizeof(addr);
	int ttl = 7;
	char buf[8];

	say("name of a datagram socket", getsockname(udp_peer, (struct sockaddr *)&addr, &len));
	say("send", (int)send(udp_peer, "hello", 5, 0));
	len = sizeof(from);
	say("recvfrom", (int)recvfrom(udp, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len));
	printf("from the peer: %d\n", len == sizeof(from) && from.sin_port == addr.sin_port);
	say("sendto", (int)sendto(udp, "hi", 2, 0, (struct sockaddr *)&from, len));
	printf("as it was: %d\n",
	       recv(udp_peer, buf, sizeof(buf), 0) == 2 && !memcmp(buf, "hi", 2));
	say("IP_TTL", setsockopt(udp, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)));
	ttl = 0;
	len = sizeof(ttl);
	getsockopt(udp, IPPROTO_IP, IP_TTL, &ttl, &len);
	printf("it is %d\n", ttl);
}

static void end(void)
{
	char byte;

	say("shutdown", shutdown(conn, SHUT_WR));
	printf("at the end: %zd\n", recv(conn, &byte, 1, 0));
	say("write", (int)send(conn, "x", 1, MSG_NOSIGNAL));
}

static const struct {
	const char *name;
	void (*fn)(const char *arg);
	bool has_arg;
} cases[] = {
	{"chroot", do_chroot, true},
	{"setuid", do_setuid, false},
	{"network", do_network, false},
	{"mount", do_mount, true},
	{"user", do_user, false},
	{"pid", do_pid, false},
	{"closefrom", do_closefrom, false},
	{"overwrite", do_overwrite, false},
	{"full", do_full, false},
	{"fork", do_fork, false},
	{"wait", do_wait, true},
};

/* Do the cases from @argv on. "exec" starts the program again with the sockets that there are. */
static void confine(char **argv, char **all)
{
	for (; *argv; argv++) {
		size_t i;

		if (!strcmp(*argv, "exec")) {
			char text[64];

			snprintf(text, sizeof(text), "%d,%d,%d,%d,%d", conn, listener, fresh, udp,
				 udp_peer);
			setenv("CONFINED", text, 1);
			*argv = (char *)(uintptr_t) "none";
			execv("/proc/self/exe", all);
			die("exec");
		}
		if (!strcmp(*argv, "none"))
			continue;
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			if (!strcmp(*argv, cases[i].name))
				break;
		if (i == sizeof(cases) / sizeof(cases[0]) || (cases[i].has_arg && !argv[1])) {
			printf("%s is no case\n", *argv);
			exit(64);
		}
		cases[i].fn(cases[i].has_arg ? *++argv : NULL);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in any = host_addr("127.0.0.1", 0);
	const char *inherited = getenv("CONFINED");

	if (argc < 4)
		return 64;
	server = host_addr(argv[1], number(argv[2]));
	if (inherited) {
		if (sscanf(inherited, "%d,%d,%d,%d,%d", &conn, &listener, &fresh, &udp,
			   &udp_peer) != 5)
			die("inherited");
	} else {
		conn = tcp_connect(&server);
		must("connect", conn);
		listener = tcp_listen(&any, 0);
		fresh = socket(AF_INET, SOCK_STREAM, 0);
		must("socket", fresh);
		make_datagrams();
	}
	confine(argv + 3, argv);
	exchange("at first", conn, conn);
	names();
	options();
	connections();
	datagrams();
	exchange("at last", conn, conn);
	end();
	return 0;
}
