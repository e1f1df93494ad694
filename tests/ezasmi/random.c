/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random calls of EZASMI: each ends with RETCODE -1 and an ERRNO, or a result, and
 * touches nothing but what it was given
 *
 *	random SEED COUNT
 */
#include <stddef.h>

#include "smi.h"

#define ROOM  512
#define GUARD 0xA5
#define NR    24 /* ECBs */

static unsigned long long state;
static unsigned char guarded[ROOM + 64];
static int numbers[16];
static struct ezasmi_ecb ecbs[NR];

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % below;
}

static const char *const types[] = {
	"ACCEPT",      "BIND",         "BIND2ADDRSEL", "CANCEL",      "CLOSE",       "CONNECT",
	"FCNTL",       "FREEADDRINFO", "GETADDRINFO",  "GETCLIENTID", "GETHOSTNAME", "GETIBMOPT",
	"GETNAMEINFO", "GETPEERNAME",  "GETSOCKNAME",  "GETSOCKOPT",  "GIVESOCKET",  "GLOBAL",
	"INITAPI",     "IOCTL",        "LISTEN",       "NTOP",        "PTON",        "READ",
	"READV",       "RECV",         "RECVFROM",     "RECVMSG",     "SELECT",      "SELECTEX",
	"SEND",        "SENDMSG",      "SENDTO",       "SETSOCKOPT",  "SHUTDOWN",    "SOCKET",
	"TAKESOCKET",  "TASK",         "WRITE",        "WRITEV",      "NOSUCHTYPE",  "",
};
#define NR_TYPES (sizeof(types) / sizeof(types[0]))

static const char *const words[] = {
	"INET",
	"INET6",
	"STREAM",
	"DATAGRAM",
	"RAW",
	"F_GETFL",
	"F_SETFL",
	"FIONBIO",
	"FIONREAD",
	"SO_REUSEADDR",
	"SO_LINGER",
	"TCP_NODELAY",
	"CSECT",
	"DSECT",
	"2",
	"19",
	"0x1007",
	"99999999999",
	"",
	"-1",
	"AVERYLONGWORDTHATISNOWORDATALL",
	"SOCKET01",
};
#define NR_WORDS (sizeof(words) / sizeof(words[0]))

/* Keywords whose value is a word or a number; all others take an area. */
#define AT(keyword) offsetof(struct ezasmi, keyword)
static const size_t word_keywords[] = {AT(AF),      AT(COMMAND), AT(FAMILY),  AT(IDENT),
				       AT(OPTNAME), AT(SOCTYPE), AT(STORAGE), AT(SUBTASK)};
static const size_t number_keywords[] = {
	AT(BACKLOG), AT(CANNLEN), AT(DSTLEN),  AT(FLAGS),   AT(HOSTLEN), AT(HOW), AT(IOVCNT),
	AT(MAXSOC),  AT(MAXSNO),  AT(NAMELEN), AT(NBYTE),   AT(NODELEN), AT(NS),  AT(OPTLEN),
	AT(PROTO),   AT(S),       AT(SERVLEN), AT(SOCRECV), AT(SRCLEN),
};

static bool is_of(const size_t *list, size_t nr, size_t at)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == at)
			return true;
	return false;
}

static int any_number(void)
{
	static const int some[] = {0, 1, 2, 3, 4, 5, 19, 16, 28, 45, 64, -1, 0x1007, 0x7FFFFFFF};

	return draw(3) ? some[draw(14)] : (int)draw(70000) - 100;
}

static const void *any_value(size_t at, int i)
{
	if (!draw(8))
		return draw(2) ? NULL : (void *)(unsigned long)(8 + draw(4000));
	if (is_of(word_keywords, sizeof(word_keywords) / sizeof(size_t), at))
		return words[draw(NR_WORDS)];
	if (is_of(number_keywords, sizeof(number_keywords) / sizeof(size_t), at)) {
		numbers[i % 16] = at == AT(S) && draw(6) ? (int)draw(6) : any_number();
		return &numbers[i % 16];
	}
	/* Areas of a C program are as large as it says. */
	return guarded;
}

static void fill(void)
{
	const void *inside = guarded;

	for (int at = 0; at < ROOM; at++)
		guarded[at] = (unsigned char)draw(draw(2) ? 3 : 256);
	for (int at = 0; at + 8 <= ROOM; at += 8)
		if (!draw(3))
			memset(guarded + at, 0, 8);
		else if (!draw(4))
			memcpy(guarded + at, &inside, 8);
	/* Lengths are no longer than the area. */
	memset(guarded + ROOM, GUARD, 64);
}

static void limit(const struct ezasmi *call)
{
	static const size_t lengths[] = {AT(NBYTE), AT(HOSTLEN), AT(SERVLEN), AT(OPTLEN),
					 AT(MAXSOC)};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(size_t); i++) {
		int *length;

		memcpy(&length, (const char *)call + lengths[i], sizeof(length));
		if (length >= numbers && length < numbers + 16 && *length > ROOM)
			*length = ROOM;
	}
}

/* Ends pending calls. Their RETCODE and ERRNO must be those of a call, too. */
static void settle(const int *errors, const int *results)
{
	for (int i = 0; i < NR; i++) {
		if (results[i] == 0x1111)
			continue;
		if (!EZASMI_POSTED(&ecbs[i]))
			(void)EZASMI(CANCEL, .CALAREA = &ecbs[i]);
		while (!EZASMI_POSTED(&ecbs[i]))
			(void)vse_ecb_wait((void *[]){&ecbs[i]}, 1, 30000);
		errno = errors[i];
		CHECK(results[i] >= -1 && results[i] != 0x7777 &&
		      (results[i] == -1) == (errors[i] != 0));
	}
}

int main(int argc, char **argv)
{
	static int none[2], forever[2] = {-1, 0}, errors[NR], results[NR];
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	state = strtoull(argv[1], NULL, 10);
	for (long i = 0; i < count; i++) {
		unsigned long long before = state;
		const char *type = types[draw(NR_TYPES)];
		struct ezasmi call = {.RETCODE = &retcode};
		int slot = (int)(i % NR), rc;
		bool ecb = !draw(4);

		if (!slot) {
			if (i)
				settle(errors, results);
			for (int at = 0; at < NR; at++)
				results[at] = 0x1111;
		}
		/* Areas of calls that are outstanding are still the library's. */
		if (!slot || !ecb)
			fill();
		for (size_t at = AT(ADDRINFO); at < sizeof(call); at += sizeof(void *)) {
			const void *value = any_value(at, (int)(at / sizeof(void *)));

			memcpy((char *)&call + at, &value, sizeof(value));
		}
		limit(&call);
		if (!draw(50))
			call.TASK = (struct ezasmi_task *)guarded;
		call.CALAREA = draw(2) ? (void *)&ecbs[draw(NR)] : guarded;
		error = retcode = 0x7777;
		call.ERRNO = &error;
		/* Only calls with an ECB may wait. */
		call.TIMEOUT = ecb && draw(2) ? forever : none;
		if (ecb) {
			results[slot] = errors[slot] = 0x7777;
			call.ECB = draw(9) ? (void *)&ecbs[slot] : (char *)&ecbs[slot] + 2;
			call.RETCODE = &results[slot];
			call.ERRNO = &errors[slot];
		}
		rc = EZASMI_call(type, &call);
		if (ecb) {
			CHECK(rc == 0 || rc == -1);
			/* It will not be posted. */
			if (rc == -1) {
				CHECK(results[slot] == -1 && errors[slot]);
				results[slot] = 0x1111;
			}
		} else {
			if (retcode == 0x7777 || retcode < -1 || (retcode == -1) != (error != 0))
				printf("FAILED: call %ld, seed %llu: %s: %d, %d\n", i, before, type,
				       retcode, error);
			CHECK(rc == retcode && retcode >= -1 && retcode != 0x7777 &&
			      (retcode == -1) == (error != 0));
		}
		for (int at = ROOM; at < ROOM + 64; at++)
			if (guarded[at] != GUARD) {
				printf("FAILED: call %ld, seed %llu: %s: memory\n", i, before,
				       type);
				failures++;
				break;
			}
		if (!ecb && retcode >= 0 && (!strcmp(type, "SOCKET") || !strcmp(type, "ACCEPT")))
			(void)EZASMI(FCNTL, .S = N(retcode), .COMMAND = "F_SETFL", .REQARG = N(4));
	}
	settle(errors, results);
	(void)SMI(TERMAPI);
	return finish();
}
