/* SPDX-License-Identifier: Apache-2.0 */
/* remote.c - runs a host's command in a guest by AF_VSOCK, with its files, signals and exit status
 *
 *	remote serve PORT			in the guest
 *	remote run SOCKET PORT COMMAND...	on the host; SOCKET is the VMM's UNIX socket
 *	remote khz				on the host; prints the rate of its TSC
 *
 * The command has the environment and the directory of "run", but the LFP_ROOT of "serve". Standard
 * input, output and error go through, so do signals that end a program; the end of "run" kills the
 * command.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <linux/vm_sockets.h>

#include "tests/system/tool.h"

/*
 * Theory of operation
 *
 * A connection is a command. Records go both ways: the host's START, INPUT (an empty one is the
 * end) and SIGNAL, the guest's OUTPUT, ERRORS and STATUS. The guest's end may wait until the host
 * has taken output. The host's end never waits to send, so that both never wait for each other.
 */
enum { START = 'S', INPUT = 'I', SIGNAL = 'K', OUTPUT = 'O', ERRORS = 'E', STATUS = 'X' };

struct head {
	uint32_t type;
	uint32_t len;
};

enum { PIECE = 32768, START_MAX = 1 << 20 };

/* A record, built behind each other; what is sent is at the front. */
struct queue {
	char data[START_MAX + PIECE];
	size_t len;
};

static struct queue queue;
extern char **environ;

static void put(const void *data, size_t len)
{
	if (len > sizeof(queue.data) - queue.len) {
		errno = E2BIG;
		die("the command");
	}
	memcpy(queue.data + queue.len, data, len);
	queue.len += len;
}

static void put_record(uint32_t type, const void *data, size_t len)
{
	struct head head = {.type = type, .len = (uint32_t)len};

	put(&head, sizeof(head));
	put(data, len);
}

static void not_blocking(int fd)
{
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)
		die("fcntl");
}

/* Send as much of the queue to fd as it takes; false: its reader is gone. */
static bool flush_queue(int fd)
{
	ssize_t n = write(fd, queue.data, queue.len);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	queue.len -= (size_t)n;
	memmove(queue.data, queue.data + n, queue.len);
	return true;
}

/* The host's end */

static int dial(const char *path, const char *port)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char line[32];
	char c;

	if (strlen(path) >= sizeof(addr.sun_path))
		exit(64);
	memcpy(addr.sun_path, path, strlen(path));
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die(path);
	snprintf(line, sizeof(line), "CONNECT %s\n", port);
	if (send_all(fd, line, strlen(line)) < 0)
		die(path);
	do {
		if (recv_all(fd, &c, 1) < 0)
			die("the guest does not accept");
	} while (c != '\n');
	return fd;
}

static void put_strings(char **strings)
{
	for (; *strings; strings++)
		put(*strings, strlen(*strings) + 1);
	put("", 1);
}

/* Directory, arguments, environment: each list ends with an empty string. An argument may be empty,
 * so each has a mark before it. */
static void put_start(char **argv)
{
	struct head head = {.type = START};
	char dir[4096];

	if (!getcwd(dir, sizeof(dir)))
		die("getcwd");
	put(&head, sizeof(head));
	put(dir, strlen(dir) + 1);
	for (; *argv; argv++) {
		put("=", 1);
		put(*argv, strlen(*argv) + 1);
	}
	put("", 1);
	put_strings(environ);
	head.len = (uint32_t)(queue.len - sizeof(head));
	memcpy(queue.data, &head, sizeof(head));
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			_exit(125); /* nobody reads: the connection ends, and the command with it */
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

static _Noreturn void end_as(const char *status)
{
	int sig = status[1];
	sigset_t all;

	if (!sig)
		_exit((unsigned char)status[0]);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	signal(sig, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(sig);
	_exit(128 + sig);
}

/* One record of the guest */
static void take(int fd)
{
	static char data[PIECE];
	struct head head;

	if (recv_all(fd, &head, sizeof(head)) < 0 || head.len > sizeof(data) ||
	    recv_all(fd, data, head.len) < 0) {
		fprintf(stderr, "remote: the connection to the guest has ended\n");
		_exit(125);
	}
	if (head.type == STATUS && head.len == 2)
		end_as(data);
	write_all(head.type == ERRORS ? 2 : 1, data, head.len);
}

static int run(const char *path, const char *port, char **argv)
{
	static const int passed[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	struct pollfd fds[3];
	bool input = true;
	sigset_t set;
	int fd, signals;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&set, passed[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	fd = dial(path, port);
	put_start(argv);
	for (;;) {
		/* recv_all() wants a socket that waits, so each write asks first. */
		fds[0] = (struct pollfd){.fd = fd, .events = POLLIN};
		if (queue.len)
			fds[0].events |= POLLOUT;
		fds[1] = (struct pollfd){.fd = signals, .events = POLLIN};
		fds[2] = (struct pollfd){.fd = input && !queue.len ? 0 : -1, .events = POLLIN};
		if (poll(fds, 3, -1) < 0)
			die("poll");
		if (fds[0].revents & POLLOUT) {
			ssize_t n = send(fd, queue.data, queue.len, MSG_DONTWAIT | MSG_NOSIGNAL);

			if (n > 0) {
				queue.len -= (size_t)n;
				memmove(queue.data, queue.data + n, queue.len);
			}
		}
		if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
			take(fd);
		if (fds[1].revents) {
			struct signalfd_siginfo info;

			if (read(signals, &info, sizeof(info)) == sizeof(info)) {
				char sig = (char)info.ssi_signo;

				put_record(SIGNAL, &sig, 1);
			}
		}
		if (fds[2].revents) {
			char data[PIECE];
			ssize_t n = read(0, data, sizeof(data));

			if (n <= 0)
				input = false;
			put_record(INPUT, data, n > 0 ? (size_t)n : 0);
		}
	}
}

/* The guest's end */

/* In the new process. at: what put_start() has put; its last byte is 0. */
static _Noreturn void execute(char *at, const char *end)
{
	static char *args[4096], *env[4096];
	const char *root = getenv("LFP_ROOT"), *dir = at;
	char own_root[300];
	size_t n = 0;

	for (at += strlen(at) + 1; at < end && *at == '=' && n < 4095; at += strlen(at) + 1)
		args[n++] = at + 1;
	n = 0;
	for (at++; at < end && *at && n < 4094; at += strlen(at) + 1)
		if (!root || strncmp(at, "LFP_ROOT=", 9) != 0)
			env[n++] = at;
	if (root) {
		snprintf(own_root, sizeof(own_root), "LFP_ROOT=%s", root);
		env[n] = own_root;
	}
	environ = env;
	if (!*args)
		_exit(64);
	if (chdir(dir) < 0)
		fprintf(stderr, "remote: %s: %s\n", dir, strerror(errno));
	else
		execvp(*args, args);
	fprintf(stderr, "remote: %s: %s\n", *args, strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void send_record(int conn, uint32_t type, const void *data, size_t len)
{
	struct head head = {.type = type, .len = (uint32_t)len};

	if (send_all(conn, &head, sizeof(head)) < 0 || send_all(conn, data, len) < 0)
		_exit(0); /* the host is gone; the caller's parent kills the command */
}

/* Hand on what fd has; false at its end, or if it has nothing now. */
static bool hand_on(int conn, uint32_t type, int fd)
{
	char data[PIECE];
	ssize_t n = read(fd, data, sizeof(data));

	if (n > 0)
		send_record(conn, type, data, (size_t)n);
	return n > 0;
}

static pid_t program;

static void kill_program(void)
{
	kill(-program, SIGKILL);
}

static _Noreturn void lost(void)
{
	kill_program();
	_exit(0);
}

/* One record of the host; *input is the command's standard input, -1 once closed */
static void obey(int conn, int *input)
{
	static char data[PIECE];
	struct head head;

	if (recv_all(conn, &head, sizeof(head)) < 0 || head.len > sizeof(data) ||
	    recv_all(conn, data, head.len) < 0)
		lost();
	if (head.type == SIGNAL && head.len == 1)
		kill(program, data[0]);
	else if (head.type == INPUT && head.len && *input >= 0)
		put(data, head.len);
	else if (head.type == INPUT && *input >= 0 && !head.len)
		*input = (close(*input), -1);
}

static int start(int conn, int files[3])
{
	static char data[START_MAX];
	int pipes[3][2];
	struct head head;

	if (recv_all(conn, &head, sizeof(head)) < 0 || head.type != START || !head.len ||
	    head.len > sizeof(data) || recv_all(conn, data, head.len) < 0 || data[head.len - 1])
		_exit(0);
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			die("pipe2");
	program = fork();
	if (program < 0)
		die("fork");
	if (!program) {
		setsid();
		dup2(pipes[0][0], 0);
		dup2(pipes[1][1], 1);
		dup2(pipes[2][1], 2);
		execute(data, data + head.len);
	}
	for (int i = 0; i < 3; i++) {
		close(pipes[i][i != 0]);
		files[i] = pipes[i][i == 0];
		not_blocking(files[i]);
	}
	return (int)syscall(SYS_pidfd_open, program, 0);
}

static _Noreturn void serve_one(int conn)
{
	static const uint32_t types[] = {0, OUTPUT, ERRORS};
	struct pollfd fds[5];
	int files[3], pidfd, status;
	char said[2];

	signal(SIGCHLD, SIG_DFL);
	pidfd = start(conn, files);
	if (pidfd < 0)
		die("pidfd_open");
	signal(SIGPIPE, SIG_IGN);
	do {
		fds[0] = (struct pollfd){.fd = conn, .events = queue.len ? 0 : POLLIN};
		fds[1] = (struct pollfd){.fd = pidfd, .events = POLLIN};
		fds[2] = (struct pollfd){.fd = queue.len ? files[0] : -1, .events = POLLOUT};
		fds[3] = (struct pollfd){.fd = files[1], .events = POLLIN};
		fds[4] = (struct pollfd){.fd = files[2], .events = POLLIN};
		if (poll(fds, 5, -1) < 0)
			die("poll");
		if (fds[2].revents && !flush_queue(files[0]))
			queue.len = 0;
		for (int i = 1; i < 3; i++)
			if (fds[i + 2].revents && !hand_on(conn, types[i], files[i])) {
				close(files[i]);
				files[i] = -1;
			}
		if (fds[0].revents & POLLIN)
			obey(conn, &files[0]);
		else if (fds[0].revents)
			lost();
	} while (!fds[1].revents);
	for (int i = 1; i < 3; i++)
		while (files[i] >= 0 && hand_on(conn, types[i], files[i]))
			;
	if (waitpid(program, &status, 0) < 0)
		die("waitpid");
	said[0] = (char)(WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	said[1] = (char)(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	send_record(conn, STATUS, said, sizeof(said));
	/* The host closes first, so that nothing is lost. */
	recv_all(conn, said, 1);
	_exit(0);
}

static int serve(unsigned long port)
{
	struct sockaddr_vm addr = {
		.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = (unsigned int)port};
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, 128) < 0)
		die("AF_VSOCK");
	puts("REMOTE-READY");
	fflush(stdout);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (conn >= 0 && fork() == 0)
			serve_one(conn);
		if (conn >= 0)
			close(conn);
	}
}

#ifdef __x86_64__
struct moment {
	int64_t ns;
	uint64_t ticks;
};

/* Of many looks the shortest one counts: another process may run in the midst of one. */
static struct moment look(void)
{
	struct moment best = {0};
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		struct timespec before, after;
		uint64_t ticks;
		int64_t took;

		clock_gettime(CLOCK_MONOTONIC, &before);
		ticks = __builtin_ia32_rdtsc();
		clock_gettime(CLOCK_MONOTONIC, &after);
		took = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
		if (took >= shortest)
			continue;
		shortest = took;
		best.ns = before.tv_sec * 1000000000 + before.tv_nsec + took / 2;
		best.ticks = ticks;
	}
	return best;
}

static int tell_khz(void)
{
	const struct timespec pause = {.tv_nsec = 100000000};
	struct moment begin = look(), end;

	nanosleep(&pause, NULL);
	end = look();
	printf("%.0f\n", (double)(end.ticks - begin.ticks) * 1e6 / (double)(end.ns - begin.ns));
	return 0;
}
#else
static int tell_khz(void)
{
	fputs("only x86_64 has a TSC\n", stderr);
	return 77;
}
#endif

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "khz"))
		return tell_khz();
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(number(argv[2]));
	if (argc >= 5 && !strcmp(argv[1], "run"))
		return run(argv[2], argv[3], argv + 4);
	fprintf(stderr,
		"usage: remote serve PORT | remote run SOCKET PORT COMMAND... | remote khz\n");
	return 64;
}
