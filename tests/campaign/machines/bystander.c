/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.c - a stream that nobody troubles */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

void bystander_begin(const struct world *w, struct bystander *b)
{
	static struct lfp_ctl_request r;
	struct sockaddr_in addr;
	int listener = host_listen(&addr);
	struct pollfd pfd = {.fd = listener, .events = POLLIN};

	r = (struct lfp_ctl_request){.op = LFP_CTL_SOCKET, .a = AF_INET, .b = SOCK_STREAM};
	if (ctl_ask(w, &r, -1, &b->near) != 0 || b->near < 0)
		die("the bystander's socket");
	r = (struct lfp_ctl_request){.op = LFP_CTL_CONNECT, .flags = LFP_CTL_BLOCKING};
	ctl_address(&r, &addr);
	if (ctl_ask(w, &r, b->near, NULL) != 0 || poll(&pfd, 1, LONGEST_MS) != 1)
		die("the bystander's connect");
	b->host = accept(listener, NULL, NULL);
	close(listener);
}

static bool carries(int from, int to, uint64_t what)
{
	struct pollfd pfd = {.fd = to, .events = POLLIN};
	uint64_t got = 0;

	return send(from, &what, sizeof(what), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(what) &&
	       poll(&pfd, 1, LONGEST_MS) == 1 &&
	       recv(to, &got, sizeof(got), MSG_DONTWAIT) == sizeof(got) && got == what;
}

bool bystander_is_well(const struct bystander *b, uint64_t nr)
{
	return carries(b->near, b->host, nr + 1) && carries(b->host, b->near, ~nr);
}
