/* SPDX-License-Identifier: Apache-2.0 */
/* readonly.c - the SOCKET macro where nothing can be written: an error, and no signal */
#include "csi.h"

/* In the program's constants. */
static const struct csi_socket unused;
static const struct ezasmi_ecb never;
static const unsigned char zeros[256];

static void *fixed(const void *at)
{
	return (void *)(uintptr_t)at;
}

int main(void)
{
	struct csi_socket ends[2], control = {.ECB = NULL};
	char data[4];

	CHECK(csi_socket("OPEN", "CONTROL", fixed(&unused)) == -1);
	control.ECB = fixed(&never);
	BAD(EFAULT_, OPEN, CONTROL, &control);
	control.ECB = NULL;
	GOOD(OPEN, CONTROL, &control);
	control.COMMAND = "GETHOSTID";
	GOOD(SEND, CONTROL, &control);
	control.BUF = fixed(zeros);
	control.LENGTH = sizeof(zeros);
	BAD(EFAULT_, RECEIVE, CONTROL, &control);
	/* Nothing is lost. */
	control.BUF = data;
	control.LENGTH = sizeof(data);
	GOOD(RECEIVE, CONTROL, &control);
	CHECK(control.RETCODE == 4);
	GOOD(CLOSE, CONTROL, &control);

	make_pair(ends);
	ends[0].BUF = data;
	ends[0].LENGTH = sizeof(data);
	GOOD(SEND, TCP, &ends[0]);
	ends[1].BUF = fixed(zeros);
	ends[1].LENGTH = sizeof(data);
	BAD(EFAULT_, RECEIVE, TCP, &ends[1]);
	ends[1].BUF = data;
	GOOD(RECEIVE, TCP, &ends[1]);
	CHECK(ends[1].RETCODE == 4);
	GOOD(CLOSE, TCP, &ends[0]);
	GOOD(CLOSE, TCP, &ends[1]);
	return finish();
}
