/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - values in a program's form: addresses, options, the resolver's numbers, text */
#ifndef VSESOCK_VSE_VALUES_H
#define VSESOCK_VSE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * Addresses have 16 bytes for IPv4 and 28 for IPv6, in network byte order. They are laid out as
 * Linux's but for the first two bytes. LE/C has a length byte, which is ignored, and a family byte.
 * EZA has the family as a halfword, whose first byte is ignored. IPv6 is family 19.
 */
#define VSE_AF_INET6 19

#define VSE_SOCKADDR_IN  16u
#define VSE_SOCKADDR_IN6 28u

enum vse_addr_form {
	VSE_ADDR_LEC,
	VSE_ADDR_EZA,
};

/* Convert a family to Linux's, or -EAFNOSUPPORT; and back, where an unknown family stays as it is.
 */
int vse_family_take(int family);
int vse_family_give(int family);

/* Takes an address of @len bytes from a program. Returns 0, -EINVAL (too short) or -EAFNOSUPPORT.
 * Family 0 stays 0. */
int vse_addr_take(struct sockaddr_storage *to, socklen_t *tolen, const void *from, size_t len);

/* Writes an address into @room bytes of a program, cut off there. Returns its length. */
size_t vse_addr_give(void *to, size_t room, const struct sockaddr_storage *from,
		     enum vse_addr_form form);

/* LE/C's levels are Linux's, except SOL_SOCKET. */
#define VSE_SOL_SOCKET 0xFFFF

/* Types of values, of @size bytes. Only integers need another byte order. */
enum vse_value {
	VSE_VALUE_NUMBER,  /* one fullword */
	VSE_VALUE_FLAG,    /* on or off: a fullword; a program may pass one byte */
	VSE_VALUE_BYTE,    /* 0 to 255: a byte; a program may pass a fullword */
	VSE_VALUE_NUMBERS, /* fullwords */
	VSE_VALUE_BYTES,   /* in network byte order */
	VSE_VALUE_MREQ6,   /* 16 bytes, then a fullword */
	VSE_VALUE_TIME,    /* seconds and microseconds, half of the size each */
	VSE_VALUE_ERROR,   /* one fullword: an errno */
	VSE_VALUE_BUFFER,  /* one fullword: Linux returns twice the value that was set */
};

struct vse_option {
	int level, name; /* Linux's */
	enum vse_value value;
	unsigned int size; /* bytes */
};

/* Finds the option by LE/C's level and name; 0 or -ENOPROTOOPT. */
int vse_option(struct vse_option *option, int level, int name);

/* Finds the option by EZASOKET's OPTNAME, which includes the level; 0 or -ENOPROTOOPT. */
int vse_option_of_eza(struct vse_option *option, uint32_t optname);

/* Finds OPTNAME by the option's name, such as "SO_LINGER"; 0 or -ENOPROTOOPT. */
int vse_option_number(uint32_t *optname, const char *text);

/* Returns the option's name by OPTNAME, or NULL. */
const char *vse_option_text(uint32_t optname);

/* Returns whether a program's value of @len bytes is one byte, where Linux has a number. */
bool vse_option_is_byte(const struct vse_option *option, size_t len);

/* COMMAND of IOCTL, and request of ioctl(). */
#define VSE_FIONBIO    0x8004A77Eu
#define VSE_FIONREAD   0x4004A77Fu
#define VSE_SIOCATMARK 0x4004A707u

/*
 * Numbers of the resolver: flags AI_ and NI_, errors EAI_. IBM does not publish z/VSE's own for
 * LFP; these are those of include/lec/netdb.h, which are ours.
 */

/* Return the native flags; -1: unknown flags. */
int vse_ai_flags(long flags);
int vse_ni_flags(long flags);

/* Returns the program's number of a native EAI_ other than 0; EAI_FAIL's if it has none. */
int vse_eai(int native);

/* Returns the native EAI_ of a program's number; 0: unknown. */
int vse_native_eai(int number);

/* Copies characters up to NUL, at most @most, into @out unless that is NULL; adds no NUL. Returns
 * their number, or -EFAULT. */
int vse_text(char *out, size_t most, const char *from);

#endif
