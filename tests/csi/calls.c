/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the SOCKET macro: each function of each type, with and without ECB, errors, wrong
 * requests
 *
 *	calls FAMILY		4 or 6
 *	calls first [ID]	ERRNO of OPEN,CONTROL; "0 NN" if it is good, NN from STATUS
 */
#include "csi.h"

static int state_of(const struct csi_socket *request)
{
	struct csi_socket status = {.DESC = request->DESC};

	GOOD(STATUS, TCP, &status);
	return status.STATE;
}

static void streams(void)
{
	struct csi_socket ends[2], other;
	struct pending passive, second;
	char buf[16];
	int port;

	port = listens(&passive);
	CHECK(state_of(&passive.request) == CSI_LISTENING);
	other = (struct csi_socket){.DESC = passive.request.DESC, .BUF = buf, .LENGTH = 4};
	/* No peer yet to send to. */
	BAD(ENOTCONN_, SEND, TCP, &other);
	BAD(ENOTCONN_, RECEIVE, TCP, &other);
	GOOD(STATUS, TCP, &other);
	CHECK(other.PENDING == 1 && other.LOPORT == port && !other.FOPORT &&
	      other.FAMILY == family);
	/* Another one on the same port has its own caller, the first one the first. */
	memset(&second, 0, sizeof(second));
	second.request.FAMILY = family;
	second.request.PASSIVE = 1;
	second.request.LOPORT = port;
	memcpy(second.request.LOIP, passive.request.LOIP, 16);
	start(&second, "OPEN", "TCP");
	connect_to(&ends[0], port);
	CHECK(vse_ecb_wait((void *[]){&passive.ecb, &second.ecb}, 2, 30000) >= 0);
	connect_to(&other, port);
	CHECK(result(&passive) == 0 && result(&second) == 0);
	GOOD(CLOSE, TCP, &other);
	second.request.ECB = NULL;
	GOOD(CLOSE, TCP, &second.request);
	if (EZASMI_POSTED(&passive.ecb)) {
		passive.request.ECB = NULL;
		GOOD(CLOSE, TCP, &passive.request);
	}
	GOOD(CLOSE, TCP, &ends[0]);
	/* The peer has gone. */
	other = (struct csi_socket){.FOPORT = port};
	loopback(&other);
	BAD(ECONNREFUSED_, OPEN, TCP, &other);
	CHECK(other.DESC == -1);

	make_pair(ends);
	CHECK(state_of(&ends[0]) == CSI_ESTABLISHED);
	CHECK(!strcmp(ends[0].INSTANCE, "01"));
	ends[0].BUF = (char[]){"Hello"};
	ends[0].LENGTH = 5;
	CHECK(CSI_SOCKET(SEND, TCP, &ends[0]) == 5);
	other = (struct csi_socket){.DESC = ends[1].DESC};
	do
		GOOD(STATUS, TCP, &other);
	while (other.WAITING < 5);
	CHECK(other.WAITING == 5 && other.FOPORT == ends[0].LOPORT);
	ends[1].BUF = buf;
	ends[1].LENGTH = sizeof(buf);
	CHECK(CSI_SOCKET(RECEIVE, TCP, &ends[1]) == 5 && !memcmp(buf, "Hello", 5));
	ends[1].TIMEOUT = 20;
	BAD(ETIMEDOUT_, RECEIVE, TCP, &ends[1]);
	ends[1].TIMEOUT = 0;
	GOOD(CLOSE, TCP, &ends[0]);
	CHECK(CSI_SOCKET(RECEIVE, TCP, &ends[1]) == 0);
	CHECK(state_of(&ends[1]) == CSI_PEER_CLOSED);
	GOOD(CLOSE, TCP, &ends[1]);
	BAD(EBADF_, CLOSE, TCP, &ends[1]);

	/* The other side notices ABORT. */
	make_pair(ends);
	GOOD(ABORT, TCP, &ends[0]);
	ends[1].BUF = buf;
	ends[1].LENGTH = sizeof(buf);
	BAD(ECONNRESET_, RECEIVE, TCP, &ends[1]);
	GOOD(ABORT, TCP, &ends[1]);

	/* No connection arrives in time. */
	other = (struct csi_socket){.PASSIVE = 1, .FAMILY = family, .TIMEOUT = 20};
	BAD(ETIMEDOUT_, OPEN, TCP, &other);
	CHECK(other.DESC == -1);
}

static void datagrams(void)
{
	struct csi_socket server = {.PASSIVE = 1, .FAMILY = family}, client = {.FAMILY = family};
	char buf[16];

	GOOD(OPEN, UDP, &server);
	CHECK(server.LOPORT > 0);
	loopback(&client);
	client.FOPORT = server.LOPORT;
	GOOD(OPEN, UDP, &client);
	client.BUF = (char[]){"question"};
	client.LENGTH = 8;
	CHECK(CSI_SOCKET(SEND, UDP, &client) == 8);
	do
		GOOD(STATUS, UDP, &server);
	while (!server.WAITING);
	CHECK(server.WAITING == 8);
	server.BUF = buf;
	server.LENGTH = sizeof(buf);
	CHECK(CSI_SOCKET(RECEIVE, UDP, &server) == 8 && server.FOPORT == client.LOPORT);
	server.LENGTH = 2;
	CHECK(CSI_SOCKET(SEND, UDP, &server) == 2);
	client.BUF = buf;
	client.LENGTH = sizeof(buf);
	CHECK(CSI_SOCKET(RECEIVE, UDP, &client) == 2);
	GOOD(STATUS, UDP, &client);
	CHECK(client.STATE == CSI_ESTABLISHED && client.FOPORT == server.LOPORT);
	/* Neither has the given type. */
	BAD(EPROTOTYPE_, RECEIVE, TCP, &client);
	BAD(EPROTOTYPE_, STATUS, CONTROL, &client);
	client.FOPORT = 70000;
	BAD(EINVAL_, SEND, UDP, &client);
	GOOD(ABORT, UDP, &client);
	GOOD(CLOSE, UDP, &server);
}

/* Ask, and receive the answer. */
static int ask(struct csi_socket *control, const char *command, const void *operand, int len,
	       void *answer)
{
	control->COMMAND = command;
	control->BUF = (void *)(uintptr_t)operand;
	control->LENGTH = len;
	if (CSI_SOCKET(SEND, CONTROL, control) < 0)
		return -1;
	CHECK(control->RETCODE == 0);
	GOOD(STATUS, CONTROL, control);
	len = control->WAITING;
	memset(answer, 0, 64);
	control->BUF = answer;
	control->LENGTH = 64;
	CHECK(CSI_SOCKET(RECEIVE, CONTROL, control) == len);
	return control->RETCODE;
}

static void questions(void)
{
	struct csi_socket control = {.ID = NULL}, udp = {.PASSIVE = 1, .FAMILY = family};
	const char *text = family == CSI_INET ? "127.0.0.1" : "::1";
	unsigned char address[16] = {0};
	char answer[64], more[64];
	int size = family == CSI_INET ? 4 : 16;

	GOOD(OPEN, CONTROL, &control);
	CHECK(ask(&control, "PTON", text, (int)strlen(text), answer) == size);
	memcpy(address, answer, 16);
	CHECK(family == CSI_INET ? !memcmp(address, "\x7f\0\0\1", 4) : address[15] == 1);
	CHECK(ask(&control, "NTOP", address, size, answer) == (int)strlen(text));
	CHECK(!strcmp(answer, text));
	CHECK(ask(&control, "GETHOSTBYNAME", "127.0.0.1", 9, answer) == 4);
	CHECK(!memcmp(answer, "\x7f\0\0\1", 4));
	/* An area that is filled up with blanks */
	CHECK(ask(&control, "GETHOSTBYNAME", "127.0.0.1       ", 16, answer) == 4);
	CHECK(!memcmp(answer, "\x7f\0\0\1", 4));
	CHECK(ask(&control, "PTON", "127.0.0.1       ", 16, answer) == 4);
	CHECK(ask(&control, "GETHOSTBYNAME", "    ", 4, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, "GETHOSTNAME", NULL, 0, answer) > 0);
	CHECK(ask(&control, "GETHOSTID", NULL, 0, answer) == 4);
	CHECK(ask(&control, "GETHOSTBYADDR", "\x7f\0\0\1", 4, more) > 0 ||
	      control.ERRNO == ENOENT_);
	CHECK(ask(&control, "GETVENDORINFO", NULL, 0, answer) > 8 &&
	      !memcmp(answer, "vselfpd ", 8));

	CHECK(ask(&control, "NTOP", address, 5, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, "PTON", "1.2.3", 5, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, "GETHOSTBYADDR", address, 3, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, "GETHOSTBYNAME", "", 0, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, "GETHOSTBYNAME", "no such host.invalid", 20, answer) == -1);
	CHECK(ask(&control, "GETHOSTCLASS", NULL, 0, answer) == -1 && control.ERRNO == EOPNOTSUPP_);
	CHECK(ask(&control, NULL, NULL, 0, answer) == -1 && control.ERRNO == EINVAL_);
	CHECK(ask(&control, nowhere, NULL, 0, answer) == -1 && control.ERRNO == EFAULT_);
	CHECK(ask(&control, "PTON", nowhere, 4, answer) == -1 && control.ERRNO == EFAULT_);
	CHECK(ask(&control, "PTON", text, -1, answer) == -1 && control.ERRNO == EINVAL_);
	/* Nothing is left of a command that failed. */
	control.BUF = answer;
	control.LENGTH = sizeof(answer);
	BAD(ENODATA_, RECEIVE, CONTROL, &control);
	control.COMMAND = "GETVENDORINFO";
	control.LENGTH = 0;
	GOOD(SEND, CONTROL, &control);
	control.LENGTH = 3;
	BAD(EMSGSIZE_, RECEIVE, CONTROL, &control);
	control.LENGTH = sizeof(answer);
	CHECK(CSI_SOCKET(RECEIVE, CONTROL, &control) > 3);
	GOOD(OPEN, UDP, &udp);
	BAD(EPROTOTYPE_, RECEIVE, CONTROL, &udp);
	GOOD(CLOSE, UDP, &udp);
	BAD(EPROTOTYPE_, RECEIVE, UDP, &control);
	GOOD(CLOSE, CONTROL, &control);
	BAD(EBADF_, STATUS, CONTROL, &control);
}

static void wrong(void)
{
	static const char *const rejected[] = {"CLIENT", "TELNET", "FTP", "RAW",
					       "LPR",    "tcp",    "",    "CONTROLS"};
	struct csi_socket request = {.DESC = 0};
	char buf[4];

	CHECK(CSI_SOCKET(OPEN, TCP, nowhere) == -1);
	CHECK(csi_socket("OPEN", "TCP", NULL) == -1);
	for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
		CHECK(csi_socket("OPEN", rejected[i], &request) == -1);
		CHECK(request.RETCODE == -1 && request.ERRNO == EOPNOTSUPP_);
	}
	BAD(EINVAL_, LISTEN, TCP, &request);
	CHECK(csi_socket(nowhere, "TCP", &request) == -1 && request.ERRNO == EFAULT_);
	CHECK(csi_socket("OPEN", NULL, &request) == -1 && request.ERRNO == EFAULT_);
	/* Before any OPEN. */
	BAD(EBADF_, SEND, TCP, &request);
	BAD(EBADF_, STATUS, UDP, &request);
	BAD(EBADF_, CLOSE, CONTROL, &request);
	BAD(EDESTADDRREQ_, OPEN, TCP, &request);
	request.FOPORT = 7;
	BAD(EDESTADDRREQ_, OPEN, TCP, &request);
	request.PASSIVE = 1;
	request.FAMILY = 10;
	BAD(EAFNOSUPPORT_, OPEN, TCP, &request);
	request.FAMILY = family;
	request.LOPORT = -1;
	BAD(EINVAL_, OPEN, TCP, &request);
	request.LOPORT = 65536;
	BAD(EINVAL_, OPEN, UDP, &request);
	request.LOPORT = 0;
	request.ID = nowhere;
	BAD(EFAULT_, OPEN, UDP, &request);
	request = (struct csi_socket){.PASSIVE = 1, .FAMILY = family};
	GOOD(OPEN, UDP, &request);
	request.BUF = nowhere;
	request.LENGTH = 4;
	BAD(EFAULT_, RECEIVE, UDP, &request);
	BAD(EFAULT_, SEND, UDP, &request);
	request.BUF = buf;
	request.LENGTH = -1;
	BAD(EINVAL_, RECEIVE, UDP, &request);
	request.LENGTH = 4;
	request.DESC = 8192;
	BAD(EBADF_, RECEIVE, UDP, &request);
	request.DESC = -1;
	BAD(EBADF_, RECEIVE, UDP, &request);
	request.DESC = 0;
	/* An ECB that cannot be used. */
	request.ECB = (char *)&request + 1;
	BAD(EINVAL_, STATUS, UDP, &request);
	request.ECB = (void *)4096;
	BAD(EFAULT_, STATUS, UDP, &request);
	request.ECB = NULL;
	GOOD(CLOSE, UDP, &request);
}

static void first(const char *id)
{
	struct csi_socket request = {.ID = id};

	CSI_SOCKET(OPEN, CONTROL, &request);
	printf("%d", request.ERRNO);
	/* CONTROL needs no instance to be there, a socket does. */
	if (!request.RETCODE) {
		request = (struct csi_socket){.ID = id, .PASSIVE = 1};
		CSI_SOCKET(OPEN, UDP, &request);
		printf(" %d", request.ERRNO);
	}
	if (!request.RETCODE) {
		GOOD(STATUS, UDP, &request);
		printf(" %s", request.INSTANCE);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 64;
	if (!strcmp(argv[1], "first")) {
		first(argc > 2 ? argv[2] : NULL);
		return failures != 0;
	}
	family = !strcmp(argv[1], "6") ? CSI_INET6 : CSI_INET;
	wrong();
	streams();
	datagrams();
	questions();
	return finish();
}
