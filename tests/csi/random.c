/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random requests of the SOCKET macro: each ends with RETCODE -1 and an ERRNO, or a
 * result, and touches nothing but what it was given
 *
 *	random SEED COUNT
 */
#include <stdbool.h>

#include "csi-socket.h"
#include "ezasmi.h"
#include "vsesock.h"
#include "../lec/check.h"

#define ROOM  512
#define GUARD 0xA5
#define NR    16

static unsigned long long state;
static unsigned char guarded[ROOM + 64];
static struct {
	struct csi_socket request;
	unsigned char guard[32];
	struct ezasmi_ecb ecb;
} slots[NR];

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 33) % below;
}

static const char *const functions[] = {"OPEN",   "OPEN",  "CLOSE",  "SEND", "RECEIVE",
					"STATUS", "ABORT", "LISTEN", ""};
static const char *const types[] = {"TCP", "TCP", "UDP", "UDP", "CONTROL", "FTP", "RAW", ""};
static const char *const commands[] = {"GETHOSTNAME",   "GETHOSTID", "NTOP", "PTON",
				       "GETVENDORINFO", "GETHOSTBY", "",     "GETHOSTBYNAME"};

static int any_number(void)
{
	static const int some[] = {0, 1, 2, 3, 4, 5, 19, 16, 28, 45, 64, -1, 65536, 0x7FFFFFFF};

	return draw(3) ? some[draw(14)] : (int)draw(70000) - 100;
}

static const char *any_text(const char *text)
{
	return draw(12) ? text : draw(2) ? NULL : (char *)(unsigned long)(8 + draw(4000));
}

/* Returns true if the result is a possible one. */
static bool is_sound(const struct csi_socket *request)
{
	return request->RETCODE >= -1 && request->RETCODE != 0x7777 &&
	       (request->RETCODE == -1) == (request->ERRNO != 0);
}

static void settle(void)
{
	for (int i = 0; i < NR; i++) {
		struct csi_socket end = {
			.DESC = __atomic_load_n(&slots[i].request.DESC, __ATOMIC_RELAXED)};

		/* An ECB of 0: the request is outstanding, or there was none. */
		if (slots[i].request.ECB != &slots[i].ecb)
			continue;
		if (!EZASMI_POSTED(&slots[i].ecb)) {
			(void)CSI_SOCKET(ABORT, TCP, &end);
			(void)CSI_SOCKET(ABORT, UDP, &end);
		}
		CHECK(vse_ecb_wait((void *[]){&slots[i].ecb}, 1, 30000) == 0);
		CHECK(is_sound(&slots[i].request));
		for (int at = 0; at < 32; at++)
			CHECK(slots[i].guard[at] == GUARD);
		slots[i].request.ECB = NULL;
	}
}

static void fill(struct csi_socket *request)
{
	*request = (struct csi_socket){
		.ID = any_text(draw(3)   ? NULL
			       : draw(3) ? "01"
					 : "7x"),
		.DESC = draw(6) ? (int)draw(6) : any_number(),
		.PASSIVE = (int)draw(2),
		.FAMILY = draw(3) ? CSI_INET : any_number(),
		.FOPORT = any_number(),
		.LOPORT = draw(2) ? 0 : any_number(),
		.COMMAND = any_text(commands[draw(8)]),
		.BUF = (void *)(unsigned long)any_text((char *)guarded),
		.LENGTH = any_number(),
		/* No call may wait. */
		.TIMEOUT = 1,
		.RETCODE = 0x7777,
	};
	if (request->LENGTH > ROOM)
		request->LENGTH = ROOM;
	if (draw(2))
		memcpy(request->FOIP, "\x7f\0\0\1", 4);
	else if (!draw(3))
		request->FOIP[draw(16)] = (unsigned char)draw(256);
	if (!draw(5))
		request->LOIP[draw(16)] = (unsigned char)draw(256);
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (argc != 3)
		return 64;
	setvbuf(stdout, NULL, _IONBF, 0);
	state = strtoull(argv[1], NULL, 10);
	memset(guarded + ROOM, GUARD, 64);
	for (int i = 0; i < NR; i++)
		memset(slots[i].guard, GUARD, 32);
	for (long i = 0; i < count; i++) {
		const char *function = any_text(functions[draw(9)]),
			   *type = any_text(types[draw(8)]);
		int slot = (int)(i % NR), rc;
		struct csi_socket *request = &slots[slot].request;
		bool ecb = !draw(3);

		if (!slot)
			settle();
		fill(request);
		if (ecb) {
			request->ECB =
				draw(9) ? (char *)&slots[slot].ecb : (char *)&slots[slot].ecb + 1;
			request->TIMEOUT = draw(3) ? 0 : (int)draw(30);
		}
		rc = csi_socket(function, type, draw(40) ? request : NULL);
		if (request->RETCODE == 0x7777 && !ecb) {
			/* It got no request. */
			CHECK(rc == -1);
		} else if (!ecb || rc == -1) {
			CHECK(rc == -1 || rc == request->RETCODE);
			if (rc == -1 && request->RETCODE == 0x7777)
				request->ECB = NULL;
			else
				CHECK(is_sound(request));
			if (rc == -1)
				request->ECB = NULL;
		}
		for (int at = ROOM; at < ROOM + 64; at++)
			if (guarded[at] != GUARD) {
				printf("FAILED: call %ld: memory\n", i);
				failures++;
				break;
			}
		for (int at = 0; at < 32; at++)
			CHECK(slots[slot].guard[at] == GUARD);
	}
	settle();
	return finish();
}
