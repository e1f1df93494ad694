/* SPDX-License-Identifier: Apache-2.0 */
/* rights.c - sockets that are passed to another program by SCM_RIGHTS */
#include <spawn.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

extern char **environ;

static ssize_t pass(int channel, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char c = 'd';
	struct iovec iov = {&c, 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	control.align = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	return sendmsg(channel, &msg, 0);
}

static int take(int channel, int flags)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char c;
	struct iovec iov = {&c, 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	int fd = -1;

	if (recvmsg(channel, &msg, flags) <= 0)
		return -1;
	if (CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* The other program: takes sockets from descriptor 3 and uses them as the message says. */
static int other_program(const char *what)
{
	int fd = take(3, MSG_CMSG_CLOEXEC);
	struct addr peer = {.len = sizeof(peer.storage)};
	char buf[16];

	if (fd < 0)
		return 2;
	if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		return 3;
	if (!strcmp(what, "listener")) {
		int conn = accept(fd, NULL, NULL);

		return conn >= 0 && write(conn, "taken", 5) == 5 ? 0 : 4;
	}
	if (!strcmp(what, "new")) {
		struct addr addr = loopback(AF_INET, 0);

		return bind(fd, ADDR(&addr)) == 0 && write(3, &addr, 1) == 1 ? 0 : 4;
	}
	if (getpeername(fd, &peer.sa, &peer.len) < 0)
		return 5;
	if (readable(fd) && recv(fd, buf, sizeof(buf), 0) != 4)
		return 6;
	return send(fd, "answer", 6, 0) == 6 ? 0 : 7;
}

static pid_t start(int channel, const char *what)
{
	static char self[4096];
	char mode[] = "take";
	char *argv[] = {self, mode, (char *)(uintptr_t)what, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (!*self && readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("/proc/self/exe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, channel, 3);
	errno = posix_spawn(&pid, self, &actions, NULL, argv, environ);
	if (errno)
		die("posix_spawn");
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void to_another(int af, int type)
{
	struct addr addr;
	int channel[2], fd[2], conn, status;
	pid_t pid;

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel));
	pid = start(channel[1], "connection");
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	TRY("pass", pass(channel[0], fd[1]));
	close(fd[1]);
	TRY("send", send(fd[0], "data", 4, 0));
	say("the answer", "%s", received(fd[0], 0));
	waitpid(pid, &status, 0);
	say("the other ends", "%d", WEXITSTATUS(status));
	if (type == SOCK_STREAM)
		say("and its end is seen", "%s", received(fd[0], 0));
	close(fd[0]);
	if (type == SOCK_STREAM) {
		int at = listener(af, 0, &addr);

		pid = start(channel[1], "listener");
		TRY("pass a listener", pass(channel[0], at));
		close(at);
		conn = new_socket(af, SOCK_STREAM);
		TRY("connect", connect(conn, ADDR(&addr)));
		say("it is accepted there", "%s", received(conn, 0));
		waitpid(pid, &status, 0);
		say("the listener's program ends", "%d", WEXITSTATUS(status));
		close(conn);
	}
	if (af == AF_INET) {
		fd[0] = new_socket(af, type);
		pid = start(channel[1], "new");
		TRY("pass a new one", pass(channel[0], fd[0]));
		waitpid(pid, &status, 0);
		say("the program that binds it ends", "%d", WEXITSTATUS(status));
		addr = name_of(fd[0]);
		say("which is seen here", "%s", text_of(&addr));
		close(fd[0]);
	}
	close_pair(channel);
}

/* A socket in a queue, with no other holder */
static void under_way(int af)
{
	int channel[2], fd[2], got;

	about("tcp%d under way", digit(af));
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel));
	stream_pair(af, fd);
	TRY("pass", pass(channel[0], fd[1]));
	close(fd[1]);
	TRY("send", send(fd[0], "data", 4, 0));
	say("the peer sees no end", "%s",
	    events_text(poll_for(fd[0], POLLIN | POLLRDHUP, NOTHING_MS)));
	got = TRY_FD("take", take(channel[1], 0));
	say("data that came meanwhile", "%s", received(got, 0));
	say("it works", "%s", exchange(got, fd[0]));
	TRY("F_GETFD", fcntl(got, F_GETFD));
	pass(channel[0], got);
	close(got);
	/* No program will receive it. */
	close_pair(channel);
	say("then the peer sees the end", "%s", received(fd[0], 0));
	close(fd[0]);
}

int main(int argc, char **argv)
{
	int af;

	if (argc == 3 && !strcmp(argv[1], "take"))
		return other_program(argv[2]);
	begin();
	EACH_FAMILY(af)
	{
		to_another(af, SOCK_STREAM);
		to_another(af, SOCK_DGRAM);
		under_way(af);
	}
	return 0;
}
