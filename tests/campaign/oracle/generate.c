/* SPDX-License-Identifier: Apache-2.0 */
/* generate.c - sequences of calls from a seed
 *
 * A call is chosen without its answer: the same sequence runs natively and on LFP. The maker only
 * knows what a slot was meant to be, so that most calls meet a socket, and many a connected one.
 * Left out, because natively they depend on time or on sizes of buffers: more than a few KiB of
 * unread data, and more connections than a listener's queue takes.
 */
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#include "tests/campaign/oracle/oracle.h"

enum kind { NONE, FRESH, LISTENER, STREAM, DATAGRAM, SHORT_QUEUE };

struct maker {
	uint64_t random;
	struct sequence *sequence;
	unsigned int family;      /* 0: IPv4, 2: IPv6; of most sockets */
	enum kind kind[2][SLOTS]; /* of both processes */
	bool set[2][SETS];
	bool forked, other_user;
	bool low_water; /* natively a call that waits for the mark is not woken in time */
};

static unsigned int pick(struct maker *m, unsigned int of)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (unsigned int)((m->random >> 16) % of);
}

static struct op *add(struct maker *m, enum op_code code, unsigned int process, unsigned int slot)
{
	static struct op none;
	struct sequence *s = m->sequence;

	if (s->nr == OPS)
		return &none;
	s->ops[s->nr] = (struct op){
		.code = (uint8_t)code, .process = (uint8_t)process, .slot = (uint8_t)slot};
	return &s->ops[s->nr++];
}

/* A slot with a socket of that kind (NONE: any kind), else any. */
static unsigned int some(struct maker *m, unsigned int process, enum kind kind)
{
	unsigned int slot = 0;

	for (int i = 0; i < 12; i++) {
		slot = pick(m, SLOTS);
		if (kind == NONE ? m->kind[process][slot] != NONE : m->kind[process][slot] == kind)
			break;
	}
	return slot;
}

static unsigned int empty(struct maker *m, unsigned int process)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		if (m->kind[process][i] == NONE)
			return i;
	return pick(m, SLOTS);
}

static unsigned int make_socket(struct maker *m, unsigned int process, bool udp, bool nonblock)
{
	unsigned int slot = empty(m, process);
	struct op *op = add(m, OP_SOCKET, process, slot);

	op->a = (uint8_t)((udp ? 1 : 0) | (pick(m, 12) ? m->family : m->family ^ 2) |
			  (nonblock ? 4 : 0));
	m->kind[process][slot] = udp ? DATAGRAM : FRESH;
	return slot;
}

static unsigned int make_listener(struct maker *m, unsigned int process)
{
	unsigned int slot = make_socket(m, process, false, pick(m, 2));

	if (pick(m, 4))
		add(m, OP_BIND, process, slot)->other = pick(m, 4) ? TO_ANY_PORT : TO_WILDCARD;
	add(m, OP_LISTEN, process, slot)->a = pick(m, 2) ? 16 : 200;
	m->kind[process][slot] = LISTENER;
	return slot;
}

/* A connection of one process with itself, or of both. */
static void make_connection(struct maker *m)
{
	unsigned int at = m->forked ? pick(m, 2) : 0, to = m->forked ? pick(m, 2) : 0;
	unsigned int listener = some(m, at, LISTENER), client, slot;
	bool waits = pick(m, 2);
	struct op *op;

	if (m->kind[at][listener] != LISTENER)
		listener = make_listener(m, at);
	client = make_socket(m, to, false, !waits);
	op = add(m, OP_CONNECT, to, client);
	op->other = (uint8_t)listener;
	op->b = (uint8_t)at;
	m->kind[to][client] = STREAM;
	if (pick(m, 8) == 0)
		return;
	slot = empty(m, at);
	add(m, OP_ACCEPT, at, listener)->other = (uint8_t)slot;
	m->sequence->ops[m->sequence->nr - 1].a = (uint8_t)pick(m, 2);
	m->kind[at][slot] = STREAM;
	if (pick(m, 4) == 0) {
		add(m, OP_CLOSE, at, listener);
		m->kind[at][listener] = NONE;
	}
}

/* A listener with a queue that its connections fill, and not more: a dropped SYN comes again after
 * a second. */
static void make_short_queue(struct maker *m)
{
	unsigned int at = m->forked ? pick(m, 2) : 0, backlog = pick(m, 3);
	unsigned int listener = make_socket(m, at, false, true), slot;
	struct op *op;

	add(m, OP_BIND, at, listener)->other = TO_ANY_PORT;
	add(m, OP_LISTEN, at, listener)->a = (uint8_t)backlog;
	m->kind[at][listener] = SHORT_QUEUE;
	for (unsigned int i = 0; i <= backlog; i++) {
		slot = make_socket(m, at, false, pick(m, 2));
		op = add(m, OP_CONNECT, at, slot);
		op->other = (uint8_t)listener;
		op->b = (uint8_t)at;
		m->kind[at][slot] = STREAM;
	}
	for (unsigned int i = pick(m, backlog + 3); i > 0; i--) {
		slot = empty(m, at);
		op = add(m, OP_ACCEPT, at, listener);
		op->other = (uint8_t)slot;
		op->a = (uint8_t)pick(m, 2);
		m->kind[at][slot] = STREAM;
	}
}

/* Urgent data of a stream: sent, asked for, read. */
static void use_urgent(struct maker *m, unsigned int process)
{
	struct op *op;

	switch (pick(m, 4)) {
	case 0:
		op = add(m, OP_SEND, process, some(m, process, STREAM));
		op->len = (uint16_t)(1 + pick(m, 3));
		op->a = 3; /* MSG_OOB */
		break;
	case 1:
		op = add(m, OP_RECV, process, some(m, process, STREAM));
		op->len = 1;
		op->a = 7; /* MSG_OOB */
		break;
	case 2:
		add(m, OP_ATMARK, process, some(m, process, STREAM));
		break;
	default:
		op = add(m, OP_SETSOCKOPT, process, some(m, process, STREAM));
		op->a = 15; /* SO_OOBINLINE */
		op->b = (uint8_t)pick(m, 2);
	}
}

/* The child is another user's from now on. */
static void make_user(struct maker *m)
{
	if (!m->forked || m->other_user)
		return;
	add(m, OP_USER, 1, 0);
	m->other_user = true;
}

static void make_datagrams(struct maker *m)
{
	unsigned int one = make_socket(m, 0, true, pick(m, 2));
	unsigned int two = make_socket(m, 0, true, pick(m, 2));

	add(m, OP_BIND, 0, one)->other = TO_ANY_PORT;
	if (pick(m, 3))
		add(m, OP_CONNECT, 0, two)->other = (uint8_t)one;
	if (pick(m, 2)) {
		add(m, OP_BIND, 0, two)->other = TO_ANY_PORT;
		add(m, OP_CONNECT, 0, one)->other = (uint8_t)two;
	}
}

static void make_fork(struct maker *m)
{
	if (m->forked)
		return;
	add(m, OP_FORK, 0, 0);
	memcpy(m->kind[1], m->kind[0], sizeof(m->kind[1]));
	memcpy(m->set[1], m->set[0], sizeof(m->set[1]));
	m->forked = true;
}

static uint16_t poll_events(struct maker *m)
{
	static const uint16_t sets[] = {POLLIN, POLLIN | POLLOUT, POLLIN | POLLRDHUP, POLLOUT,
					POLLIN | POLLOUT | POLLRDHUP | POLLPRI};

	return sets[pick(m, 5)];
}

static void use_epoll(struct maker *m, unsigned int process)
{
	unsigned int nr = pick(m, SETS);
	struct op *op;

	if (!m->set[process][nr]) {
		add(m, OP_EPOLL_CREATE, process, SLOTS + nr);
		m->set[process][nr] = true;
	}
	for (unsigned int i = 1 + pick(m, 3); i > 0; i--) {
		op = add(m, OP_EPOLL_CTL, process, SLOTS + nr);
		op->other = (uint8_t)some(m, process, NONE);
		op->a = (uint8_t)(pick(m, 3) ? EPOLL_CTL_ADD : 1 + pick(m, 3));
		op->len = poll_events(m);
		switch (pick(m, 6)) {
		case 0:
		case 1:
			op->b = EPOLLET >> 24;
			break;
		case 2:
			op->b = EPOLLONESHOT >> 24;
			break;
		case 3:
			op->b = EPOLLEXCLUSIVE >> 24 | (pick(m, 2) ? EPOLLET >> 24 : 0);
			break;
		}
	}
	add(m, OP_EPOLL_WAIT, process, SLOTS + nr);
}

/* A call of one process that waits, and one of the other process that may end it. */
static void make_wait(struct maker *m)
{
	static const uint8_t waits[] = {OP_RECV, OP_ACCEPT, OP_POLL, OP_READ, OP_RECVFROM};
	unsigned int process = pick(m, 2), slot;
	enum op_code code = waits[pick(m, 5)];
	struct op *op;

	make_fork(m);
	slot = some(m, process, code == OP_ACCEPT ? LISTENER : STREAM);
	op = add(m, code, process, slot);
	op->behind = true;
	op->len = code == OP_POLL ? POLLIN : (uint16_t)(1 + pick(m, 300));
	op->other = (uint8_t)empty(m, process);
	slot = some(m, 1 - process, code == OP_ACCEPT ? FRESH : STREAM);
	op = add(m, OP_SEND, 1 - process, slot);
	op->len = (uint16_t)(1 + pick(m, 600));
	switch (pick(m, 6)) {
	case 0:
		op->code = OP_CLOSE;
		m->kind[1 - process][slot] = NONE;
		break;
	case 1:
		op->code = OP_SHUTDOWN;
		op->a = (uint8_t)pick(m, 3);
		break;
	}
	if (code == OP_ACCEPT) {
		op->code = OP_CONNECT;
		op->other = (uint8_t)some(m, process, LISTENER);
		op->b = (uint8_t)process;
	}
}

static void make_data_call(struct maker *m, unsigned int process)
{
	static const uint8_t codes[] = {OP_SEND, OP_SEND,     OP_WRITE, OP_SENDTO,  OP_RECV,
					OP_RECV, OP_RECVFROM, OP_READ,  OP_FIONREAD};
	static const uint16_t lens[] = {0, 1, 2, 7, 100, 300, 1000, 2000};
	struct op *op = add(m, codes[pick(m, (unsigned int)sizeof(codes))], process,
			    some(m, process, pick(m, 8) ? pick(m, 4) ? STREAM : DATAGRAM : NONE));

	op->len = lens[pick(m, 8)];
	op->a = (uint8_t)pick(m, 7);
	if (op->code == OP_SEND && op->a % 4 == 3)
		op->a = 0;
	/* recv() of no bytes on TCP returns 0 after it has waited once. */
	if (!op->len && (op->code == OP_RECV || op->code == OP_RECVFROM))
		op->len = 1;
	op->other = (uint8_t)(pick(m, 6) ? some(m, process, DATAGRAM) : pick(m, TO_KINDS));
	op->b = (uint8_t)process;
}

static void make_name_call(struct maker *m, unsigned int process)
{
	struct op *op;
	unsigned int slot = some(m, process, pick(m, 2) ? FRESH : NONE);

	switch (pick(m, 6)) {
	case 0:
		op = add(m, OP_BIND, process, slot);
		op->other = (uint8_t)(pick(m, 3) ? TO_ANY_PORT : pick(m, TO_KINDS));
		break;
	case 1:
		add(m, OP_LISTEN, process, slot)->a = pick(m, 2) ? 16 : 200;
		if (m->kind[process][slot] == FRESH)
			m->kind[process][slot] = LISTENER;
		break;
	case 2:
	case 3:
		op = add(m, OP_CONNECT, process, slot);
		op->other = (uint8_t)(pick(m, 2) ? some(m, process, LISTENER) : pick(m, TO_KINDS));
		op->b = (uint8_t)process;
		if (m->kind[process][slot] == FRESH)
			m->kind[process][slot] = STREAM;
		break;
	case 4:
		add(m, OP_GETSOCKNAME, process, slot);
		break;
	default:
		add(m, OP_GETPEERNAME, process, slot);
	}
}

static void make_accept(struct maker *m, unsigned int process)
{
	unsigned int slot = empty(m, process);
	struct op *op = add(m, OP_ACCEPT, process, some(m, process, pick(m, 8) ? LISTENER : NONE));

	op->other = (uint8_t)slot;
	op->a = (uint8_t)pick(m, 2);
	m->kind[process][slot] = STREAM;
}

static void make_option_call(struct maker *m, unsigned int process)
{
	struct op *op = add(m, pick(m, 5) < 3 ? OP_GETSOCKOPT : OP_SETSOCKOPT, process,
			    some(m, process, NONE));

	op->a = (uint8_t)(pick(m, 4) ? pick(m, nr_options) : 0);
	op->b = (uint8_t)pick(m, 2);
	op->len = pick(m, 16) ? 0 : 1;
	if (options[op->a].number == SO_RCVLOWAT && op->code == OP_SETSOCKOPT)
		m->low_water = true;
}

static void make_copy(struct maker *m, unsigned int process)
{
	unsigned int slot = some(m, process, NONE),
		     to = pick(m, 3) ? empty(m, process) : pick(m, SLOTS);
	struct op *op;

	if (m->forked && pick(m, 2)) {
		to = empty(m, 1 - process);
		add(m, OP_PASS, process, slot)->other = (uint8_t)to;
		m->kind[1 - process][to] = m->kind[process][slot];
		return;
	}
	op = add(m, OP_DUP, process, slot);
	op->other = (uint8_t)to;
	op->a = (uint8_t)pick(m, 2);
	m->kind[process][to] = m->kind[process][slot];
}

static void make_end(struct maker *m, unsigned int process)
{
	unsigned int slot = some(m, process, NONE);

	if (pick(m, 2)) {
		add(m, OP_SHUTDOWN, process, slot)->a =
			(uint8_t)(pick(m, 12) ? pick(m, 3) : 3 + pick(m, 3));
		return;
	}
	if (pick(m, 4) == 0) {
		struct op *op = add(m, OP_SETSOCKOPT, process, slot);

		op->a = 8; /* SO_LINGER, 0 s: the close is a reset */
		op->b = 1;
	}
	add(m, OP_CLOSE, process, slot);
	m->kind[process][slot] = NONE;
}

static void make_call(struct maker *m)
{
	unsigned int process = m->forked ? pick(m, 2) : 0, which = pick(m, 106);

	if (which < 34)
		make_data_call(m, process);
	else if (which < 42)
		make_name_call(m, process);
	else if (which < 48)
		make_connection(m);
	else if (which < 53)
		make_accept(m, process);
	else if (which < 60)
		make_option_call(m, process);
	else if (which < 70)
		make_end(m, process);
	else if (which < 79)
		use_epoll(m, process);
	else if (which < 82)
		add(m, OP_POLL, process, some(m, process, NONE))->len = poll_events(m);
	else if (which < 84)
		add(m, OP_SELECT, process, 0);
	else if (which < 87)
		make_copy(m, process);
	else if (which < 89)
		add(m, OP_NONBLOCK, process, some(m, process, NONE))->a = (uint8_t)pick(m, 2);
	else if (which < 91)
		make_socket(m, process, pick(m, 3) == 0, pick(m, 2));
	else if (which < 94)
		make_fork(m);
	else if (which < 98 && !m->low_water)
		make_wait(m);
	else if (which < 102)
		use_urgent(m, process);
	else if (which < 104)
		make_short_queue(m);
	else
		make_user(m);
}

void sequence_generate(struct sequence *sequence, uint64_t seed, uint64_t nr)
{
	struct maker m = {.sequence = sequence};
	int length;

	memset(sequence, 0, sizeof(*sequence));
	m.random = (seed + 1) * 0x9E3779B97F4A7C15u ^ (nr + 1) * 0xD1B54A32D192ED03u;
	for (int i = 0; i < 8; i++)
		(void)pick(&m, 2);
	m.family = pick(&m, 3) ? 0 : 2;
	if (pick(&m, 4))
		make_connection(&m);
	if (pick(&m, 3) == 0)
		make_datagrams(&m);
	if (pick(&m, 6) == 0)
		(void)make_socket(&m, 0, false, pick(&m, 2));
	length = sequence->nr + 6 + (int)pick(&m, 14);
	while (sequence->nr < length && sequence->nr < OPS)
		make_call(&m);
}
