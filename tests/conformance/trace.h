/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - the trace of a conformance topic, the gate against leaks, and time
 *
 * A topic prints one line a check, "SCOPE NAME: CALL -> ANSWER", and the same lines natively and on
 * LFP, whoever serves its sockets. So it prints nothing that varies: a port is "port", a descriptor
 * "fd". A failed set-up prints its own line, and the topic goes on. Checks wait for anything that
 * takes time on the way.
 */
#ifndef TESTS_CONFORMANCE_TRACE_H
#define TESTS_CONFORMANCE_TRACE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Time limit for an expected event, and waiting time for an event that must not happen.
 */
enum {
	WAIT_MS = 60000,
	NOTHING_MS = 60,
	VAIN_MS = 3000 /* one of both does it at once, natively or on LFP, the other never:
			  "differences" */
};

static char scope[64];

/* Sets the scope of the following lines: a prefix of their names. */
static inline void about(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(scope, sizeof(scope), format, args);
	va_end(args);
}

static inline const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "0";
}

/* A line with an answer that is more than a number. */
static inline void __attribute__((format(printf, 2, 3)))
say(const char *name, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("%s%s%s: -> %s\n", scope, *scope ? " " : "", name, text);
}

static inline long say_result(const char *name, const char *call, long result)
{
	int error = errno;

	printf("%s%s%s: %s -> ", scope, *scope ? " " : "", name, call);
	if (result < 0)
		printf("%s\n", error_name(error));
	else
		printf("%ld\n", result);
	errno = error;
	return result;
}

static inline int say_fd(const char *name, const char *call, int fd)
{
	int error = errno;

	printf("%s%s%s: %s -> %s\n", scope, *scope ? " " : "", name, call,
	       fd < 0 ? error_name(error) : "fd");
	errno = error;
	return fd;
}

/* A check: make the call and print what it gives, or its error. */
#define TRY(name, call)    say_result(name, #call, (errno = 0, (long)(call)))
#define TRY_FD(name, call) say_fd(name, #call, (errno = 0, (call)))

/* A step that a check needs. Prints a line only if the step fails. */
static inline long set_up(const char *call, long result)
{
	if (result < 0)
		printf("%s%sset-up fails: %s -> %s\n", scope, *scope ? " " : "", call,
		       error_name(errno));
	return result;
}
#define MUST(call) set_up(#call, (errno = 0, (long)(call)))

static inline _Noreturn void die(const char *what)
{
	printf("%s ends the topic: %s\n", what, error_name(errno));
	fflush(stdout);
	_exit(1);
}

/* CONFORM_LFP forbids sockets of the program's own network: such a socket would be a leak. */
static inline void leak_check(int fd)
{
	char protocol[32] = "";

	if (fd >= 0 && getenv("CONFORM_LFP") &&
	    fgetxattr(fd, "system.sockprotoname", protocol, sizeof(protocol) - 1) > 0 &&
	    strncmp(protocol, "UNIX", 4) != 0)
		printf("LEAK: a socket of the program's own network: %s\n", protocol);
}

/* Makes the kernel end this program, or any that it starts, for an Internet socket made behind the
 * shim. */
static inline void leak_gate(void)
{
	/* where the half of a 64-bit argument lies that an int is in */
	const unsigned int low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + low),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		die("the leak gate");
}

static inline void begin(void)
{
	const char *tier = getenv("CONFORM_LFP");

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	if (tier && !strcmp(tier, "preload"))
		leak_gate();
}

static inline int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* Waits until the condition holds, or the time is over. */
#define WAIT_FOR(ms, condition)                                                                    \
	do {                                                                                       \
		int64_t wait_end = now_ms() + (ms);                                                \
		while (!(condition) && now_ms() < wait_end)                                        \
			pause_ms(2);                                                               \
	} while (0)
#define WAIT(condition) WAIT_FOR(WAIT_MS, condition)

#endif
