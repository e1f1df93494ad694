/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - values as programs have them: addresses, options, the resolver's numbers, characters
 */
#ifndef VSESOCK_VSE_VALUES_H
#define VSESOCK_VSE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * 16 bytes for IPv4, 28 for IPv6, in network byte order, laid out as Linux's but for the first two:
 * LE/C has a byte with the length, which is not looked at, and one with the family; EZA has the
 * family as a halfword, of whose first byte nothing is expected. IPv6 is family 19.
 */
#define VSE_AF_INET6 19

#define VSE_SOCKADDR_IN  16u
#define VSE_SOCKADDR_IN6 28u

enum vse_addr_form {
	VSE_ADDR_LEC,
	VSE_ADDR_EZA,
};

/* Linux's family, or -EAFNOSUPPORT; and back (what is neither comes as it is). */
int vse_family_take(int family);
int vse_family_give(int family);

/* Take an address of @len bytes from a program; 0, -EINVAL (too short) or -EAFNOSUPPORT. Family 0
 * is taken as it is. */
int vse_addr_take(struct sockaddr_storage *to, socklen_t *tolen, const void *from, size_t len);

/* Put an address into @room bytes of a program, cut off there; its length. */
size_t vse_addr_give(void *to, size_t room, const struct sockaddr_storage *from,
		     enum vse_addr_form form);

/* Levels of LE/C: but for SOL_SOCKET those of Linux. */
#define VSE_SOL_SOCKET 0xFFFF

/* What a value is; @size bytes of it, of which nothing but integers needs another byte order. */
enum vse_value {
	VSE_VALUE_NUMBER,  /* one fullword */
	VSE_VALUE_NUMBERS, /* fullwords */
	VSE_VALUE_BYTE,
	VSE_VALUE_BYTES,  /* in network byte order */
	VSE_VALUE_MREQ6,  /* 16 bytes, then a fullword */
	VSE_VALUE_TIME,   /* seconds and microseconds, each of half of the size */
	VSE_VALUE_ERROR,  /* one fullword: an errno */
	VSE_VALUE_BUFFER, /* one fullword: Linux tells twice what was set */
};

struct vse_option {
	int level, name; /* Linux's */
	enum vse_value value;
	unsigned int size; /* bytes */
};

/* The option that LE/C calls so; 0 or -ENOPROTOOPT. */
int vse_option(struct vse_option *option, int level, int name);

/* The one that EZASOKET's OPTNAME means: the level is in it. 0 or -ENOPROTOOPT. */
int vse_option_of_eza(struct vse_option *option, uint32_t optname);

/* COMMAND of IOCTL, and request of ioctl(). */
#define VSE_FIONBIO    0x8004A77Eu
#define VSE_FIONREAD   0x4004A77Fu
#define VSE_SIOCATMARK 0x4004A707u

/*
 * Numbers of the resolver: flags AI_ and NI_, errors EAI_. z/VSE's own are not published for LFP;
 * these are those of include/lec/netdb.h, which are ours.
 */

/* The native flags; -1 if there are others. */
int vse_ai_flags(long flags);
int vse_ni_flags(long flags);

/* The program's number of a native EAI_ that is not 0; that of EAI_FAIL for those it has none for.
 */
int vse_eai(int native);

/* The native EAI_ of a program's number, or 0 if it is none. */
int vse_native_eai(int number);

/* Characters up to NUL, @most of them, into @out unless that is NULL; no NUL is added. How many, or
 * -EFAULT. */
int vse_text(char *out, size_t most, const char *from);

#endif
