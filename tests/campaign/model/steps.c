/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - what the program and the host can do, each a step */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "tests/campaign/model/parties.h"

enum { MOST_PIECES = 3, PIECE = 1500, GIVEN_NUMBER = 1 };

const char *const step_names[STEPS] = {
	[STEP_CONNECT] = "connect",
	[STEP_CONNECT_WAITING] = "connect-waiting",
	[STEP_CONNECT_REFUSED] = "connect-refused",
	[STEP_DISSOLVE] = "dissolve",
	[STEP_LISTEN] = "listen",
	[STEP_SHUT_RD] = "shut-rd",
	[STEP_SHUT_WR] = "shut-wr",
	[STEP_SHUT_RDWR] = "shut-rdwr",
	[STEP_WRITE] = "write",
	[STEP_READ] = "read",
	[STEP_RENEW] = "renew",
	[STEP_GIVE] = "give",
	[STEP_TAKE] = "take",
	[STEP_CLOSE] = "close",
	[STEP_HOST_SEND] = "host-send",
	[STEP_HOST_READ] = "host-read",
	[STEP_HOST_END] = "host-end",
	[STEP_HOST_CLOSE] = "host-close",
	[STEP_HOST_RESET] = "host-reset",
	[STEP_TO_LFPD] = "to-lfpd",
	[STEP_TO_VSE] = "to-vse",
	[STEP_SUSPEND] = "suspend",
};

static struct lfp_ctl_client giver;
static int listener;
static struct sockaddr_in open_port, closed_port;

struct program p;
struct host hosts[MOST_HOSTS];
unsigned int nr_hosts;
static uint8_t byte_at(uint8_t life, uint64_t position)
{
	return (uint8_t)(life * 16u + position);
}

static void fill(uint8_t *buf, size_t len, uint8_t life, uint64_t position)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = byte_at(life, position + i);
}

/* Compares bytes with those that were sent. The first byte of a stream tells its life. */
static void compare(struct stream *s, const uint8_t *buf, size_t len, const char *what)
{
	if (len && !s->received)
		s->life = buf[0] / 16;
	for (size_t i = 0; i < len; i++)
		if (buf[i] != byte_at(s->life, s->received + i))
			say(what);
	s->received += len;
}

void accept_hosts(void)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (nr_hosts == MOST_HOSTS)
			die("too many connections");
		memset(&hosts[nr_hosts], 0, sizeof(*hosts));
		hosts[nr_hosts].fd = fd;
		hosts[nr_hosts++].live = true;
	}
}

void put_near(int fd)
{
	if (p.near >= 0)
		close(p.near);
	p.near = fd;
}

static void next_life(void)
{
	p.wrote = p.read = 0;
	p.listens = p.quit = p.odd = false;
}

static void took_answer(enum step call, int fd)
{
	static const int hows[] = {SHUT_RD, SHUT_WR, SHUT_RDWR};

	switch (call) {
	case STEP_CONNECT:
	case STEP_CONNECT_WAITING:
	case STEP_CONNECT_REFUSED:
	case STEP_DISSOLVE:
	case STEP_LISTEN:
		p.wants_near |= reply.error == EBADFD;
		p.listens |= call == STEP_LISTEN && !reply.error;
		break;
	case STEP_SHUT_RD:
	case STEP_SHUT_WR:
	case STEP_SHUT_RDWR:
		if (reply.value == 1 && p.near >= 0)
			(void)shutdown(p.near, hows[call - STEP_SHUT_RD]);
		break;
	case STEP_RENEW:
		p.wants_near = false;
		if (fd >= 0) {
			put_near(fd);
			next_life();
			fd = -1;
		}
		break;
	case STEP_GIVE:
		p.given |= !reply.error;
		break;
	case STEP_TAKE:
		p.given = false;
		if (fd >= 0)
			put_near(fd);
		fd = -1;
		break;
	default:
		break;
	}
	if (fd >= 0)
		close(fd);
}

bool take_answer(void)
{
	int fd;

	if (p.conn < 0 || !is_ready(p.conn))
		return false;
	fd = call_answer(p.conn);
	close(p.conn);
	p.conn = -1;
	took_answer(p.call, fd);
	return true;
}

static int bind_port(struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*addr = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, sizeof(*addr)) ||
	    getsockname(fd, (struct sockaddr *)addr, &len))
		die("no port of the host");
	return fd;
}

void parties_begin(const char *root)
{
	const struct lfp_ctl_client blank = {AF_INET, "        ", "        "};

	calls_begin(root);
	listener = bind_port(&open_port);
	if (listen(listener, 16))
		die("no listener of the host");
	(void)bind_port(&closed_port); /* it never listens */
	p.near = p.conn = -1;
	for (begin_waiting(); !vse_is_up() && may_wait();)
		;
	(void)call_now(LFP_CTL_CLIENTID, 0, &blank, sizeof(blank), -1);
	if (reply.len != sizeof(giver))
		die("the program has no name");
	memcpy(&giver, reply.data, sizeof(giver));
}

void sequence_begin(void)
{
	memset(&p, 0, sizeof(p));
	p.near = p.conn = -1;
	nr_hosts = 0;
	say_nothing();
	p.near = call_now(LFP_CTL_SOCKET, AF_INET, NULL, 0, -1);
	if (p.near < 0)
		die("no socket of the program");
	both_turn();
}

static bool call_later(enum step step, uint16_t op, int a, unsigned int flags, const void *data,
		       size_t len)
{
	if (p.conn >= 0 || (p.near < 0 && step != STEP_TAKE))
		return false;
	p.call = step;
	p.conn = call_send(op, a, flags, data, len, step == STEP_TAKE ? -1 : p.near);
	return true;
}

static bool call_connect(enum step step)
{
	const struct sockaddr_in *to = step == STEP_CONNECT_REFUSED ? &closed_port : &open_port;
	struct lfp_addr addr = {.family = LFP_AF_UNSPEC};

	if (p.wants_near || p.given || p.lives >= 3)
		return false;
	if (step != STEP_DISSOLVE)
		(void)lfp_addr_from(&addr, (const struct sockaddr *)to, sizeof(*to));
	if (!call_later(step, LFP_CTL_CONNECT, 0,
			step == STEP_CONNECT_WAITING ? LFP_CTL_BLOCKING : 0, &addr, sizeof(addr)))
		return false;
	if (step == STEP_DISSOLVE)
		p.odd = p.quit = true;
	else
		p.lives++;
	return true;
}

static bool program_write(void)
{
	uint8_t buf[PIECE];
	ssize_t n;

	if (p.near < 0 || p.writes == MOST_PIECES)
		return false;
	p.writes++;
	if (!p.wrote)
		p.life++;
	fill(buf, PIECE, p.life, p.wrote);
	n = send(p.near, buf, PIECE, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		p.wrote += (uint64_t)n;
	else if (!p.wrote)
		p.life--;
	return true;
}

static struct stream from_host; /* the life in which the program reads */

ssize_t program_read(void)
{
	static uint8_t buf[1 << 16];
	ssize_t n = recv(p.near, buf, sizeof(buf), MSG_DONTWAIT);

	if (n > 0) {
		if (!p.read)
			from_host = (struct stream){0};
		compare(&from_host, buf, (size_t)n, "the program reads other bytes than were sent");
		p.read += (uint64_t)n;
	}
	return n;
}

void host_read(unsigned int i)
{
	static uint8_t buf[1 << 16];
	ssize_t n;

	while ((n = recv(hosts[i].fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0)
		compare(&hosts[i].in, buf, (size_t)n, "the host reads other bytes than were sent");
	if (n == 0 || errno != EAGAIN)
		hosts[i].ended = true;
}

/* Acts of the host on its latest connection. */
static bool host_step(enum step step)
{
	const struct linger hard = {1, 0};
	unsigned int i = nr_hosts - 1;
	uint8_t buf[PIECE];
	ssize_t n;

	if (!nr_hosts || hosts[i].fd < 0)
		return false;
	switch (step) {
	case STEP_HOST_SEND:
		if (p.sends == MOST_PIECES || !hosts[i].live)
			return false;
		p.sends++;
		fill(buf, PIECE, (uint8_t)nr_hosts, hosts[i].sent);
		n = send(hosts[i].fd, buf, PIECE, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			hosts[i].sent += (uint64_t)n;
		return true;
	case STEP_HOST_READ:
		host_read(i);
		return true;
	case STEP_HOST_END:
		if (!hosts[i].live)
			return false;
		hosts[i].live = false;
		(void)shutdown(hosts[i].fd, SHUT_WR);
		return true;
	case STEP_HOST_RESET:
		(void)setsockopt(hosts[i].fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		hosts[i].reset = hosts[i].live;
		/* fall through */
	default: /* close() resets, too, where data comes later or is unread */
		p.odd = true;
		close(hosts[i].fd);
		hosts[i].fd = -1;
		return true;
	}
}

bool step_take(enum step step)
{
	bool taken = true;

	switch (step) {
	case STEP_CONNECT:
	case STEP_CONNECT_WAITING:
	case STEP_CONNECT_REFUSED:
	case STEP_DISSOLVE:
		taken = call_connect(step);
		break;
	case STEP_LISTEN:
		taken = !p.wants_near && !p.given &&
			call_later(step, LFP_CTL_LISTEN, 4, 0, NULL, 0);
		break;
	case STEP_SHUT_RD:
	case STEP_SHUT_WR:
	case STEP_SHUT_RDWR:
		taken = !p.given &&
			call_later(step, LFP_CTL_SHUTDOWN, (int)(step - STEP_SHUT_RD), 0, NULL, 0);
		p.quit |= taken && step != STEP_SHUT_WR;
		p.odd |= p.quit;
		break;
	case STEP_WRITE:
		taken = program_write();
		break;
	case STEP_READ:
		if (p.near < 0 || p.listens)
			return false;
		(void)program_read();
		break;
	case STEP_RENEW:
		taken = p.wants_near && call_later(step, LFP_CTL_RENEW, 0, 0, NULL, 0);
		break;
	case STEP_GIVE:
		taken = !p.given &&
			call_later(step, LFP_CTL_GIVE, GIVEN_NUMBER, 0,
				   &(struct lfp_ctl_client){AF_INET, "        ", "        "},
				   sizeof(struct lfp_ctl_client));
		break;
	case STEP_TAKE:
		taken = p.given &&
			call_later(step, LFP_CTL_TAKE, GIVEN_NUMBER, 0, &giver, sizeof(giver));
		break;
	case STEP_CLOSE:
		if (p.near < 0)
			return false;
		p.odd = true;
		put_near(-1);
		break;
	case STEP_TO_LFPD:
	case STEP_TO_VSE:
		taken = between_has(step == STEP_TO_LFPD ? TO_LFPD : TO_VSE);
		if (taken)
			between_deliver(step == STEP_TO_LFPD ? TO_LFPD : TO_VSE);
		break;
	case STEP_SUSPEND:
		taken = !p.suspended;
		if (taken)
			linux_suspend();
		p.suspended = true;
		break;
	default:
		taken = host_step(step);
		break;
	}
	if (taken)
		both_turn();
	return taken;
}

static int state_of(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};

	return fd >= 0 && poll(&pfd, 1, 0) >= 0 ? pfd.revents : -1;
}

static int unread(int fd)
{
	int n = 0;

	return fd >= 0 && ioctl(fd, FIONREAD, &n) == 0 ? n : -1;
}

void state_describe(char *out, size_t room)
{
	size_t n = linux_describe(out, room);
	int host = nr_hosts ? hosts[nr_hosts - 1].fd : -1;

	out[n++] = '\n';
	n += vse_describe(out + n, room - n);
	out[n++] = '\n';
	n += between_describe(out + n, room - n);
	snprintf(out + n, room - n, "\nprogram %x %d call %s%s%s%s wrote %zu%s, hosts %u %x %d%s%s",
		 state_of(p.near), unread(p.near), p.conn >= 0 ? step_names[p.call] : "none",
		 p.wants_near ? " wants" : "", p.given ? " given" : "", p.listens ? " listens" : "",
		 (size_t)p.wrote, p.odd ? " odd" : "", nr_hosts, state_of(host), unread(host),
		 p.suspended ? " resumed" : "", linux_is_suspending() ? " suspending" : "");
}
