/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - small programs of the SOCKET macro, all of which but the first z/VSE would not like */
#include "../strict.h"
#include "csi.h"

static struct csi_socket request;

/* Connections that are made where z/VSE's would be, with an ECB and without. */
static void right(void)
{
	struct csi_socket ends[2];
	char buf[8] = "hello";

	make_pair(ends);
	ends[0].BUF = buf;
	ends[0].LENGTH = 5;
	GOOD(SEND, TCP, &ends[0]);
	ends[1].BUF = buf;
	ends[1].LENGTH = 8;
	GOOD(RECEIVE, TCP, &ends[1]);
	GOOD(CLOSE, TCP, &ends[0]);
	GOOD(CLOSE, TCP, &ends[1]);
	request.RETCODE = failures ? -1 : 0;
}

static void local_address(void)
{
	memcpy(request.LOIP, "\x7f\0\0\1", 4);
	CSI_SOCKET(OPEN, UDP, &request);
}

static void listener_address(void)
{
	memcpy(request.LOIP, "\x7f\0\0\1", 4);
	request.PASSIVE = 1;
	request.TIMEOUT = 1;
	CSI_SOCKET(OPEN, TCP, &request);
}

static const struct strict_program programs[] = {
	{"right", right},
	{"local-address", local_address},
	{"listener-address", listener_address},
};

static int end(void)
{
	printf("%d %d\n", request.RETCODE, request.ERRNO);
	return failures != 0;
}

int main(int argc, char **argv)
{
	return STRICT_MAIN(argc, argv, programs, end);
}
