/* SPDX-License-Identifier: Apache-2.0 */
/* types.c - the types of EZASMI, and the keywords that are their parameters */
#include <string.h>

#include "libvsesock/ezasmi/ezasmi.h"

#define AREA(keyword)                                                                              \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_AREA, 0                            \
	}
/* A keyword that C programs know by another name. */
#define NAMED(name, keyword, kind)                                                                 \
	{                                                                                          \
		name, offsetof(struct ezasmi, keyword), kind, 0                                    \
	}
#define NUMBER(keyword)                                                                            \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_NUMBER, 0                          \
	}
#define ZERO(keyword)                                                                              \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_ZERO, 0                            \
	}
#define IN_OUT(keyword)                                                                            \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_IN_OUT, 0                          \
	}
#define OUT(keyword)                                                                               \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_OUT, 0                             \
	}
#define LENGTH(keyword)                                                                            \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_LENGTH, 0                          \
	}
#define WORD(keyword)                                                                              \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_WORD, 0                            \
	}
#define TEXT(keyword, n)                                                                           \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_TEXT, n                            \
	}
#define POINTER(keyword)                                                                           \
	{                                                                                          \
#keyword, offsetof(struct ezasmi, keyword), SMI_POINTER, 0                         \
	}

#define MASKS                                                                                      \
	AREA(RSNDMSK), AREA(WSNDMSK), AREA(ESNDMSK), AREA(RRETMSK), AREA(WRETMSK), AREA(ERETMSK)

/* clang-format off */
static const struct smi_type types[] = {
	{"ACCEPT", SMI_READS, true, {NUMBER(S), AREA(NAME)}},
	{"BIND", SMI_AT_ONCE, false, {NUMBER(S), AREA(NAME)}},
	{"BIND2ADDRSEL", SMI_AT_ONCE, false, {NUMBER(S), AREA(NAME)}},
	{"CLOSE", SMI_AT_ONCE, false, {NUMBER(S)}},
	{"CONNECT", SMI_CONNECTS, false, {NUMBER(S), AREA(NAME)}},
	{"FCNTL", SMI_AT_ONCE, false, {NUMBER(S), WORD(COMMAND), ZERO(REQARG)}},
	{"FREEADDRINFO", SMI_AT_ONCE, false, {POINTER(ADDRINFO)}},
	{"GETADDRINFO", SMI_AT_ONCE, false,
		{AREA(NODE), LENGTH(NODELEN), AREA(SERVICE), LENGTH(SERVLEN), POINTER(HINTS), AREA(RES),
		 OUT(CANNLEN)}},
	{"GETCLIENTID", SMI_AT_ONCE, false, {AREA(CLIENT)}},
	{"GETHOSTBYADDR", SMI_AT_ONCE, false, {NAMED("HOSTADR", HOSTADDR, SMI_AREA), AREA(HOSTENT)}},
	/* The length precedes the text: see smi_take(). */
	{"GETHOSTBYNAME", SMI_AT_ONCE, false, {LENGTH(NAMELEN), AREA(NAME), AREA(HOSTENT)}},
	{"GETHOSTID", SMI_AT_ONCE, false, {{.kind = SMI_END}}},
	{"GETHOSTNAME", SMI_AT_ONCE, false, {IN_OUT(NAMELEN), AREA(NAME)}},
	{"GETIBMOPT", SMI_AT_ONCE, false, {WORD(COMMAND), AREA(BUF)}},
	{"GETNAMEINFO", SMI_AT_ONCE, false,
		{AREA(NAME), NUMBER(NAMELEN), AREA(HOST), ZERO(HOSTLEN), AREA(SERVICE), ZERO(SERVLEN), ZERO(FLAGS)}},
	{"GETPEERNAME", SMI_AT_ONCE, false, {NUMBER(S), AREA(NAME)}},
	{"GETSOCKNAME", SMI_AT_ONCE, false, {NUMBER(S), AREA(NAME)}},
	{"GETSOCKOPT", SMI_AT_ONCE, false, {NUMBER(S), WORD(OPTNAME), AREA(OPTVAL), IN_OUT(OPTLEN)}},
	{"GIVESOCKET", SMI_AT_ONCE, false, {NUMBER(S), AREA(CLIENT)}},
	{"INITAPI", SMI_AT_ONCE, false, {ZERO(MAXSOC), TEXT(IDENT, EZASMI_IDENT), TEXT(SUBTASK, EZASMI_SUBTASK), OUT(MAXSNO)}},
	{"IOCTL", SMI_AT_ONCE, false, {NUMBER(S), WORD(COMMAND), AREA(REQARG), AREA(RETARG)}},
	{"LISTEN", SMI_AT_ONCE, false, {NUMBER(S), NUMBER(BACKLOG)}},
	{"NTOP", SMI_AT_ONCE, false, {NAMED("AF", FAMILY, SMI_WORD), AREA(SRCADDR), AREA(DSTADDR), IN_OUT(DSTLEN)}},
	{"PTON", SMI_AT_ONCE, false, {NAMED("AF", FAMILY, SMI_WORD), AREA(SRCADDR), LENGTH(SRCLEN), AREA(DSTADDR)}},
	{"READ", SMI_READS, false, {NUMBER(S), NUMBER(NBYTE), AREA(BUF)}},
	{"READV", SMI_READS, false, {NUMBER(S), AREA(IOV), NUMBER(IOVCNT)}},
	{"RECV", SMI_READS, false, {NUMBER(S), ZERO(FLAGS), NUMBER(NBYTE), AREA(BUF)}},
	{"RECVFROM", SMI_READS, false, {NUMBER(S), ZERO(FLAGS), NUMBER(NBYTE), AREA(BUF), AREA(NAME)}},
	{"RECVMSG", SMI_READS, false, {NUMBER(S), AREA(MSG), ZERO(FLAGS)}},
	{"SELECT", SMI_SELECTS, false, {ZERO(MAXSOC), AREA(TIMEOUT), MASKS}},
	{"SELECTEX", SMI_SELECTS, false, {ZERO(MAXSOC), AREA(TIMEOUT), MASKS, AREA(SELECB)}},
	{"SEND", SMI_WRITES, false, {NUMBER(S), ZERO(FLAGS), NUMBER(NBYTE), AREA(BUF)}},
	{"SENDMSG", SMI_WRITES, false, {NUMBER(S), AREA(MSG), ZERO(FLAGS)}},
	{"SENDTO", SMI_WRITES, false, {NUMBER(S), ZERO(FLAGS), NUMBER(NBYTE), AREA(BUF), AREA(NAME)}},
	{"SETSOCKOPT", SMI_AT_ONCE, false, {NUMBER(S), WORD(OPTNAME), AREA(OPTVAL), NUMBER(OPTLEN)}},
	{"SHUTDOWN", SMI_AT_ONCE, false, {NUMBER(S), NUMBER(HOW)}},
	{"SOCKET", SMI_AT_ONCE, true, {WORD(AF), WORD(SOCTYPE), ZERO(PROTO)}},
	{"TAKESOCKET", SMI_AT_ONCE, true, {NUMBER(SOCRECV), AREA(CLIENT)}},
	{"TERMAPI", SMI_AT_ONCE, false, {{.kind = SMI_END}}},
	{"WRITE", SMI_WRITES, false, {NUMBER(S), NUMBER(NBYTE), AREA(BUF)}},
	{"WRITEV", SMI_WRITES, false, {NUMBER(S), AREA(IOV), NUMBER(IOVCNT)}},
};
/* clang-format on */

const struct smi_type *smi_type_at(size_t i)
{
	return i < sizeof(types) / sizeof(types[0]) ? &types[i] : NULL;
}

const struct smi_type *smi_type(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}
