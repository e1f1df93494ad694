/* SPDX-License-Identifier: Apache-2.0 */
/* processes.c - sockets over fork, vfork, posix_spawn and exec; inherited, and close-on-exec */
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

extern char **environ;

static char self[4096];

/* Exit code of a child that tests descriptor fd. */
enum found { NO_SOCKET = 10, NO_PEER, NO_ECHO, GOOD, LEFT_OPEN, LISTENS };

static int look_at(int fd, const char *what)
{
	struct addr addr = {.len = sizeof(addr.storage)};

	if (!strcmp(what, "closed"))
		return fcntl(fd, F_GETFD) < 0 && errno == EBADF ? GOOD : LEFT_OPEN;
	if (get_option(fd, SOL_SOCKET, SO_TYPE) < 0)
		return NO_SOCKET;
	if (!strcmp(what, "listener")) {
		int conn = get_option(fd, SOL_SOCKET, SO_ACCEPTCONN) == 1 ? accept(fd, NULL, NULL)
									  : -1;

		return conn >= 0 && write(conn, "accepted", 8) == 8 ? LISTENS : NO_ECHO;
	}
	if (getpeername(fd, &addr.sa, &addr.len) < 0)
		return NO_PEER;
	return send(fd, "child", 5, 0) == 5 ? GOOD : NO_ECHO;
}

static const char *found_text(int status)
{
	static const char *const texts[] = {"no socket", "no peer",   "cannot send",
					    "good",      "left open", "listens"};
	static char other[32];

	if (WIFEXITED(status) && WEXITSTATUS(status) >= NO_SOCKET && WEXITSTATUS(status) <= LISTENS)
		return texts[WEXITSTATUS(status) - NO_SOCKET];
	snprintf(other, sizeof(other), "status %#x", (unsigned int)status);
	return other;
}

static void say_child(const char *name, pid_t pid)
{
	int status = -1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		say(name, "no child: %s", error_name(errno));
	else
		say(name, "%s", found_text(status));
}

enum starter { BY_FORK, BY_VFORK, BY_SPAWN, BY_CLONE };

static const char *const starters[] = {"fork", "vfork", "posix_spawn", "clone"};

/* Start this program anew, which looks at the descriptor. */
static pid_t start(enum starter how, int fd, const char *what)
{
	char number[16], mode[] = "look";
	char *argv[] = {self, mode, number, (char *)(uintptr_t)what, NULL};
	pid_t pid = -1;

	snprintf(number, sizeof(number), "%d", fd);
	if (how == BY_SPAWN) {
		errno = posix_spawn(&pid, self, NULL, NULL, argv, environ);
		return errno ? -1 : pid;
	}
	if (how == BY_CLONE)
#ifdef __s390x__ /* there the stack comes first (clone(2)) */
		pid = (pid_t)syscall(SYS_clone, NULL, SIGCHLD, NULL, NULL, NULL);
#else
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
#endif
	else
		pid = how == BY_FORK ? fork() : vfork();
	if (pid == 0) {
		execv(self, argv);
		_exit(99);
	}
	return pid;
}

static void over_exec(int af, enum starter how)
{
	struct addr addr;
	int fd[2], conn, at;

	about("tcp%d %s", digit(af), starters[how]);
	stream_pair(af, fd);
	say_child("inherited", start(how, fd[1], "stream"));
	say("data from the child", "%s", received(fd[0], 0));
	say("afterwards", "%s", exchange(fd[1], fd[0]));
	MUST(fcntl(fd[1], F_SETFD, FD_CLOEXEC));
	say_child("close-on-exec", start(how, fd[1], "closed"));
	say("afterwards, close-on-exec", "%s", exchange(fd[0], fd[1]));
	close_pair(fd);

	at = listener(af, 0, &addr);
	conn = new_socket(af, SOCK_STREAM);
	MUST(connect(conn, ADDR(&addr)));
	say_child("inherited listener", start(how, at, "listener"));
	say("on its accepted connection", "%s", received(conn, 0));
	close(conn);
	close(at);

	at = listener(af, SOCK_CLOEXEC, &addr);
	say_child("listener with SOCK_CLOEXEC", start(how, at, "closed"));
	close(at);

	about("udp%d %s", digit(af), starters[how]);
	datagram_pair(af, fd);
	say_child("inherited", start(how, fd[1], "datagrams"));
	say("data from the child", "%s", received(fd[0], 0));
	close_pair(fd);
}

/* posix_spawn with the socket as the standard input and output, as inetd does it */
static void spawn_actions(int af)
{
	posix_spawn_file_actions_t actions;
	char cat[] = "cat";
	char *argv[] = {cat, NULL};
	int fd[2], status = -1;
	pid_t pid;

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 0);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
	posix_spawn_file_actions_addclose(&actions, fd[0]);
	posix_spawn_file_actions_addclose(&actions, fd[1]);
	TRY("spawn cat", posix_spawnp(&pid, "cat", &actions, NULL, argv, environ));
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	say("to cat and back", "%s", exchange(fd[0], fd[0]));
	TRY("end its input", shutdown(fd[0], SHUT_WR));
	waitpid(pid, &status, 0);
	say("cat ends", "%d", status);
	say("its end is seen", "%s", received(fd[0], 0));
	close(fd[0]);
}

/* The last close counts, wherever it happens. */
static void shared(int af)
{
	int fd[2], status;
	char c;
	pid_t pid;

	about("tcp%d shared", digit(af));
	stream_pair(af, fd);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(fd[0]);
		_exit(read(fd[1], &c, 1) == 1 && write(fd[1], "late", 4) == 4 ? 0 : 1);
	}
	close(fd[1]);
	say("the parent's close is not the last", "%s",
	    events_text(poll_for(fd[0], POLLIN, NOTHING_MS)));
	TRY("the parent writes", write(fd[0], "x", 1));
	waitpid(pid, &status, 0);
	say("the child ends", "%d", status);
	say("the child's last words", "%s", received(fd[0], 0));
	say("then the end", "%s", received(fd[0], 0));
	close(fd[0]);

	stream_pair(af, fd);
	pid = fork();
	if (!pid) {
		shutdown(fd[1], SHUT_WR);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	say("the child's shutdown is everybody's", "%s", received(fd[0], 0));
	signal(SIGPIPE, SIG_IGN);
	TRY("the parent cannot send any more", send(fd[1], "x", 1, 0));
	say("but receive", "%s", exchange(fd[0], fd[1]));
	close_pair(fd);
}

/* The child makes it, and the parent's other child uses it: only the descriptor counts. */
static void made_after_fork(int af)
{
	int status;
	pid_t pid;

	about("tcp%d", digit(af));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int fd[2];

		stream_pair(af, fd);
		say("made after fork", "%s", exchange(fd[0], fd[1]));
		pid = fork();
		if (!pid) {
			say("in the child's child", "%s", exchange(fd[1], fd[0]));
			_exit(0);
		}
		waitpid(pid, &status, 0);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	say("both end", "%d", status);
}

/* Options and state set by a child are the socket's. */
static void set_by_child(int af)
{
	int fd = new_socket(af, SOCK_STREAM), status;
	struct addr addr = loopback(af, 0);
	pid_t pid;

	about("tcp%d set by the child", digit(af));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
		bind(fd, ADDR(&addr));
		fcntl(fd, F_SETFL, O_NONBLOCK);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	TRY("SO_KEEPALIVE", get_option(fd, SOL_SOCKET, SO_KEEPALIVE));
	addr = name_of(fd);
	say("its name", "%s", text_of(&addr));
	TRY("O_NONBLOCK", fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
}

/* Prefork: each connection goes to one of the children. */
static void prefork(int af)
{
	enum { CHILDREN = 3, CONNECTIONS = 12 };
	struct addr addr;
	int at = listener(af, 0, &addr), served = 0, status;
	pid_t pids[CHILDREN];

	about("tcp%d prefork", digit(af));
	fflush(stdout);
	for (int i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		for (;;) {
			int fd = accept(at, NULL, NULL);

			if (fd < 0 || write(fd, "served", 6) != 6)
				_exit(1);
			close(fd);
		}
	}
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = new_socket(af, SOCK_STREAM);
		char buf[8];

		if (connect(fd, ADDR(&addr)) == 0 && recv_all(fd, buf, 6) == 6)
			served++;
		close(fd);
	}
	say("connections served", "%d", served);
	for (int i = 0; i < CHILDREN; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
		say(i == 0   ? "worker 1"
		    : i == 1 ? "worker 2"
			     : "worker 3",
		    "signal %d", WTERMSIG(status));
	}
	close(at);
	say("no listener any more", "%s", connect_when_gone(&addr));
}

/* A connection that waits for accept() ends with shutdown(), though a child has the listener, too.
 */
static void shut_while_child_has_it(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM), gone, status;
	pid_t pid;

	about("tcp%d listener of two processes", digit(af));
	MUST(connect(fd, ADDR(&addr)));
	WAIT(all_events(at) & POLLIN);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	TRY("shutdown", shutdown(at, SHUT_RD));
	WAIT(all_events(fd) & POLLHUP);
	gone = all_events(fd) & POLLHUP;
	say("the connection that waited", "%s", gone ? received(fd, 0) : "is still connected");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fd);
	close(at);
}

int main(int argc, char **argv)
{
	int af;

	if (argc == 4 && !strcmp(argv[1], "look"))
		return look_at(atoi(argv[2]), argv[3]);
	begin();
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("/proc/self/exe");
	EACH_FAMILY(af)
	{
		over_exec(af, BY_FORK);
		over_exec(af, BY_SPAWN);
		spawn_actions(af);
		shared(af);
		made_after_fork(af);
		set_by_child(af);
		prefork(af);
		shut_while_child_has_it(af);
	}
	over_exec(AF_INET, BY_VFORK);
	over_exec(AF_INET, BY_CLONE);
	return 0;
}
