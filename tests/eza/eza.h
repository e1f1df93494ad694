/* SPDX-License-Identifier: Apache-2.0 */
/* eza.h - for programs that test EZASOKET: a call as a COBOL program, or a C program, makes it
 *
 * This header imitates a COBOL program's run-time system: the library asks for that by name.
 */
#ifndef TESTS_EZA_EZA_H
#define TESTS_EZA_EZA_H

#include <arpa/inet.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "ezasoket.h"
#include "../lec/check.h"

enum mode {
	IN_C,   /* no run-time system; native numbers */
	BINARY, /* big-endian numbers */
	COMP5,  /* native numbers */
};
static enum mode mode = BINARY;

#define TYPE_GROUP   0x01
#define TYPE_DISPLAY 0x10
#define TYPE_BINARY  0x11
#define TYPE_COMP5   0x1B
#define TYPE_ALNUM   0x21

#define MOST 16
static struct {
	int nr;
	int size[MOST], type[MOST];
} fake;

int cob_get_num_params(void);
int cob_get_param_size(int n);
int cob_get_param_type(int n);

int cob_get_num_params(void)
{
	return mode == IN_C ? -1 : fake.nr;
}

int cob_get_param_size(int n)
{
	return fake.size[n - 1];
}

int cob_get_param_type(int n)
{
	return fake.type[n - 1];
}

/* A parameter: a number of @size bytes, or an area. */
struct param {
	const void *data;
	int size, type;
	long value;
	long *out;
};
#define H(v)          ((struct param){NULL, 2, TYPE_BINARY, (v), NULL})
#define F(v)          ((struct param){NULL, 4, TYPE_BINARY, (v), NULL})
#define HO(v)         ((struct param){NULL, 2, TYPE_BINARY, *(v), (v)})
#define FO(v)         ((struct param){NULL, 4, TYPE_BINARY, *(v), (v)})
#define X(area, size) ((struct param){(area), (size), TYPE_GROUP, 0, NULL})
#define OMITTED       ((struct param){NULL, -1, TYPE_GROUP, 0, NULL})

static long retcode, error;

/* A fullword in a structure. */
static inline void put_word(void *at, uint32_t word)
{
	if (mode != IN_C)
		word = htobe32(word);
	memcpy(at, &word, 4);
}

static inline uint32_t get_word(const void *at)
{
	uint32_t word;

	memcpy(&word, at, 4);
	return mode == IN_C ? word : be32toh(word);
}

static inline void encode(unsigned char to[8], long value, int size)
{
	uint16_t half = (uint16_t)value;
	uint32_t full = (uint32_t)value;

	if (mode == BINARY) {
		half = htobe16(half);
		full = htobe32(full);
	}
	if (size == 2)
		memcpy(to, &half, 2);
	else
		memcpy(to, &full, 4);
}

static inline long decode(const unsigned char from[8], int size)
{
	uint16_t half;
	uint32_t full;

	if (size == 2) {
		memcpy(&half, from, 2);
		return mode == BINARY ? be16toh(half) : half;
	}
	memcpy(&full, from, 4);
	return (int32_t)(mode == BINARY ? be32toh(full) : full);
}

static inline void make_call(const char *function, struct param *params, int nr)
{
	unsigned char room[MOST][8];
	const void *p[MOST] = {NULL};

	memset(room, 0xEE, sizeof(room));
	fake.nr = nr + 1;
	fake.size[0] = (int)strlen(function);
	fake.type[0] = TYPE_ALNUM;
	for (int i = 0; i < nr; i++) {
		struct param *at = &params[i];
		bool number = at->type == TYPE_BINARY;

		fake.size[i + 1] = at->size;
		fake.type[i + 1] = number && mode == COMP5 ? TYPE_COMP5 : at->type;
		if (number)
			encode(room[i], at->value, at->size);
		p[i] = number ? room[i] : at->data;
	}
	CHECK(EZASOKET(function, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10],
		       p[11], p[12], p[13]) == 0);
	for (int i = 0; i < nr; i++)
		if (params[i].out)
			*params[i].out = decode(room[i], params[i].size);
	for (int i = 0; i < nr; i++)
		for (int at = params[i].size < 0 ? 0 : params[i].size; at < 8; at++)
			if (params[i].type == TYPE_BINARY)
				CHECK(room[i][at] == 0xEE);
}

/* Calls a function with these parameters, ERRNO and RETCODE. Returns RETCODE. */
#define EZA(function, ...)                                                                         \
	({                                                                                         \
		error = 0x7777, retcode = 0x7777;                                                  \
		struct param eza_params[] = {__VA_ARGS__ __VA_OPT__(, ) FO(&error), FO(&retcode)}; \
		make_call(function, eza_params, (int)(sizeof(eza_params) / sizeof(*eza_params)));  \
		retcode;                                                                           \
	})

/* Calls a function with RETCODE alone. */
#define EZA_R(function, ...)                                                                       \
	({                                                                                         \
		retcode = 0x7777;                                                                  \
		struct param eza_params[] = {__VA_ARGS__ __VA_OPT__(, ) FO(&retcode)};             \
		make_call(function, eza_params, (int)(sizeof(eza_params) / sizeof(*eza_params)));  \
		retcode;                                                                           \
	})

#define GOOD(call)                                                                                 \
	do {                                                                                       \
		long good_rc = (call);                                                             \
		errno = (int)error;                                                                \
		CHECK(good_rc >= 0 && good_rc != 0x7777 && error == 0);                            \
	} while (0)
#define BAD(call, number)                                                                          \
	do {                                                                                       \
		long bad_rc = (call);                                                              \
		errno = (int)error;                                                                \
		CHECK(bad_rc == -1 && error == (number));                                          \
	} while (0)

static inline void term(void)
{
	make_call("TERMAPI", NULL, 0);
}

static inline void init(void)
{
	long maxsno = -2;

	GOOD(EZA("INITAPI", H(100), X("                ", 16), X("        ", 8), FO(&maxsno)));
	CHECK(maxsno == 99);
}

static int family = 2; /* or 19 */

static void *volatile nowhere = (void *)16;

static inline struct param loopback(unsigned char name[28], unsigned int port)
{
	memset(name, 0, 28);
	name[1] = (unsigned char)family;
	name[2] = (unsigned char)(port >> 8);
	name[3] = (unsigned char)port;
	if (family == 19) {
		name[23] = 1;
		return X(name, 28);
	}
	memcpy(name + 4, "\x7f\0\0\1", 4);
	return X(name, 16);
}

static inline unsigned int port_of(long s)
{
	unsigned char name[28];

	GOOD(EZA("GETSOCKNAME", H(s), X(name, 28)));
	CHECK(name[0] == 0 && name[1] == family);
	return (unsigned int)name[2] << 8 | name[3];
}

static inline long make_socket(int type)
{
	GOOD(EZA("SOCKET", F(family), F(type), F(0)));
	return retcode;
}

static inline long make_listener(unsigned int *port)
{
	unsigned char name[28];
	long s = make_socket(1);

	GOOD(EZA("BIND", H(s), loopback(name, 0)));
	GOOD(EZA("LISTEN", H(s), F(5)));
	*port = port_of(s);
	return s;
}

/* Binds a socket that does not listen. Returns its port, which refuses connections: a free port
 * might become the caller's own, and connect it to itself. */
static inline unsigned int make_unheard(void)
{
	unsigned char name[28];
	long s = make_socket(1);

	GOOD(EZA("BIND", H(s), loopback(name, 0)));
	return port_of(s);
}

static inline void make_pair(long ends[2])
{
	unsigned char name[28];
	unsigned int port;
	long listener = make_listener(&port);

	ends[0] = make_socket(1);
	GOOD(EZA("CONNECT", H(ends[0]), loopback(name, port)));
	GOOD(EZA("ACCEPT", H(listener), X(name, 28)));
	ends[1] = retcode;
	CHECK(name[0] == 0 && name[1] == family);
	GOOD(EZA("CLOSE", H(listener)));
}

static inline void close_pair(const long ends[2])
{
	GOOD(EZA("CLOSE", H(ends[0])));
	GOOD(EZA("CLOSE", H(ends[1])));
}

#endif
