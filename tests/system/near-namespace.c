/* SPDX-License-Identifier: Apache-2.0 */
/* near-namespace.c - sockets reachable through a near end, and attempts to take its name
 *
 *	near-namespace reach raw|served	connect near ends to the abstract names lfp-test-stream and
 *					lfp-test-datagram; "raw": and ask them for interfaces
 *	near-namespace take NN		bind names as near ends of instance NN have them, and stay
 *	near-namespace open N FILE	one socket(), and when FILE is there N more, then close all,
 *					and stay as long as FILE is there
 *
 * The system calls of "reach" are the program's own: past the shim, with the cookie of the filter
 * if there is one, and by the entry of 32-bit programs where the processor has it.
 */
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "libvsesock/core/raw.h"
#include "tests/system/tool.h"

#define NAMES 5000u

static int failed;

static long past_shim(long nr, long a, long b, long c)
{
	const char *cookie = getenv("LFP_COOKIE");

	return raw_call(nr, a, b, c, 0, 0, cookie ? (long)strtoul(cookie, NULL, 16) : 0);
}

#if defined(__x86_64__)
/* connect() of 32-bit programs. The address must be where 32 bits reach. */
static long past_filter(int fd, const struct sockaddr_un *addr, socklen_t len)
{
	void *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long rc = 362;

	if (low == MAP_FAILED)
		die("mmap");
	memcpy(low, addr, sizeof(*addr));
	__asm__ volatile("int $0x80"
			 : "+a"(rc)
			 : "b"((long)fd), "c"(low), "d"((long)len)
			 : "r8", "r9", "r10", "r11", "cc", "memory");
	munmap(low, 4096);
	return (int)rc;
}
#endif

static void fails(const char *what, long rc)
{
	printf("%s: %s\n", what, rc < 0 ? error_name((int)-rc) : "it is connected");
	if (rc >= 0)
		failed = 1;
}

static void try_connect(const char *what, const char *name, int type)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	int fd = socket(AF_INET, type, 0), own = socket(AF_UNIX, type, 0);

	if (fd < 0 || own < 0)
		die("socket");
	memcpy(addr.sun_path + 1, name, strlen(name));
	/* The socket is there, for the program that it is meant for. */
	if (connect(own, (struct sockaddr *)&addr, len))
		die("a socket of the program's own");
	close(own);
	fails(what, past_shim(SYS_connect, fd, (long)&addr, len));
	close(fd);
#if defined(__x86_64__)
	fd = socket(AF_INET, type, 0);
	if (fd < 0)
		die("socket");
	fails("by the entry of 32-bit programs", past_filter(fd, &addr, len));
	close(fd);
#endif
}

static void list_interfaces(int type)
{
	char buf[4096];
	struct ifconf conf = {.ifc_len = sizeof(buf), .ifc_buf = buf};
	struct ifreq req = {.ifr_name = "lo"};
	int fd = socket(AF_INET, type, 0);
	long rc = past_shim(SYS_ioctl, fd, SIOCGIFCONF, (long)&conf);

	printf("SIOCGIFCONF: %ld, %d bytes\n", rc, conf.ifc_len);
	if (rc < 0 || conf.ifc_len)
		failed = 1;
	rc = past_shim(SYS_ioctl, fd, SIOCGIFFLAGS, (long)&req);
	printf("SIOCGIFFLAGS: %ld, up: %d\n", rc, rc >= 0 && (req.ifr_flags & IFF_UP));
	if (rc < 0 || (req.ifr_flags & IFF_UP))
		failed = 1;
	close(fd);
}

/* A near end that listens by itself is not found by another program's, which has its name. */
static void listen_by_itself(void)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || other < 0 || past_shim(SYS_getsockname, fd, (long)&addr, (long)&len) ||
	    past_shim(SYS_listen, fd, 1, 0))
		die("listen");
	fails("to another near end", past_shim(SYS_connect, other, (long)&addr, len));
	close(fd);
	close(other);
}

static int reach(bool raw)
{
	try_connect("a stream", "lfp-test-stream", SOCK_STREAM);
	try_connect("a datagram socket", "lfp-test-datagram", SOCK_DGRAM);
	/* The supervisor answers with LFP's own result. */
	if (!raw)
		return failed;
	list_interfaces(SOCK_STREAM);
	list_interfaces(SOCK_DGRAM);
	listen_by_itself();
	return failed;
}

/* Finds the first publicly visible name of a stream's near end; false if no name is visible. */
static bool find_name(const char *nn, char name[static LFP_NEAR_PATH_LEN + 1])
{
	char line[512], prefix[32];
	FILE *file = fopen("/proc/net/unix", "r");
	bool found = false;

	if (!file)
		die("/proc/net/unix");
	snprintf(prefix, sizeof(prefix), "@vselfp/%s/", nn);
	while (!found && fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, prefix);

		found = at && strlen(at) > LFP_NEAR_PATH_LEN;
		if (found)
			snprintf(name, LFP_NEAR_PATH_LEN + 1, "%s", at + 1);
	}
	fclose(file);
	return found;
}

/* That name and those that follow it, again and again: also those that become free. */
static unsigned int bind_all(const char *name, int fds[static NAMES])
{
	unsigned long long first = strtoull(name + LFP_NEAR_PATH_LEN - 16, NULL, 16);
	unsigned int taken = 0;

	for (unsigned int i = 0; i < NAMES; i++) {
		struct sockaddr_un addr = {.sun_family = AF_UNIX};
		int fd = fds[i] ? -1 : socket(AF_UNIX, SOCK_STREAM, 0);

		snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, "%.*s%016llx",
			 (int)LFP_NEAR_PATH_LEN - 16, name, first + i);
		if (fd >= 0 &&
		    !bind(fd, (struct sockaddr *)&addr,
			  offsetof(struct sockaddr_un, sun_path) + 1 + LFP_NEAR_PATH_LEN))
			fds[i] = fd;
		else if (fd >= 0)
			close(fd);
		taken += fds[i] != 0;
	}
	return taken;
}

static _Noreturn void take(const char *nn)
{
	struct rlimit limit = {2 * NAMES, 2 * NAMES};
	char name[LFP_NEAR_PATH_LEN + 1] = "";
	static int fds[NAMES];
	bool found = false;

	(void)setrlimit(RLIMIT_NOFILE, &limit);
	for (bool said = false;; said = true) {
		if (!found)
			found = find_name(nn, name);
		unsigned int taken = found ? bind_all(name, fds) : 0;

		if (!said)
			printf("names taken: %u\n", taken);
		fflush(stdout);
		usleep(10000);
	}
}

static int open_many(unsigned long nr, const char *file)
{
	unsigned long bad = 0;
	int *fds = calloc(nr, sizeof(*fds)), first = socket(AF_INET, SOCK_STREAM, 0);

	if (first < 0)
		die("socket");
	puts("one");
	fflush(stdout);
	while (access(file, F_OK))
		usleep(20000);

	for (unsigned long i = 0; fds && i < nr; i++) {
		fds[i] = socket(AF_INET, i % 4 == 3 ? SOCK_DGRAM : SOCK_STREAM, 0);
		if (fds[i] < 0) {
			bad++;
			printf("socket: %s\n", error_name(errno));
		}
	}
	printf("%lu of %lu failed\n", bad, nr);
	fflush(stdout);
	for (unsigned long i = 0; fds && i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
	close(first);
	puts("closed");
	fflush(stdout);
	while (!access(file, F_OK))
		usleep(20000);
	return bad != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "reach"))
		return reach(!strcmp(argv[2], "raw"));
	if (argc == 3 && !strcmp(argv[1], "take"))
		take(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "open"))
		return open_many(number(argv[2]), argv[3]);
	return 64;
}
