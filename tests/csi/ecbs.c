/* SPDX-License-Identifier: Apache-2.0 */
/* ecbs.c - the SOCKET macro with an ECB, and in CICS-style tasks
 *
 *	ecbs FAMILY	4 or 6
 *	ecbs tasks	no socket is another task's
 */
#include "csi.h"

static void with_ecbs(void)
{
	struct pending receive[2] = {{{0}, {0}}}, send = {{0}, {0}}, status = {{0}, {0}}, passive;
	struct csi_socket ends[2], other;
	static char big[300000], sink[300000];
	char buf[2][4];
	int got = 0;

	make_pair(ends);
	for (int i = 0; i < 2; i++) {
		receive[i].request =
			(struct csi_socket){.DESC = ends[1].DESC, .BUF = buf[i], .LENGTH = 1};
		start(&receive[i], "RECEIVE", "TCP");
		IS_OUT(&receive[i]);
	}
	status.request.DESC = ends[1].DESC;
	start(&status, "STATUS", "TCP");
	CHECK(EZASMI_POSTED(&status.ecb) && status.request.PENDING == 2);
	status.request.ECB = &receive[0].ecb;
	BAD(ECONFLICT_, STATUS, TCP, &status.request);
	ends[0].BUF = (char[]){"ab"};
	ends[0].LENGTH = 2;
	CHECK(CSI_SOCKET(SEND, TCP, &ends[0]) == 2);
	CHECK(result(&receive[1]) == 1 && result(&receive[0]) == 1);
	CHECK(buf[0][0] == 'a' && buf[1][0] == 'b');
	/* All of a long SEND is sent, while others go on. */
	send.request = (struct csi_socket){.DESC = ends[0].DESC, .BUF = big, .LENGTH = sizeof(big)};
	start(&send, "SEND", "TCP");
	other = (struct csi_socket){.DESC = ends[1].DESC, .BUF = sink, .LENGTH = sizeof(sink)};
	while (got < (int)sizeof(big)) {
		CHECK(CSI_SOCKET(RECEIVE, TCP, &other) > 0);
		if (other.RETCODE <= 0)
			break;
		got += other.RETCODE;
	}
	CHECK(result(&send) == (int)sizeof(big));
	receive[0].request.TIMEOUT = 20;
	start(&receive[0], "RECEIVE", "TCP");
	FAILS_BY(&receive[0], ETIMEDOUT_);
	receive[0].request.TIMEOUT = 0;
	start(&receive[0], "RECEIVE", "TCP");
	/* CLOSE and ABORT end pending requests; ABORT also ends an OPEN. */
	GOOD(CLOSE, TCP, &ends[1]);
	CHECK(EZASMI_POSTED(&receive[0].ecb));
	FAILS_BY(&receive[0], ECANCELED_);
	GOOD(CLOSE, TCP, &ends[0]);
	(void)listens(&passive);
	other = (struct csi_socket){.DESC = passive.request.DESC};
	GOOD(ABORT, TCP, &other);
	FAILS_BY(&passive, ECANCELED_);
	CHECK(passive.request.DESC == -1);
	BAD(EBADF_, STATUS, TCP, &other);
	/* A refused connection, by its ECB. */
	start(&send, "NOSUCH", "TCP");
	FAILS_BY(&send, EINVAL_);
	send.request = (struct csi_socket){.FOPORT = ends[1].LOPORT};
	loopback(&send.request);
	start(&send, "OPEN", "TCP");
	FAILS_BY(&send, ECONNREFUSED_);
	CHECK(send.request.DESC == -1);
	send.request.FOPORT = listens(&passive);
	start(&send, "OPEN", "TCP");
	CHECK(result(&send) == 0 && result(&passive) == 0);
	send.request.ECB = passive.request.ECB = NULL;
	GOOD(CLOSE, TCP, &send.request);
	GOOD(CLOSE, TCP, &passive.request);
}

static void tasks(void)
{
	struct pending receive = {{0}, {0}};
	struct csi_socket ends[2], other;
	char buf[4];
	int one = vse_task_begin("ONE"), two;

	/* EZATRUE is not for this interface. */
	CHECK(one > 0);
	make_pair(ends);
	receive.request = (struct csi_socket){.DESC = ends[1].DESC, .BUF = buf, .LENGTH = 4};
	start(&receive, "RECEIVE", "TCP");
	two = vse_task_begin("TWO");
	BAD(EBADF_, CLOSE, TCP, &ends[0]);
	BAD(EBADF_, STATUS, TCP, &ends[1]);
	other = (struct csi_socket){.PASSIVE = 1};
	GOOD(OPEN, UDP, &other);
	CHECK(other.DESC == 0);
	IS_OUT(&receive);
	CHECK(vse_task_end(one) == 0);
	FAILS_BY(&receive, ECANCELED_);
	GOOD(CLOSE, UDP, &other);
	CHECK(vse_task_end(two) == 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 64;
	if (!strcmp(argv[1], "tasks")) {
		tasks();
		return finish();
	}
	family = !strcmp(argv[1], "6") ? CSI_INET6 : CSI_INET;
	with_ecbs();
	return finish();
}
