/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - options of sockets and ioctls in the numbers of the z/VSE interfaces */
#ifndef VSESOCK_VSE_OPTION_H
#define VSESOCK_VSE_OPTION_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
