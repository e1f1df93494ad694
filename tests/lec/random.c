/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random argument lists: each call ends, sets errno if it fails, and changes no other
 * memory
 *
 *	random SEED COUNT
 */
#include <aio.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"

#define ROOM  256
#define GUARD 0xA5

static unsigned long long state;
static unsigned char guarded[ROOM + 64];

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % below;
}

/* A descriptor: mostly one that is there. */
static int any_s(void)
{
	static const int odd[] = {-1, 99, 8191, 8192, 99999999, -2147483647};

	return draw(6) ? (int)draw(6) : odd[draw(6)];
}

static int any_int(void)
{
	static const int some[] = {0,  1,      2,  3,  4, 19,     16,
				   28, 0xFFFF, -1, 41, 6, 0x1007, 2147483647};

	return draw(3) ? some[draw(14)] : (int)draw(70000) - 100;
}

/* NULL, an unmapped address, or @room bytes of memory. */
static void *any_ptr(void)
{
	switch (draw(5)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(unsigned long)(8 + draw(4000));
	default:
		return guarded;
	}
}

static socklen_t *any_len(void)
{
	static socklen_t len;

	len = draw(8) ? draw(ROOM) : (socklen_t)any_int() % ROOM;
	return draw(6) ? &len : (socklen_t *)(unsigned long)(draw(2) * 24);
}

/* The result of one call. */
static long one_call(void)
{
	struct timeval none = {0, 0};
	struct msghdr msg = {.msg_name = any_ptr(), .msg_namelen = draw(32), .msg_iov = any_ptr()};
	struct iovec iov[2] = {{guarded, draw(ROOM)}, {any_ptr(), draw(64)}};
	struct addrinfo *list = NULL;
	int s = any_s();

	/* Random addresses are never vectors: only the kernel checks the memory that a vector
	 * points to. */
	if (draw(4) || msg.msg_iov == (struct iovec *)guarded) {
		msg.msg_iov = iov;
		msg.msg_iovlen = (int)draw(3);
	}
	switch (draw(30)) {
	case 0:
		s = socket(draw(3) ? 2 : any_int(), draw(3) ? 1 + (int)draw(2) : any_int(),
			   draw(3) ? 0 : any_int());
		return s < 0 ? s : fcntl(s, F_SETFL, O_NONBLOCK);
	case 1:
		return close(s);
	case 2:
		return bind(s, any_ptr(), draw(ROOM));
	case 3:
		return connect(s, any_ptr(), draw(ROOM));
	case 4:
		return listen(s, any_int());
	case 5:
		return accept(s, any_ptr(), any_len());
	case 6:
		return shutdown(s, any_int());
	case 7:
		return getsockname(s, any_ptr(), any_len());
	case 8:
		return getpeername(s, any_ptr(), any_len());
	case 9:
		return getsockopt(s, draw(2) ? SOL_SOCKET : any_int(), any_int(), any_ptr(),
				  any_len());
	case 10:
		return setsockopt(s, draw(2) ? SOL_SOCKET : any_int(), any_int(), any_ptr(),
				  draw(ROOM));
	case 11:
		return send(s, any_ptr(), draw(ROOM), any_int());
	case 12:
		return sendto(s, any_ptr(), draw(ROOM), any_int(), any_ptr(), draw(64));
	case 13:
		return sendmsg(s, draw(5) ? &msg : any_ptr(), 0);
	case 14:
		return recv(s, any_ptr(), draw(ROOM), any_int());
	case 15:
		return recvfrom(s, any_ptr(), draw(ROOM), any_int(), any_ptr(), any_len());
	case 16:
		return recvmsg(s, draw(5) ? &msg : NULL, 0);
	case 17:
		return read(s, any_ptr(), draw(ROOM));
	case 18:
		return write(s, any_ptr(), draw(ROOM));
	case 19:
		return readv(s, iov, (int)draw(3));
	case 20:
		return writev(s, iov, (int)draw(3));
	case 21:
		return fcntl(s, any_int(), O_NONBLOCK);
	case 22:
		return ioctl(s, draw(2) ? (unsigned int)any_int() : FIONREAD, any_ptr());
	case 23:
		return select((int)draw(200), any_ptr(), any_ptr(), any_ptr(), &none);
	case 24:
		return poll(any_ptr(), draw(ROOM / sizeof(struct pollfd)), 0);
	case 25:
		return getclientid(any_int(), any_ptr());
	case 26:
		return givesocket(s, any_ptr());
	case 27:
		s = takesocket(any_ptr(), s);
		return s;
	case 28:
		s = getaddrinfo(any_ptr() ? "127.0.0.1" : NULL, draw(2) ? "80" : NULL, NULL, &list);
		if (!s)
			freeaddrinfo(list);
		return 0;
	default:
		return inet_pton(any_int(), "10.0.0.1", any_ptr());
	}
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0;

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	setvbuf(stdout, NULL, _IONBF, 0);
	for (long i = 0; i < count; i++) {
		unsigned long long before = state;
		long rc;

		for (int at = 0; at < ROOM; at++)
			guarded[at] = (unsigned char)draw(draw(2) ? 3 : 256);
		memset(guarded + ROOM, GUARD, 64);
		errno = 0;
		rc = one_call();
		if (rc < -1 || (rc == -1 && !errno))
			printf("FAILED: call %ld, seed %llu: %ld\n", i, before, rc);
		CHECK(rc >= -1 && (rc != -1 || errno));
		for (int at = ROOM; at < ROOM + 64; at++)
			if (guarded[at] != GUARD) {
				printf("FAILED: call %ld, seed %llu: memory\n", i, before);
				failures++;
				break;
			}
	}
	return finish();
}
