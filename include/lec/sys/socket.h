/* SPDX-License-Identifier: Apache-2.0 */
/* sys/socket.h - sockets of LE/C. Numbers without a source for z/VSE are z/OS's. */
#ifndef VSESOCK_LEC_SYS_SOCKET_H
#define VSESOCK_LEC_SYS_SOCKET_H

#include "../lec-io.h"
#include "types.h"
#include "uio.h"

#ifndef __socklen_t_defined
typedef unsigned int socklen_t;
#define __socklen_t_defined
#endif
typedef unsigned char sa_family_t;

#define AF_UNSPEC 0
#define AF_INET   2
#define AF_INET6  19
#define PF_UNSPEC AF_UNSPEC
#define PF_INET   AF_INET
#define PF_INET6  AF_INET6

#define SOCK_STREAM 1
#define SOCK_DGRAM  2
#define SOCK_RAW    3 /* refused with ESOCKTNOSUPPORT */

#define SOL_SOCKET 0xFFFF

#define SO_DEBUG       0x0001
#define SO_ACCEPTCONN  0x0002
#define SO_REUSEADDR   0x0004
#define SO_KEEPALIVE   0x0008
#define SO_DONTROUTE   0x0010
#define SO_BROADCAST   0x0020
#define SO_USELOOPBACK 0x0040 /* refused with ENOPROTOOPT */
#define SO_LINGER      0x0080
#define SO_OOBINLINE   0x0100
#define SO_REUSEPORT   0x0200
#define SO_SNDBUF      0x1001
#define SO_RCVBUF      0x1002
#define SO_SNDLOWAT    0x1003
#define SO_RCVLOWAT    0x1004
#define SO_SNDTIMEO    0x1005
#define SO_RCVTIMEO    0x1006
#define SO_ERROR       0x1007
#define SO_TYPE        0x1008

#define SOMAXCONN 10

#define MSG_OOB       1
#define MSG_PEEK      2
#define MSG_DONTROUTE 4
#define MSG_EOR       8
#define MSG_TRUNC     16
#define MSG_CTRUNC    32
#define MSG_WAITALL   64

#define SHUT_RD   0
#define SHUT_WR   1
#define SHUT_RDWR 2

struct linger {
	int l_onoff;
	int l_linger; /* seconds */
};

/* The first byte is the length. Calls set it and ignore it. */
struct sockaddr {
	unsigned char sa_len;
	sa_family_t sa_family;
	char sa_data[14];
};

struct sockaddr_storage {
	unsigned char ss_len;
	sa_family_t ss_family;
	char ss_pad1[6];
	long long ss_align;
	char ss_pad2[112];
};

struct msghdr {
	void *msg_name;
	struct iovec *msg_iov;
	void *msg_control; /* unused: none is sent or received */
	int msg_flags;
	socklen_t msg_namelen;
	int msg_iovlen;
	socklen_t msg_controllen;
};

/* The giver or the taker of a socket: 40 bytes. */
struct clientid {
	int domain;
	char name[8];        /* blank padded; in givesocket() blank means any */
	char subtaskname[8]; /* the same */
	char reserved[20];
};

/* Lengths are int, socklen_t or size_t. The upper half of a size_t must be zero. */
#ifdef __cplusplus
typedef socklen_t *lec_len_ptr;
#else
typedef union {
	int *as_int;
	socklen_t *as_socklen;
	size_t *as_size;
} lec_len_ptr __attribute__((__transparent_union__));
#endif

LEC_BEGIN

extern int socket(int family, int type, int protocol) LEC_NAME(socket);
extern int bind(int s, const struct sockaddr *addr, socklen_t addrlen) LEC_NAME(bind);
extern int connect(int s, const struct sockaddr *addr, socklen_t addrlen) LEC_NAME(connect);
extern int listen(int s, int backlog) LEC_NAME(listen);
extern int accept(int s, struct sockaddr *addr, lec_len_ptr addrlen) LEC_NAME(accept);
extern int shutdown(int s, int how) LEC_NAME(shutdown);
extern int getsockname(int s, struct sockaddr *addr, lec_len_ptr addrlen) LEC_NAME(getsockname);
extern int getpeername(int s, struct sockaddr *addr, lec_len_ptr addrlen) LEC_NAME(getpeername);
extern int getsockopt(int s, int level, int name, void *value, lec_len_ptr len)
	LEC_NAME(getsockopt);
extern int setsockopt(int s, int level, int name, const void *value, socklen_t len)
	LEC_NAME(setsockopt);

extern ssize_t send(int s, const void *buf, size_t len, int flags) LEC_NAME(send);
extern ssize_t sendto(int s, const void *buf, size_t len, int flags, const struct sockaddr *addr,
		      socklen_t addrlen) LEC_NAME(sendto);
extern ssize_t sendmsg(int s, const struct msghdr *msg, int flags) LEC_NAME(sendmsg);
extern ssize_t recv(int s, void *buf, size_t len, int flags) LEC_NAME(recv);
extern ssize_t recvfrom(int s, void *buf, size_t len, int flags, struct sockaddr *addr,
			lec_len_ptr addrlen) LEC_NAME(recvfrom);
extern ssize_t recvmsg(int s, struct msghdr *msg, int flags) LEC_NAME(recvmsg);

extern int getclientid(int domain, struct clientid *id) LEC_NAME(getclientid);
extern int givesocket(int s, struct clientid *taker) LEC_NAME(givesocket);
extern int takesocket(struct clientid *giver, int s) LEC_NAME(takesocket);

/* Allows *@total descriptors from now on, *@inet of them for sockets (at most FD_SETSIZE). */
extern int maxdesc(int *total, int *inet) LEC_NAME(maxdesc);

LEC_END

#endif
