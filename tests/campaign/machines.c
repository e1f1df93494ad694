/* SPDX-License-Identifier: Apache-2.0 */
/* machines.c - drives the state machines of both daemons at random: see machines/machines.h
 *
 *	machines CTL SEED FIRST COUNT [tell]
 *
 * CTL is the control channel of an instance. Runs COUNT sequences of SEED, from number FIRST on.
 * "tell" prints each step. Ends with 1 if the bystander's stream is lost, or slow.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

enum { STEPS = 60 };

unsigned int pick(struct world *w, unsigned int of)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (unsigned int)((w->random >> 16) % of);
}

void told(struct world *w, const char *format, ...)
{
	va_list args;

	if (!w->tells)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

unsigned int some(struct world *w, const int *fds, unsigned int nr)
{
	unsigned int slot = 0;

	for (int i = 0; i < 4; i++) {
		slot = pick(w, nr);
		if (fds[slot] >= 0)
			break;
	}
	return slot;
}

void put(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
	if (fd >= 0) /* a near end's raw calls must not wait */
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void forget(int *fds, unsigned int nr, bool closes)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (closes && fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static void forget_all(struct world *w, bool closes)
{
	forget(w->near, NEAR_ENDS, closes);
	forget(w->conns, CONNS, closes);
	forget(w->parked, PARKED, closes);
	forget(w->hosts, HOSTS, closes);
	memset(w->busy, 0, sizeof(w->busy));
	memset(w->deaf, 0, sizeof(w->deaf));
}

static int host_listen(struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*addr = host_addr("127.0.0.1", 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, len) < 0 || listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)addr, &len) < 0)
		die("the host's listener");
	return fd;
}

/* A stream that nobody troubles: its near end, and the host's end. */
struct bystander {
	int near, host;
};

static void bystander_begin(const struct world *w, struct bystander *b)
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

static bool is_well(const struct bystander *b, uint64_t nr)
{
	return carries(b->near, b->host, nr + 1) && carries(b->host, b->near, ~nr);
}

static void step(struct world *w)
{
	unsigned int which = pick(w, 20);

	w->steps++;
	if (which < 9)
		step_request(w);
	else if (which < 14)
		step_near(w);
	else if (which < 19)
		step_host(w);
	else
		poll(NULL, 0, (int)pick(w, 3)); /* the daemons catch up */
	take_answers(w);
}

static void run(struct world *w, uint64_t seed, uint64_t nr)
{
	w->random = (seed + 1) * 0x9E3779B97F4A7C15u ^ (nr + 1) * 0xD1B54A32D192ED03u;
	for (int i = 0; i < STEPS; i++)
		step(w);
	forget_all(w, true);
}

int main(int argc, char **argv)
{
	static struct world w;
	struct bystander bystander;
	uint64_t seed, first, count;

	if (argc < 5)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	w.ctl_path = argv[1];
	seed = number(argv[2]);
	first = number(argv[3]);
	count = number(argv[4]);
	w.tells = argc > 5;
	forget_all(&w, false);
	w.listener = host_listen(&w.host);
	bystander_begin(&w, &bystander);
	for (uint64_t nr = first; nr < first + count; nr++) {
		int64_t begun = now_ms();

		run(&w, seed, nr);
		if (!is_well(&bystander, nr)) {
			printf("seed %lu sequence %lu: the bystander's stream is lost or slow, "
			       "after %ld ms\n",
			       (unsigned long)seed, (unsigned long)nr, (long)(now_ms() - begun));
			return 1;
		}
	}
	printf("%lu sequences, %lu steps, %lu answers, %lu of them good\n", (unsigned long)count,
	       w.steps, w.answers, w.good);
	return 0;
}
