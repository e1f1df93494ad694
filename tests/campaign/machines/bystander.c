/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.c - a stream that nobody troubles */
#include <sys/socket.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

void bystander_begin(const struct world *w, struct bystander *b)
{
	static struct lfp_ctl_request r;
	struct sockaddr_in addr;
	int listener = host_listen(&addr);

	r = (struct lfp_ctl_request){.op = LFP_CTL_SOCKET, .a = AF_INET, .b = SOCK_STREAM};
	if (ctl_ask(w, &r, -1, &b->near) != 0 || b->near < 0)
		die("the bystander's socket");
	r = (struct lfp_ctl_request){.op = LFP_CTL_CONNECT, .flags = LFP_CTL_BLOCKING};
	ctl_address(&r, &addr);
	if (ctl_ask(w, &r, b->near, NULL) != 0 || wait_readable(listener) != 1)
		die("the bystander's connect");
	b->host = accept(listener, NULL, NULL);
	close(listener);
}

/* Says why the bytes did not come. */
static bool lost(const char *way, const char *what, long result)
{
	fprintf(stderr, "the bystander's bytes to the %s: %s gives %ld, %s; %ld ms count\n", way,
		what, result, error_name(errno), (long)wait_counted());
	return false;
}

static bool carries(int from, int to, uint64_t what, const char *way)
{
	uint64_t got = 0;
	long rc;

	errno = 0;
	rc = send(from, &what, sizeof(what), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (rc != sizeof(what))
		return lost(way, "send", rc);
	rc = wait_readable(to);
	if (rc != 1)
		return lost(way, "poll", rc);
	rc = recv(to, &got, sizeof(got), MSG_DONTWAIT);
	return rc == sizeof(got) && got == what ? true : lost(way, "recv", rc);
}

bool bystander_is_well(const struct bystander *b, uint64_t nr)
{
	return carries(b->near, b->host, nr + 1, "host") &&
	       carries(b->host, b->near, ~nr, "program");
}
