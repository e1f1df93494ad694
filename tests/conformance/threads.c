/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - threads that share a socket: waking by shutdown and close, cancellation, both ways at
 * once */
#include "tests/conformance/jobs.h"
#include "tests/conformance/slow.h"

static void shutting(int af)
{
	static const struct {
		enum job_call call;
		const char *name;
	} calls[] = {
		{JOB_RECV, "recv"},       {JOB_READ, "read"}, {JOB_RECVMSG, "recvmsg"},
		{JOB_WAITALL, "waitall"}, {JOB_POLL, "poll"}, {JOB_SELECT, "select"},
	};
	struct job job;
	int fd[2];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		about("tcp%d %s", digit(af), calls[i].name);
		stream_pair(af, fd);
		job_block(&job, calls[i].call, fd[0], NULL);
		TRY("shutdown for reading", shutdown(fd[0], SHUT_RD));
		job_say("woken", &job);
		close_pair(fd);

		stream_pair(af, fd);
		job_block(&job, calls[i].call, fd[0], NULL);
		TRY("the peer shuts down", shutdown(fd[1], SHUT_RDWR));
		job_say("woken by the peer", &job);
		close_pair(fd);
	}
	about("tcp%d send", digit(af));
	stream_pair(af, fd);
	job_block(&job, JOB_SEND, fd[0], NULL);
	TRY("shutdown for writing", shutdown(fd[0], SHUT_WR));
	/* Some of it had gone. */
	job_say("woken", &job);
	TRY("then", send(fd[0], "x", 1, MSG_NOSIGNAL));
	close_pair(fd);

	about("udp%d recv", digit(af));
	datagram_pair(af, fd);
	job_block(&job, JOB_RECV, fd[0], NULL);
	TRY("shutdown for reading", shutdown(fd[0], SHUT_RD));
	job_say("woken", &job);
	close_pair(fd);
}

/* close() does not end a waiting call; arriving data does. */
static void closing(int af)
{
	struct addr addr;
	struct job job;
	int fd[2], at, conn;

	about("tcp%d close", digit(af));
	stream_pair(af, fd);
	job_block(&job, JOB_RECV, fd[0], NULL);
	TRY("while recv waits", close(fd[0]));
	say("it waits on", "%s", job_blocks(&job) ? "yes" : "no");
	MUST(send(fd[1], "x", 1, 0));
	job_say("until something comes", &job);
	say("then the peer sees the end", "%s", received(fd[1], 0));
	close(fd[1]);

	at = listener(af, 0, &addr);
	job_block(&job, JOB_ACCEPT, at, NULL);
	TRY("while accept waits", close(at));
	say("accept waits on", "%s", job_blocks(&job) ? "yes" : "no");
	conn = new_socket(af, SOCK_STREAM);
	TRY("connect", connect(conn, ADDR(&addr)));
	job_say("until a client connects", &job);
	close(conn);

	about("udp%d close", digit(af));
	datagram_pair(af, fd);
	job_block(&job, JOB_RECV, fd[0], NULL);
	TRY("while recv waits", close(fd[0]));
	MUST(send(fd[1], "x", 1, 0));
	job_say("until something comes", &job);
	close(fd[1]);
}

static void *wait_in(void *arg)
{
	struct job *job = arg;

	job->tid = gettid();
	job_call(job);
	return NULL;
}

/* A thread that waits in a call and is cancelled there; the call neither ends nor outlives it. */
static void cancel(struct job *job)
{
	void *result = NULL;
	pthread_t thread;

	if ((errno = pthread_create(&thread, NULL, wait_in, job)))
		die("pthread_create");
	say("it waits", "%s", job_blocks(job) ? "yes" : "no");
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("the thread", "%s", result == PTHREAD_CANCELED ? "cancelled" : "ended");
}

static void cancelled_receives(int af, int type)
{
	static const struct {
		enum job_call call;
		const char *name;
	} calls[] = {
		{JOB_RECV, "recv"},       {JOB_READ, "read"},         {JOB_RECVFROM, "recvfrom"},
		{JOB_RECVMSG, "recvmsg"}, {JOB_RECVMMSG, "recvmmsg"}, {JOB_POLL, "poll"},
	};
	int fd[2];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct job job = {.call = calls[i].call};

		about("%s%d cancel %s", type == SOCK_STREAM ? "tcp" : "udp", digit(af),
		      calls[i].name);
		if (type == SOCK_STREAM)
			stream_pair(af, fd);
		else
			datagram_pair(af, fd);
		job.fd = fd[1];
		cancel(&job);
		say("the socket works", "%s", exchange(fd[0], fd[1]));
		close_pair(fd);
	}
}

/* Part of the data was sent; only the end of file follows it. */
static void cancelled_sends(int af)
{
	static const struct {
		enum job_call call;
		const char *name;
	} calls[] = {{JOB_SEND, "send"}, {JOB_SENDMSG, "sendmsg"}, {JOB_WRITE, "write"}};
	static char got[MUCH];
	int fd[2];

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct job job = {.call = calls[i].call};
		size_t n;

		about("tcp%d cancel %s", digit(af), calls[i].name);
		stream_pair(af, fd);
		job.fd = fd[0];
		cancel(&job);
		MUST(send(fd[1], "x", 1, 0));
		say("the other way works", "%s", received(fd[0], 0));
		TRY("close", close(fd[0]));
		n = recv_all(fd[1], got, sizeof(got));
		say("the peer gets", "%s", n && n < sizeof(got) ? "a part" : "all or nothing");
		say("and then", "%s", received(fd[1], 0));
		close(fd[1]);
	}
}

static void cancelled_accepts(int af)
{
	static const struct {
		enum job_call call;
		const char *name;
	} calls[] = {{JOB_ACCEPT, "accept"}, {JOB_ACCEPT4, "accept4"}};
	struct addr addr;
	int at = listener(af, 0, &addr);

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct job job = {.call = calls[i].call, .fd = at};
		int conn, got;

		about("tcp%d cancel %s", digit(af), calls[i].name);
		cancel(&job);
		conn = new_socket(af, SOCK_STREAM);
		MUST(connect(conn, ADDR(&addr)));
		got = TRY_FD("the listener works", accept(at, NULL, NULL));
		say("the connection works", "%s", exchange(conn, got));
		close(got);
		close(conn);
	}
	close(at);
}

static void cancelled_connect(int af)
{
	struct addr slow = slow_addr(af, 0);
	struct job job = {.call = JOB_CONNECT, .to = &slow};

	about("tcp%d cancel connect", digit(af));
	job.fd = new_socket(af, SOCK_STREAM);
	slow_fill();
	cancel(&job);
	say("SO_ERROR", "%s", socket_error(job.fd));
	slow_let_in();
	TRY("close", close(job.fd));
}

enum { LEN = 2 << 20, PIECE = 3000 };

static unsigned char sent[2][LEN], got[2][LEN];

struct flow {
	int fd, nr;
	size_t done;
};

static void *sender(void *arg)
{
	struct flow *flow = arg;

	while (flow->done < LEN) {
		size_t len = LEN - flow->done < PIECE ? LEN - flow->done : PIECE;

		if (send_all(flow->fd, sent[flow->nr] + flow->done, len) < 0)
			break;
		flow->done += len;
	}
	return NULL;
}

static void *receiver(void *arg)
{
	struct flow *flow = arg;

	flow->done = recv_all(flow->fd, got[flow->nr], LEN);
	return NULL;
}

static void both_ways(int af)
{
	struct flow flows[4];
	pthread_t threads[4];
	int fd[2];

	about("tcp%d both ways", digit(af));
	stream_pair(af, fd);
	for (int i = 0; i < 4; i++) {
		pattern(sent[i / 2], LEN, (uint64_t)i / 2 + 1);
		flows[i] = (struct flow){.fd = fd[(i / 2 + i) % 2], .nr = i / 2};
		pthread_create(&threads[i], NULL, i % 2 ? receiver : sender, &flows[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	say("one way", "%zu bytes, unchanged %d", flows[1].done, !memcmp(sent[0], got[0], LEN));
	say("the other way", "%zu bytes, unchanged %d", flows[3].done,
	    !memcmp(sent[1], got[1], LEN));
	close_pair(fd);
}

struct worker {
	int at;
	atomic_int served;
};

static void *serve(void *arg)
{
	struct worker *worker = arg;

	for (;;) {
		int fd = accept(worker->at, NULL, NULL);

		if (fd < 0)
			return NULL;
		if (write(fd, "served", 6) == 6)
			worker->served++;
		close(fd);
	}
}

/* Threads accept from one listener while others use options and names of it. */
static void many_callers(int af)
{
	enum { WORKERS = 4, CONNECTIONS = 40 };
	struct worker worker = {0};
	pthread_t threads[WORKERS];
	struct addr addr;
	int good = 0;
	char buf[8];

	about("tcp%d many callers", digit(af));
	worker.at = listener(af, 0, &addr);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, serve, &worker);
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = new_socket(af, SOCK_STREAM);
		struct addr name = name_of(worker.at);

		if (same_addr(&name, &addr) && connect(fd, ADDR(&addr)) == 0 &&
		    recv_all(fd, buf, 6) == 6)
			good++;
		close(fd);
	}
	say("answers", "%d of %d", good, (int)CONNECTIONS);
	TRY("shutdown", shutdown(worker.at, SHUT_RDWR));
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	say("served", "%d", worker.served);
	close(worker.at);
}

/* Two threads receive from one socket: each piece goes to one of them. */
static void *take_datagrams(void *arg)
{
	struct worker *worker = arg;
	char buf[64];

	while (recv(worker->at, buf, sizeof(buf), 0) > 0)
		worker->served++;
	return NULL;
}

static void shared_datagrams(int af)
{
	enum { NUMBER = 50 };
	struct worker worker = {0};
	pthread_t threads[2];
	int fd[2];

	about("udp%d shared", digit(af));
	datagram_pair(af, fd);
	worker.at = fd[1];
	set_time_limit(fd[1], SO_RCVTIMEO, WAIT_MS);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_datagrams, &worker);
	for (int i = 0; i < NUMBER; i++)
		MUST(send(fd[0], "datagram", 8, 0));
	WAIT(worker.served == NUMBER);
	say("received", "%d", worker.served);
	MUST(shutdown(fd[1], SHUT_RD));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		shutting(af);
		closing(af);
		cancelled_receives(af, SOCK_STREAM);
		cancelled_receives(af, SOCK_DGRAM);
		cancelled_sends(af);
		cancelled_accepts(af);
		cancelled_connect(af);
		both_ways(af);
		many_callers(af);
		shared_datagrams(af);
	}
	return 0;
}
