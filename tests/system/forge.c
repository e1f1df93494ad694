/* SPDX-License-Identifier: Apache-2.0 */
/* forge.c - a program that wants the sockets of others: names, descriptors and requests of its own
 * making
 *
 *	forge NN CTL
 *
 * NN is the instance, CTL the path of its control socket. Sockets of other programs exist. It
 * prints a line with the result of each attempt. The exit code is 1 if one was not refused.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "lfp/places.h"
#include "libvsesock/core/raw.h"
#include "tests/system/tool.h"

static const char *ctl_path;
static int failed;

/* @rc of a call, or -1 with errno: it must be one of these errors. */
static void refused(const char *what, long rc, int error, int other)
{
	int got = rc < 0 ? errno : 0;

	printf("%s: %s\n", what, error_name(got));
	if (got != error && got != other)
		failed = 1;
}

static int open_ctl(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct sockaddr_un addr;

	if (fd < 0 || lfp_unix_addr(&addr, ctl_path) ||
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("the control channel");
	return fd;
}

static void put(int ctl, const struct lfp_ctl_request *request, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} rights;
	struct iovec iov = {(void *)(uintptr_t)request, LFP_CTL_REQUEST_HEAD + request->len};
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
	if (sendmsg(ctl, &msg, MSG_NOSIGNAL) < 0)
		die("a request");
}

/* Sets errno to the answer's error, and leaves descriptors that came with it. */
static int answer(int ctl)
{
	static struct lfp_ctl_reply reply;
	ssize_t n = recv(ctl, &reply, sizeof(reply), 0);

	close(ctl);
	errno = n < (ssize_t)LFP_CTL_REPLY_HEAD ? ECONNRESET : reply.error;
	return errno ? -1 : 0;
}

static int ask(const struct lfp_ctl_request *request, int fd)
{
	int ctl = open_ctl();

	put(ctl, request, fd);
	return answer(ctl);
}

static struct lfp_ctl_request request_of(int op)
{
	return (struct lfp_ctl_request){
		.magic = LFP_CTL_MAGIC,
		.op = (uint16_t)op,
		.a = SOL_SOCKET,
		.b = SO_KEEPALIVE,
		.c = sizeof(int),
	};
}

/* The kernel shows no names of near ends in their own network namespace. A near end of our own
 * shows all of a name but the number. */
static void find_name(const char *nn, struct sockaddr_un *addr)
{
	char line[512], prefix[32];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(*addr);
	const char *cookie = getenv("LFP_COOKIE");
	FILE *file = fopen("/proc/net/unix", "r");

	if (!file || fd < 0)
		die("/proc/net/unix");
	snprintf(prefix, sizeof(prefix), "vselfp/%s/0", nn);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, prefix) && !strstr(line, "/ctl") && !strstr(line, "/op"))
			failed = 1;
	fclose(file);
	if (raw_call(SYS_getsockname, fd, (long)addr, (long)&len, 0, 0,
		     cookie ? (long)strtoul(cookie, NULL, 16) : 0) ||
	    len != offsetof(struct sockaddr_un, sun_path) + LFP_NEAR_PATH_LEN + 1)
		die("the name of a near end");
	close(fd);
}

/* A socket of ours with the name that a near end had; only the directory is another. */
static int bind_forged(const struct sockaddr_un *addr, int fd)
{
	const socklen_t len = offsetof(struct sockaddr_un, sun_path) + LFP_NEAR_PATH_LEN + 1;
	char dir[] = "/tmp/forge-XXXXXX", path[sizeof(addr->sun_path)];

	if (!mkdtemp(dir) || chdir(dir))
		die(dir);
	memcpy(path, addr->sun_path, sizeof(path));
	for (char *at = path; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0700))
			die(path);
		*at = '/';
	}
	if (bind(fd, (const struct sockaddr *)addr, len))
		die("a name like theirs");
	(void)unlink(path);
	for (char *at; (at = strrchr(path, '/'));) {
		*at = '\0';
		(void)rmdir(path);
	}
	(void)rmdir(dir);
	return fd;
}

static void use_forged(int fd)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", 7000);
	socklen_t len = sizeof(addr);
	int value = 1;

	refused("getpeername", getpeername(fd, (struct sockaddr *)&addr, &len), EBADF, EBADF);
	refused("getsockname", getsockname(fd, (struct sockaddr *)&addr, &len), EBADF, EBADF);
	refused("connect", connect(fd, (struct sockaddr *)&addr, sizeof(addr)), EBADF, EBADF);
	refused("bind", bind(fd, (struct sockaddr *)&addr, sizeof(addr)), EBADF, EBADF);
	refused("listen", listen(fd, 1), EBADF, EBADF);
	refused("shutdown", shutdown(fd, SHUT_RDWR), EBADF, EBADF);
	refused("setsockopt", setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, sizeof(value)), EBADF,
		EBADF);
	len = sizeof(value);
	refused("getsockopt", getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, &len), EBADF, EBADF);
}

/* An option that waits at the near end stays at the forged one, and a forged word about it says
 * nothing about another socket. */
static void use_early(int forged)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), value = 1;
	socklen_t len = sizeof(value);

	refused("TCP_NODELAY of a forged one",
		setsockopt(forged, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value)), 0, 0);
	refused("TCP_NODELAY of another", getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &len), 0,
		0);
	if (value)
		failed = 1;
	close(fd);
}

/* The peer of a forged near end tells nothing, though it has a name, too. */
static void use_forged_pair(const struct sockaddr_un *addr)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("socketpair");
	bind_forged(addr, pair[0]);
	for (int i = 0; i < 2; i++) {
		refused("getpeername of a pair",
			getpeername(pair[0], (struct sockaddr *)&name, &len), EBADF, EBADF);
		refused("getsockname of a pair",
			getsockname(pair[0], (struct sockaddr *)&name, &len), EBADF, EBADF);
	}
	close(pair[0]);
	close(pair[1]);
}

static void forge_requests(int forged)
{
	static const int ops[] = {LFP_CTL_BIND,       LFP_CTL_CONNECT,     LFP_CTL_LISTEN,
				  LFP_CTL_SHUTDOWN,   LFP_CTL_GETSOCKNAME, LFP_CTL_GETPEERNAME,
				  LFP_CTL_GETSOCKOPT, LFP_CTL_SETSOCKOPT,  LFP_CTL_WHY_EOF,
				  LFP_CTL_OUTQ,       LFP_CTL_IDENTIFY,    LFP_CTL_RENEW,
				  LFP_CTL_URGENT,     LFP_CTL_WHY_EPIPE,   LFP_CTL_HELD};
	int file = open("/dev/null", O_RDWR), plain = socket(AF_UNIX, SOCK_STREAM, 0);

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct lfp_ctl_request request = request_of(ops[i]);
		char what[64];

		snprintf(what, sizeof(what), "operation %d", ops[i]);
		refused(what, ask(&request, -1), EBADF, EBADF);
		refused(what, ask(&request, file), EBADF, EBADF);
		refused(what, ask(&request, plain), EBADF, EBADF);
		if (forged >= 0)
			refused(what, ask(&request, forged), EBADF, ECONNRESET);
	}
	close(file);
	close(plain);
}

/* A socket that has a name or a peer does not become a near end. */
static void forge_socket(int forged)
{
	struct lfp_ctl_request request = request_of(LFP_CTL_SOCKET);
	int pair[2];

	request.a = AF_INET;
	request.b = SOCK_STREAM;
	request.c = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("socketpair");
	refused("a connected one for a new one", ask(&request, pair[0]), EINVAL, EINVAL);
	if (forged >= 0)
		refused("a forged one for a new one", ask(&request, forged), EINVAL, EINVAL);
	refused("a file for a new one", ask(&request, 0), EINVAL, EINVAL);
}

/* To speak for another process. */
static void forge_process(void)
{
	struct lfp_ctl_request request = request_of(LFP_CTL_GETHOSTID);

	request.speaker = getpid();
	request.task = getppid();
	refused("to speak for the parent", ask(&request, -1), EPERM, EPERM);
	request.task = 1;
	refused("to speak for the first process", ask(&request, -1), EPERM, EPERM);
}

static void forge_places(const char *nn)
{
	char path[LFP_PLACE_MAX];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un addr;

	if (lfp_place_vse(path, nn, "op") || lfp_unix_addr(&addr, path))
		die("op");
	refused("the operator's socket", connect(fd, (struct sockaddr *)&addr, sizeof(addr)),
		EACCES, EACCES);
	if (lfp_place_vse(path, nn, "private"))
		die("private");
	refused("where near ends are connected", open(path, O_RDONLY), EACCES, EACCES);
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr;
	int forged;

	if (argc != 3)
		return 64;
	ctl_path = argv[2];
	find_name(argv[1], &addr);
	forged = bind_forged(&addr, socket(AF_UNIX, SOCK_STREAM, 0));
	use_forged(forged);
	use_early(forged);
	use_forged_pair(&addr);
	forge_requests(forged);
	forge_socket(forged);
	forge_process();
	forge_places(argv[1]);
	return failed;
}
