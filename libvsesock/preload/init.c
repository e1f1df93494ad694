/* SPDX-License-Identifier: Apache-2.0 */
/* init.c - the shim's start: it only finds functions and its instance */
#include <dlfcn.h>
#include <string.h>

#include "libvsesock/core/cookie.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/preload/real.h"

struct real real_calls;

/* POSIX gives data and function pointers one size; ISO C has no cast between them. */
#define FIND(member, name)                                                                         \
	do {                                                                                       \
		void *found = dlsym(RTLD_NEXT, name);                                              \
		memcpy(&calls.member, &found, sizeof(found));                                      \
	} while (0)

/* Missing before glibc 2.35. */
static int kernel_epoll_pwait2(int set, struct epoll_event *events, int most,
			       const struct timespec *timeout, const sigset_t *mask)
{
	return (int)give(raw_call(SYS_epoll_pwait2, set, (long)events, most, (long)timeout,
				  (long)mask, _NSIG / 8));
}

void real_init(void)
{
	struct real calls = {0};
	int saved = errno;

	FIND(read, "read");
	FIND(readv, "readv");
	FIND(write, "write");
	FIND(writev, "writev");
	FIND(sendfile, "sendfile");
	FIND(preadv2, "preadv2");
	FIND(splice, "splice");
	FIND(recv, "recv");
	FIND(recvfrom, "recvfrom");
	FIND(recvmsg, "recvmsg");
	FIND(recvmmsg, "recvmmsg");
	FIND(read_chk, "__read_chk");
	FIND(recv_chk, "__recv_chk");
	FIND(recvfrom_chk, "__recvfrom_chk");
	FIND(send, "send");
	FIND(sendto, "sendto");
	FIND(sendmsg, "sendmsg");
	FIND(sendmmsg, "sendmmsg");
	FIND(poll, "poll");
	FIND(ppoll, "ppoll");
	FIND(poll_chk, "__poll_chk");
	FIND(ppoll_chk, "__ppoll_chk");
	FIND(select, "select");
	FIND(pselect, "pselect");
	FIND(epoll_wait, "epoll_wait");
	FIND(epoll_pwait, "epoll_pwait");
	FIND(epoll_pwait2, "epoll_pwait2");
	if (!calls.epoll_pwait2)
		calls.epoll_pwait2 = kernel_epoll_pwait2;
	FIND(connect, "connect");
	FIND(accept4, "accept4");
	FIND(dup, "dup");
	FIND(dup2, "dup2");
	FIND(dup3, "dup3");
	FIND(fcntl, "fcntl");
	FIND(fcntl64, "fcntl64");
	FIND(fopen, "fopen");
	FIND(fopen64, "fopen64");
	FIND(gethostname, "gethostname");
	FIND(gethostname_chk, "__gethostname_chk");
	FIND(gethostid, "gethostid");
	FIND(getnameinfo, "getnameinfo");
	FIND(getaddrinfo, "getaddrinfo");
	FIND(gethostbyname, "gethostbyname");
	FIND(gethostbyname2, "gethostbyname2");
	FIND(gethostbyaddr, "gethostbyaddr");
	FIND(gethostbyname_r, "gethostbyname_r");
	FIND(gethostbyname2_r, "gethostbyname2_r");
	FIND(gethostbyaddr_r, "gethostbyaddr_r");
	cookie_init();
	calls.own_names = cookie_resolves();
	pass_init(&calls);
	/* Threads that get here at the same time write the same values. */
	real_calls = calls;
	__atomic_store_n(&real_calls.found, true, __ATOMIC_RELEASE);
	errno = saved;
}

static void __attribute__((constructor)) init(void)
{
	real();
	place_init();
}
