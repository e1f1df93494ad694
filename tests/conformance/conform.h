/* SPDX-License-Identifier: Apache-2.0 */
/* conform.h - helpers of the conformance topics: addresses, sockets, readiness, data */
#ifndef TESTS_CONFORMANCE_CONFORM_H
#define TESTS_CONFORMANCE_CONFORM_H

#include "tests/conformance/trace.h"

struct addr {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_storage storage;
	};
	socklen_t len;
};

#define ADDR(a) &(a)->sa, (a)->len

static const int families[] = {AF_INET, AF_INET6};

#define EACH_FAMILY(af)                                                                            \
	for (size_t family_nr = 0; family_nr < 2 && ((af) = families[family_nr], true); family_nr++)

static inline int digit(int af)
{
	return af == AF_INET ? 4 : 6;
}

/* port in host byte order */
static inline struct addr numeric(const char *host, unsigned int port)
{
	struct addr addr = {.len = sizeof(addr.in)};

	if (inet_pton(AF_INET, host, &addr.in.sin_addr) == 1) {
		addr.in.sin_family = AF_INET;
		addr.in.sin_port = htons((in_port_t)port);
		return addr;
	}
	if (inet_pton(AF_INET6, host, &addr.in6.sin6_addr) != 1)
		die(host);
	addr.in6.sin6_family = AF_INET6;
	addr.in6.sin6_port = htons((in_port_t)port);
	addr.len = sizeof(addr.in6);
	return addr;
}

static inline struct addr loopback(int af, unsigned int port)
{
	return numeric(af == AF_INET ? "127.0.0.1" : "::1", port);
}

static inline struct addr wildcard(int af, unsigned int port)
{
	return numeric(af == AF_INET ? "0.0.0.0" : "::", port);
}

static inline struct addr unspec(void)
{
	return (struct addr){.sa.sa_family = AF_UNSPEC, .len = sizeof(struct sockaddr_in6)};
}

static inline unsigned int port_of(const struct addr *addr)
{
	return ntohs(addr->sa.sa_family == AF_INET6 ? addr->in6.sin6_port : addr->in.sin_port);
}

/* Returns the address as text, with the port hidden. The result stays valid for four more calls. */
static inline const char *text_of(const struct addr *addr)
{
	static char texts[4][96];
	static unsigned int nr;
	char host[INET6_ADDRSTRLEN] = "?", *text = texts[nr++ % 4];
	const char *port = port_of(addr) ? "port" : "0";

	if (addr->sa.sa_family == AF_INET)
		inet_ntop(AF_INET, &addr->in.sin_addr, host, sizeof(host));
	else if (addr->sa.sa_family == AF_INET6)
		inet_ntop(AF_INET6, &addr->in6.sin6_addr, host, sizeof(host));
	else
		snprintf(host, sizeof(host), "family %d", addr->sa.sa_family);
	snprintf(text, sizeof(texts[0]), "%s:%s, %u bytes", host, port, addr->len);
	return text;
}

static inline bool same_addr(const struct addr *a, const struct addr *b)
{
	return a->len == b->len && !strcmp(text_of(a), text_of(b)) && port_of(a) == port_of(b);
}

static inline struct addr name_of(int fd)
{
	struct addr addr = {.len = sizeof(addr.storage)};

	if (getsockname(fd, &addr.sa, &addr.len) < 0)
		printf("%s getsockname fails: %s\n", scope, error_name(errno));
	return addr;
}

static inline struct addr peer_of(int fd)
{
	struct addr addr = {.len = sizeof(addr.storage)};

	if (getpeername(fd, &addr.sa, &addr.len) < 0)
		printf("%s getpeername fails: %s\n", scope, error_name(errno));
	return addr;
}

static inline int new_socket(int af, int type)
{
	int fd = (int)MUST(socket(af, type, 0));

	leak_check(fd);
	return fd;
}

/* Makes a socket bound to a free port of the loopback, and sets *addr. */
static inline int bound(int af, int type, struct addr *addr)
{
	int fd = new_socket(af, type);

	*addr = loopback(af, 0);
	MUST(bind(fd, ADDR(addr)));
	*addr = name_of(fd);
	return fd;
}

static inline int listener(int af, int flags, struct addr *addr)
{
	int fd = bound(af, SOCK_STREAM | flags, addr);

	MUST(listen(fd, 64));
	return fd;
}

/* Returns an unused port of the loopback, another one each time. The kernel gives these ports to no
 * topic that runs at the same time. Each run has 60, derived from its slow host's port (run:
 * trace_all()). */
static inline struct addr nobody(int af)
{
	enum { FIRST = 20000, EACH = 60 };
	static unsigned int nr;
	const char *slow = getenv("CONFORM_SLOW");
	unsigned int run = slow ? ((unsigned int)atoi(slow) - 7000) / 10 : 200;

	return loopback(af, FIRST + run * EACH + nr++ % EACH);
}

/* Returns the result of connect() after the listeners are closed. */
static inline const char *connect_when_gone(const struct addr *addr)
{
	int fd = -1, rc = 0;

	WAIT((close(fd), fd = new_socket(addr->sa.sa_family, SOCK_STREAM),
	      (rc = connect(fd, ADDR(addr))) < 0));
	if (rc < 0)
		rc = errno;
	close(fd);
	return error_name(rc);
}

/* Two stream sockets that are connected: fd[0] by connect(), fd[1] by accept(). */
static inline void stream_pair(int af, int fd[2])
{
	struct addr addr;
	int at = listener(af, 0, &addr);

	fd[0] = new_socket(af, SOCK_STREAM);
	MUST(connect(fd[0], ADDR(&addr)));
	fd[1] = (int)MUST(accept(at, NULL, NULL));
	leak_check(fd[1]);
	close(at);
}

/* Two datagram sockets that are connected to each other. */
static inline void datagram_pair(int af, int fd[2])
{
	struct addr addr[2];

	for (int i = 0; i < 2; i++)
		fd[i] = bound(af, SOCK_DGRAM, &addr[i]);
	for (int i = 0; i < 2; i++)
		MUST(connect(fd[i], ADDR(&addr[1 - i])));
}

static inline void close_pair(const int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

static inline int set_option(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* Returns the value of the option, or -1 with errno. errno is 0 if -1 is the value. */
static inline int get_option(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	errno = 0;
	return getsockopt(fd, level, name, &value, &len) < 0 ? -1 : value;
}

static inline void set_time_limit(int fd, int name, int ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	MUST(setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
}

static inline void set_blocking(int fd, bool blocking)
{
	int flags = fcntl(fd, F_GETFL);

	MUST(fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK));
}

/* SO_ERROR's value, as text */
static inline const char *socket_error(int fd)
{
	int error = get_option(fd, SOL_SOCKET, SO_ERROR);

	return error < 0 ? "no SO_ERROR" : error_name(error);
}

static inline const char *events_text(unsigned int events)
{
	static char texts[4][64];
	static unsigned int nr;
	char *text = texts[nr++ % 4];

	snprintf(text, sizeof(texts[0]), "%s%s%s%s%s%s%s%s", events & POLLIN ? " IN" : "",
		 events & POLLPRI ? " PRI" : "", events & POLLOUT ? " OUT" : "",
		 events & POLLERR ? " ERR" : "", events & POLLHUP ? " HUP" : "",
		 events & POLLNVAL ? " NVAL" : "", events & POLLRDHUP ? " RDHUP" : "",
		 events ? "" : " nothing");
	return text + 1;
}

/* Returns poll()'s events, after at most ms. */
static inline unsigned int poll_for(int fd, int events, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = (short)events};

	return poll(&pfd, 1, ms) < 0 ? 0 : (unsigned int)pfd.revents;
}

static inline bool readable(int fd)
{
	return poll_for(fd, POLLIN, WAIT_MS) != 0;
}

/* Returns all events that poll() reports now. */
static inline unsigned int all_events(int fd)
{
	return poll_for(fd, POLLIN | POLLPRI | POLLOUT | POLLRDHUP, 0);
}

/* Waits for these events. Returns all that poll() reports. */
static inline const char *events_with(int fd, unsigned int wanted)
{
	WAIT((all_events(fd) & wanted) == wanted);
	return events_text(all_events(fd));
}

static inline int bytes_there(int fd)
{
	int n = -1;

	return ioctl(fd, FIONREAD, &n) < 0 ? -1 : n;
}

static inline void wait_bytes(int fd, int n)
{
	WAIT(bytes_there(fd) >= n);
}

/* Sends until the socket stays full. Returns the number of bytes. Data on the way may still move
 * on, so the socket counts as full only after many looks. A look takes processor time, so a busy
 * machine does not end the wait early. */
static inline size_t fill(int fd)
{
	static char block[65536];
	size_t sent = 0;

	for (int full = 0; full < 125; full++) {
		ssize_t n = send(fd, block, sizeof(block), MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			sent += (size_t)n;
			full = 0;
		} else {
			pause_ms(4);
		}
	}
	return sent;
}

/* An address without mapped memory. */
static inline void *bad_address(void)
{
	return mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Sends all of the data. Returns 0 or -1. */
static inline int send_all(int fd, const void *data, size_t len)
{
	for (const char *at = data; len;) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Receives so many bytes, or those before the end or an error. */
static inline size_t recv_all(int fd, void *data, size_t len)
{
	size_t got = 0;

	while (got < len && readable(fd)) {
		ssize_t n = recv(fd, (char *)data + got, len - got, 0);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

/* Receives, and returns the result as text: "3 bytes 'abc'", "end", or the error. */
static inline const char *received(int fd, int flags)
{
	static char texts[4][128];
	static unsigned int nr;
	char buf[64], *text = texts[nr++ % 4];
	ssize_t n;

	if (!(flags & MSG_DONTWAIT) && !readable(fd))
		return "nothing came";
	n = recv(fd, buf, sizeof(buf), flags);
	if (n < 0)
		return error_name(errno);
	snprintf(text, sizeof(texts[0]), "%zd bytes '%.*s'", n, (int)n, buf);
	return text;
}

/* Returns true if data sent on one arrives at the other. */
static inline const char *exchange(int from, int to)
{
	char buf[8] = "";

	if (send(from, "hello", 5, MSG_NOSIGNAL) != 5)
		return error_name(errno);
	if (recv_all(to, buf, 5) != 5)
		return "lost";
	return strcmp(buf, "hello") ? "garbled" : "works";
}

/* A pattern that depends on the position. */
static inline void pattern(unsigned char *buf, size_t len, uint64_t seed)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf[i] = (unsigned char)(x >> 32);
	}
}

#endif
