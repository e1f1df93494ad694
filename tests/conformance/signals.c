/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - SIGPIPE and EPIPE, EINTR and SA_RESTART, SIGIO and SIGURG */
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/conformance/jobs.h"

enum sender { BY_SEND, BY_WRITE, BY_SENDMSG, BY_WRITEV, BY_NOSIGNAL };

static const char *const senders[] = {"send", "write", "sendmsg", "writev",
				      "send with MSG_NOSIGNAL"};

static ssize_t transmit(enum sender how, int fd)
{
	char c = 'x';
	struct iovec iov = {&c, 1};

	switch (how) {
	case BY_SEND:
		return send(fd, &c, 1, 0);
	case BY_WRITE:
		return write(fd, &c, 1);
	case BY_SENDMSG:
		return sendmsg(fd, &(struct msghdr){.msg_iov = &iov, .msg_iovlen = 1}, 0);
	case BY_WRITEV:
		return writev(fd, &iov, 1);
	case BY_NOSIGNAL:
		return send(fd, &c, 1, MSG_NOSIGNAL);
	}
	return -1;
}

static void broken_pipe(int af)
{
	int fd[2], status;
	pid_t pid;

	for (enum sender how = BY_SEND; how <= BY_NOSIGNAL; how++) {
		about("tcp%d %s", digit(af), senders[how]);
		stream_pair(af, fd);
		shutdown(fd[0], SHUT_WR);
		TRY("error", transmit(how, fd[0]));
		fflush(stdout);
		pid = fork();
		if (!pid) {
			signal(SIGPIPE, SIG_DFL);
			transmit(how, fd[0]);
			_exit(7);
		}
		waitpid(pid, &status, 0);
		say("SIGPIPE", "signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		close_pair(fd);

		/* The peer has gone: one transmission is answered by a reset, then the pipe is
		 * broken. */
		stream_pair(af, fd);
		close(fd[1]);
		readable(fd[0]);
		TRY("to one that has gone", transmit(how, fd[0]));
		WAIT(all_events(fd[0]) & POLLHUP);
		TRY("and again", transmit(how, fd[0]));
		close(fd[0]);
	}
}

static int pipes;

static void on_pipe(int number)
{
	(void)number;
	pipes++;
}

/* A reset after the end of the stream: the error comes with the signal. */
static void reset_after_end(int af, enum sender how)
{
	int fd[2];

	about("tcp%d %s reset after the end", digit(af), senders[how]);
	stream_pair(af, fd);
	close(fd[1]);
	readable(fd[0]);
	transmit(how, fd[0]);
	WAIT(all_events(fd[0]) & POLLHUP);
	pipes = 0;
	signal(SIGPIPE, on_pipe);
	TRY("transmission", transmit(how, fd[0]));
	say("signals", "%d", pipes);
	signal(SIGPIPE, SIG_IGN);
	close(fd[0]);
}

static void interrupted(int af, int type)
{
	static const struct {
		enum job_call call;
		const char *name;
	} calls[] = {
		{JOB_RECV, "recv"},       {JOB_READ, "read"}, {JOB_RECVMSG, "recvmsg"},
		{JOB_WAITALL, "waitall"}, {JOB_POLL, "poll"}, {JOB_SELECT, "select"},
		{JOB_ACCEPT, "accept"},
	};
	struct addr addr;
	struct job job;
	int fd[2], at = listener(af, 0, &addr);

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (type == SOCK_DGRAM && calls[i].call == JOB_ACCEPT)
			continue;
		about("%s%d %s", type == SOCK_STREAM ? "tcp" : "udp", digit(af), calls[i].name);
		if (type == SOCK_STREAM)
			stream_pair(af, fd);
		else
			datagram_pair(af, fd);
		catch_signal(SIGUSR1, 0);
		job_block(&job, calls[i].call, calls[i].call == JOB_ACCEPT ? at : fd[1], NULL);
		pthread_kill(job.thread, SIGUSR1);
		job_say("without SA_RESTART", &job);
		say("without SA_RESTART, signals", "%d", (int)signals_seen);
		catch_signal(SIGUSR1, SA_RESTART);
		job_block(&job, calls[i].call, calls[i].call == JOB_ACCEPT ? at : fd[1], NULL);
		pthread_kill(job.thread, SIGUSR1);
		WAIT(signals_seen);
		if (calls[i].call == JOB_POLL || calls[i].call == JOB_SELECT) {
			/* These are never restarted. */
			job_say("with SA_RESTART", &job);
		} else {
			int conn = -1;

			say("with SA_RESTART", "%s",
			    job_blocks(&job) ? "it waits" : "it does not wait");
			if (calls[i].call == JOB_ACCEPT) {
				conn = new_socket(af, SOCK_STREAM);
				MUST(connect(conn, ADDR(&addr)));
			} else {
				MUST(send(fd[0], "x", 1, 0));
			}
			if (calls[i].call == JOB_WAITALL && type == SOCK_STREAM)
				shutdown(fd[0], SHUT_WR);
			job_say("with SA_RESTART, then", &job);
			close(conn);
		}
		close_pair(fd);
	}
	close(at);
}

/* With a time limit nothing is restarted. */
static void limited(int af)
{
	struct job job;
	int fd[2];

	about("tcp%d time limit", digit(af));
	stream_pair(af, fd);
	set_time_limit(fd[1], SO_RCVTIMEO, WAIT_MS);
	catch_signal(SIGUSR1, SA_RESTART);
	job_block(&job, JOB_RECV, fd[1], NULL);
	pthread_kill(job.thread, SIGUSR1);
	job_say("recv with SA_RESTART", &job);
	close_pair(fd);
}

static void sending(int af)
{
	struct job job;
	int fd[2];

	about("tcp%d send", digit(af));
	stream_pair(af, fd);
	catch_signal(SIGUSR1, 0);
	job_block(&job, JOB_SEND, fd[0], NULL);
	pthread_kill(job.thread, SIGUSR1);
	job_say("some was sent", &job);
	/* The socket stays full when no more data on the way moves. */
	job_block(&job, JOB_WRITE, fd[0], NULL);
	pthread_kill(job.thread, SIGUSR1);
	WAIT(job.done);
	say("it ends", "%d", job.done && (job.result > 0 || job.error == EINTR));
	pthread_join(job.thread, NULL);
	close_pair(fd);
}

static void asynchronous(int af, int type)
{
	int fd[2];

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	catch_signal(SIGIO, 0);
	MUST(fcntl(fd[1], F_SETOWN, getpid()));
	MUST(fcntl(fd[1], F_SETFL, O_ASYNC | O_NONBLOCK));
	MUST(send(fd[0], "x", 1, 0));
	WAIT(signals_seen);
	say("SIGIO for data", "%d", signals_seen > 0);
	if (type == SOCK_STREAM) {
		catch_signal(SIGURG, 0);
		MUST(send(fd[0], "!", 1, MSG_OOB));
		WAIT(signals_seen);
		say("SIGURG for urgent data", "%d", signals_seen > 0);
	}
	close_pair(fd);
	signal(SIGIO, SIG_IGN);
	signal(SIGURG, SIG_IGN);
}

/* A storm of signals does not harm data. */
static void storm(int af)
{
	enum { LEN = 1 << 20 };
	static unsigned char sent[LEN], got[LEN];
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {0};
	size_t done = 0;
	int fd[2];
	pid_t pid;

	about("tcp%d storm", digit(af));
	pattern(sent, LEN, 11);
	stream_pair(af, fd);
	catch_signal(SIGALRM, 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setitimer(ITIMER_REAL, &often, NULL);
		while (done < LEN) {
			ssize_t n =
				write(fd[0], sent + done, LEN - done > 5000 ? 5000 : LEN - done);

			if (n < 0 && errno != EINTR)
				_exit(1);
			done += n > 0 ? (size_t)n : 0;
		}
		_exit(0);
	}
	close(fd[0]);
	setitimer(ITIMER_REAL, &often, NULL);
	while (done < LEN) {
		ssize_t n = recv(fd[1], got + done, LEN - done, 0);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	say("bytes", "%zu", done);
	say("unchanged", "%d", !memcmp(sent, got, LEN));
	waitpid(pid, NULL, 0);
	close(fd[1]);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		broken_pipe(af);
		for (enum sender how = BY_SEND; how <= BY_NOSIGNAL; how++)
			reset_after_end(af, how);
		interrupted(af, SOCK_STREAM);
		interrupted(af, SOCK_DGRAM);
		limited(af);
		sending(af);
		asynchronous(af, SOCK_STREAM);
		asynchronous(af, SOCK_DGRAM);
		storm(af);
	}
	return 0;
}
