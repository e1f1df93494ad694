/* SPDX-License-Identifier: Apache-2.0 */
/* flags.c - MSG_PEEK, WAITALL, DONTWAIT, TRUNC, OOB and NOSIGNAL, and recv with odd lengths */
#include "tests/conformance/jobs.h"

static void look_at_data(int af)
{
	char buf[16] = "";
	int fd[2], at = -1;

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	TRY("nothing there", recv(fd[1], buf, 1, MSG_DONTWAIT));
	TRY("nothing there, peek", recv(fd[1], buf, 1, MSG_DONTWAIT | MSG_PEEK));
	MUST(send(fd[0], "abcdef", 6, 0));
	wait_bytes(fd[1], 6);
	TRY("peek", recv(fd[1], buf, 3, MSG_PEEK));
	say("peeked", "%.3s", buf);
	TRY("peek again", recv(fd[1], buf, 16, MSG_PEEK | MSG_DONTWAIT));
	say("peeked again", "%.6s", buf);
	TRY("of length 0", recv(fd[1], buf, 0, 0));
	TRY("recv of 2", recv(fd[1], buf, 2, 0));
	TRY("FIONREAD", bytes_there(fd[1]));
	/* MSG_TRUNC on a stream discards data (net/ipv4/tcp.c, tcp_recvmsg_locked()). */
	TRY("truncate", recv(fd[1], NULL, 3, MSG_TRUNC));
	say("the rest", "%s", received(fd[1], MSG_DONTWAIT));
	TRY("bad flag", recv(fd[1], buf, 1, 0x800000 | MSG_DONTWAIT));
	TRY("MSG_ERRQUEUE", recv(fd[1], buf, 1, MSG_ERRQUEUE));
	TRY("MSG_MORE", send(fd[0], "more", 4, MSG_MORE));
	TRY("without it", send(fd[0], "!", 1, 0));
	wait_bytes(fd[1], 5);
	say("all of it", "%s", received(fd[1], 0));
	TRY("MSG_DONTROUTE", send(fd[0], "d", 1, MSG_DONTROUTE));
	say("by MSG_DONTROUTE", "%s", received(fd[1], 0));
	TRY("MSG_CONFIRM", send(fd[0], "c", 1, MSG_CONFIRM));
	say("by MSG_CONFIRM", "%s", received(fd[1], 0));

	TRY("SO_PEEK_OFF at first", get_option(fd[1], SOL_SOCKET, SO_PEEK_OFF));
	TRY("SO_PEEK_OFF", setsockopt(fd[1], SOL_SOCKET, SO_PEEK_OFF, &(int){1}, sizeof(at)));
	MUST(send(fd[0], "wxyz", 4, 0));
	wait_bytes(fd[1], 4);
	TRY("peek at 1", recv(fd[1], buf, 2, MSG_PEEK));
	say("peeked at 1", "%.2s", buf);
	TRY("SO_PEEK_OFF then", get_option(fd[1], SOL_SOCKET, SO_PEEK_OFF));
	MUST(set_option(fd[1], SOL_SOCKET, SO_PEEK_OFF, -1));
	say("received", "%s", received(fd[1], 0));
	shutdown(fd[0], SHUT_WR);
	readable(fd[1]);
	TRY("peek at the end", recv(fd[1], buf, 1, MSG_PEEK));
	TRY("the end", recv(fd[1], buf, 1, 0));
	TRY("the end again", recv(fd[1], buf, 1, MSG_DONTWAIT));
	TRY("the end, MSG_WAITALL", recv(fd[1], buf, 9, MSG_WAITALL));
	close_pair(fd);
}

static void wait_for_all(int af)
{
	char buf[16] = "";
	struct job job;
	int fd[2];

	about("tcp%d waitall", digit(af));
	stream_pair(af, fd);
	MUST(send(fd[0], "abc", 3, 0));
	wait_bytes(fd[1], 3);
	TRY("with MSG_DONTWAIT", recv(fd[1], buf, 9, MSG_WAITALL | MSG_DONTWAIT));
	MUST(send(fd[0], "abc", 3, 0));
	job_block(&job, JOB_WAITALL, fd[1], NULL);
	MUST(send(fd[0], "defghi", 6, 0));
	say("6 more of 64", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	shutdown(fd[0], SHUT_WR);
	job_say("then the end", &job);
	close_pair(fd);

	stream_pair(af, fd);
	MUST(send(fd[0], "abc", 3, 0));
	MUST(send(fd[0], "defghi", 6, 0));
	TRY("in two pieces", recv(fd[1], buf, 9, MSG_WAITALL));
	say("both", "%.9s", buf);
	MUST(send(fd[0], "abc", 3, 0));
	wait_bytes(fd[1], 3);
	TRY("peek and wait", recv(fd[1], buf, 3, MSG_WAITALL | MSG_PEEK));
	TRY("still there", bytes_there(fd[1]));
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, 5));
	TRY("SO_RCVLOWAT", get_option(fd[1], SOL_SOCKET, SO_RCVLOWAT));
	say("below it", "%s", events_text(poll_for(fd[1], POLLIN, NOTHING_MS)));
	MUST(send(fd[0], "de", 2, 0));
	say("at it", "%s", events_text(poll_for(fd[1], POLLIN, WAIT_MS)));
	close_pair(fd);
}

/* Waits until the urgent byte is there. */
static void wait_urgent(int fd)
{
	poll_for(fd, POLLPRI, WAIT_MS);
}

static void urgent(int af)
{
	char c = 0, buf[16] = "";
	int fd[2];

	about("tcp%d urgent", digit(af));
	stream_pair(af, fd);
	TRY("none", recv(fd[1], &c, 1, MSG_OOB));
	TRY("not at it", sockatmark(fd[1]));
	MUST(send(fd[0], "abc", 3, 0));
	TRY("send", send(fd[0], "XY", 2, MSG_OOB));
	MUST(send(fd[0], "def", 3, 0));
	wait_urgent(fd[1]);
	wait_bytes(fd[1], 4);
	say("events", "%s", events_text(all_events(fd[1])));
	TRY("not at the mark", sockatmark(fd[1]));
	/* A read stops at the mark. */
	TRY("up to the mark", recv(fd[1], buf, 16, 0));
	say("before the mark", "%.4s", buf);
	TRY("at the mark", sockatmark(fd[1]));
	TRY("peek at it", recv(fd[1], &c, 1, MSG_OOB | MSG_PEEK));
	TRY("it", recv(fd[1], &c, 1, MSG_OOB));
	say("which is", "%c", c);
	TRY("it is gone", recv(fd[1], &c, 1, MSG_OOB));
	say("following data", "%s", received(fd[1], 0));
	TRY("not at it any more", sockatmark(fd[1]));

	TRY("SO_OOBINLINE", setsockopt(fd[1], SOL_SOCKET, SO_OOBINLINE, &(int){1}, 4));
	MUST(send(fd[0], "gh", 2, 0));
	MUST(send(fd[0], "Z", 1, MSG_OOB));
	MUST(send(fd[0], "ij", 2, 0));
	wait_urgent(fd[1]);
	wait_bytes(fd[1], 5);
	TRY("inline: MSG_OOB", recv(fd[1], &c, 1, MSG_OOB));
	TRY("inline: before it", recv(fd[1], buf, 16, 0));
	TRY("inline: at it", sockatmark(fd[1]));
	say("inline: it and the rest", "%s", received(fd[1], 0));
	close_pair(fd);

	about("udp%d", digit(af));
	datagram_pair(af, fd);
	TRY("MSG_OOB", send(fd[0], "x", 1, MSG_OOB));
	TRY("recv with MSG_OOB", recv(fd[0], &c, 1, MSG_OOB | MSG_DONTWAIT));
	TRY("sockatmark", sockatmark(fd[0]));
	close_pair(fd);
}

static void datagrams(int af)
{
	char buf[16] = "";
	int fd[2];

	about("udp%d", digit(af));
	datagram_pair(af, fd);
	TRY("nothing there", recv(fd[1], buf, 16, MSG_DONTWAIT));
	MUST(send(fd[0], "abcdef", 6, 0));
	MUST(send(fd[0], "ghi", 3, 0));
	readable(fd[1]);
	TRY("peek", recv(fd[1], buf, 2, MSG_PEEK));
	TRY("peek and truncate", recv(fd[1], buf, 2, MSG_PEEK | MSG_TRUNC));
	TRY("FIONREAD is the first", bytes_there(fd[1]));
	TRY("a part", recv(fd[1], buf, 2, 0));
	readable(fd[1]);
	TRY("truncate", recv(fd[1], buf, 1, MSG_TRUNC));
	TRY("nothing is left", recv(fd[1], buf, 16, MSG_DONTWAIT));
	MUST(send(fd[0], "a", 1, 0));
	readable(fd[1]);
	TRY("waitall of more", recv(fd[1], buf, 16, MSG_WAITALL));
	MUST(send(fd[0], "abc", 3, 0));
	readable(fd[1]);
	TRY("of length 0", recv(fd[1], buf, 0, 0));
	TRY("it is gone", recv(fd[1], buf, 16, MSG_DONTWAIT));
	TRY("MSG_ERRQUEUE", recv(fd[1], buf, 1, MSG_ERRQUEUE));
	TRY("MSG_MORE", send(fd[0], "one ", 4, MSG_MORE));
	TRY("and the rest", send(fd[0], "datagram", 8, 0));
	say("in one", "%s", received(fd[1], 0));
	TRY("SO_PEEK_OFF", set_option(fd[1], SOL_SOCKET, SO_PEEK_OFF, 2));
	MUST(send(fd[0], "uvwxyz", 6, 0));
	readable(fd[1]);
	TRY("peek at 2", recv(fd[1], buf, 2, MSG_PEEK));
	say("peeked at 2", "%.2s", buf);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		look_at_data(af);
		wait_for_all(af);
		urgent(af);
		datagrams(af);
	}
	return 0;
}
