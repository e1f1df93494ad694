/* SPDX-License-Identifier: Apache-2.0 */
/* forged.c - attacks of a hostile program on the seccomp supervisor; built statically
 *
 *	forged name stream|dgram	the name of a new near end, in hexadecimal; under the
 *					supervisor in mode both, whose cookie it uses
 *	forged send stream|dgram NAME	give a socket of its own a name like NAME and send through
 *					it: the user that the receiver is told of
 *	forged join sends the supervisor lfp-run's own requests forged foreign the calls of 32-bit
 *	and x32 programs, on a near end and on
 *					another socket
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "tests/system/tool.h"

static int kind_of(const char *text)
{
	return strcmp(text, "dgram") == 0 ? SOCK_DGRAM : SOCK_STREAM;
}

static int print_name(int kind)
{
	const char *text = getenv("LFP_COOKIE");
	unsigned long cookie = text ? strtoul(text, NULL, 16) : 0;
	int fd = socket(AF_INET, kind, 0);
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	if (fd < 0 || syscall(SYS_getsockname, fd, &addr, &len, 0, 0, cookie) < 0)
		die("getsockname");
	if (addr.sun_family != AF_UNIX) {
		printf("family %d\n", addr.sun_family);
		return 1;
	}
	for (size_t i = 0; i < len - offsetof(struct sockaddr_un, sun_path); i++)
		printf("%02x", (unsigned char)addr.sun_path[i]);
	printf("\n");
	return 0;
}

static void make_parents(const char *path)
{
	char dir[108];

	for (size_t i = 0; path[i]; i++) {
		if (path[i] != '/' || !i)
			continue;
		snprintf(dir, sizeof(dir), "%.*s", (int)i, path);
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			die("mkdir");
	}
}

/* The name with another last digit, which no socket has. */
static socklen_t forge_name(struct sockaddr_un *addr, const char *hex)
{
	size_t len = strlen(hex) / 2, last = 0;

	*addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!len || len > sizeof(addr->sun_path))
		exit(64);
	for (size_t i = 0; i < len; i++) {
		unsigned int byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			exit(64);
		addr->sun_path[i] = (char)byte;
		if (byte)
			last = i;
	}
	addr->sun_path[last] = addr->sun_path[last] == '7' ? '6' : '7';
	if (addr->sun_path[0])
		make_parents(addr->sun_path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

static void show_sender(int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct ucred cred;

	if (recvmsg(fd, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		die("recvmsg");
	memcpy(&cred, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(cred));
	printf("user %u\n", cred.uid);
}

static int send_forged(int kind, const char *hex)
{
	struct sockaddr_un addr;
	socklen_t len = forge_name(&addr, hex);
	struct iovec iov = {.iov_base = (char[]){'x'}, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	const int on = 1;
	int ends[2];

	if (socketpair(AF_UNIX, kind, 0, ends) < 0 ||
	    setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		die("socketpair");
	if (bind(ends[0], (struct sockaddr *)&addr, len) < 0)
		die("bind");
	if (sendmsg(ends[0], &msg, 0) != 1)
		die("sendmsg");
	show_sender(ends[1]);
	if (sendto(ends[0], "x", 1, MSG_MORE, NULL, 0) != 1)
		die("sendto");
	show_sender(ends[1]);
	return 0;
}

static int ask_join(void)
{
	struct {
		char nn[4];
		uint32_t reserved;
		uint64_t cookie;
	} join = {.cookie = 1};
	socklen_t len = sizeof(join);

	if (getsockopt(-1, 0x4C465031, 1, &join, &len) < 0)
		die("getsockopt");
	printf("instance %.3s, %s\n", join.nn, join.cookie ? "a cookie" : "no cookie");
	return 0;
}

#if defined(__x86_64__)

static long call_i386(long nr, long a, long b, long c)
{
	long rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return (int)rc;
}

/* Memory below 4 GiB, as the program is not relocated. */
static struct sockaddr_un addr32 = {.sun_family = AF_UNIX, .sun_path = "/nobody/is/there"};
static socklen_t len32 = sizeof(addr32);
static uint32_t args32[6];

static long call_socketcall(long call, uint32_t a, uint32_t b, uint32_t c)
{
	args32[0] = a;
	args32[1] = b;
	args32[2] = c;
	return call_i386(102, call, (long)args32, 0);
}

static const struct {
	const char *name;
	long i386, x32, socketcall;
} calls[] = {
	{"connect", 362, 42, 3},     {"bind", 361, 49, 2},         {"listen", 363, 50, 4},
	{"accept4", 364, 288, 18},   {"getsockopt", 365, 542, 15}, {"setsockopt", 366, 541, 14},
	{"getsockname", 367, 51, 6}, {"getpeername", 368, 52, 7},  {"sendto", 369, 44, 11},
	{"sendmsg", 370, 518, 16},   {"recvfrom", 371, 517, 12},   {"recvmsg", 372, 519, 17},
	{"shutdown", 373, 48, 13},   {"sendmmsg", 345, 538, 20},   {"recvmmsg", 337, 537, 19},
};

static void show(const char *machine, const char *call, long rc)
{
	printf("%s %s: %s\n", machine, call, rc < 0 ? error_name((int)-rc) : "0");
}

static int call_foreign(void)
{
	int near = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
	    other = socket(AF_UNIX, SOCK_STREAM, 0), fd;
	long rc;

	if (near < 0 || other < 0)
		die("socket");
	if (call_i386(20, 0, 0, 0) != getpid()) {
		printf("no 32-bit calls\n");
		return 0;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		show("i386", calls[i].name, call_i386(calls[i].i386, near, (long)&addr32, 20));
		show("socketcall", calls[i].name,
		     call_socketcall(calls[i].socketcall, (uint32_t)near,
				     (uint32_t)(uintptr_t)&addr32, 20));
	}
	show("other i386", "connect", call_i386(362, other, (long)&addr32, 20));
	show("other socketcall", "connect",
	     call_socketcall(3, (uint32_t)other, (uint32_t)(uintptr_t)&addr32, 20));
	show("other i386", "getsockname", call_i386(367, other, (long)&addr32, (long)&len32));
	show("socketcall", "socket(AF_INET)", call_socketcall(1, AF_INET, SOCK_STREAM, 0));
	rc = call_socketcall(1, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	fd = (int)rc;
	show("socketcall", "socket(AF_UNIX)", rc);
	printf("close-on-exec: %d\n", fcntl(fd, F_GETFD));
	show("socketcall", "socket(AF_UNIX, 99)", call_socketcall(1, AF_UNIX, 99, 0));
	show("socketcall", "socket(AF_PACKET)", call_socketcall(1, AF_PACKET, SOCK_RAW, 0));
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		errno = 0;
		rc = syscall(0x40000000 + calls[i].x32, near, &addr32, 20, 0, NULL, 0);
		show("x32", calls[i].name, rc < 0 ? -errno : rc);
	}
	return 0;
}

#else

static int call_foreign(void)
{
	printf("no 32-bit calls\n");
	return 0;
}

#endif

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "name") == 0)
		return print_name(kind_of(argv[2]));
	if (argc == 4 && strcmp(argv[1], "send") == 0)
		return send_forged(kind_of(argv[2]), argv[3]);
	if (argc == 2 && strcmp(argv[1], "join") == 0)
		return ask_join();
	if (argc == 2 && strcmp(argv[1], "foreign") == 0)
		return call_foreign();
	return 64;
}
