/* SPDX-License-Identifier: Apache-2.0 */
/* deadlines.c - the timeout of recvmmsg(): wrong ones, none left, some left */
#include "tests/conformance/conform.h"

enum { MESSAGES = 3, LIMIT_MS = 80, LONG_MS = 20000 };

static const struct timespec untouched = {.tv_sec = 60};

/* Room for MESSAGES messages of one byte. */
struct room {
	char bytes[MESSAGES];
	struct iovec iov[MESSAGES];
	struct mmsghdr msgs[MESSAGES];
};

static struct mmsghdr *room_for(struct room *room)
{
	memset(room, 0, sizeof(*room));
	for (int i = 0; i < MESSAGES; i++) {
		room->iov[i] = (struct iovec){&room->bytes[i], 1};
		room->msgs[i].msg_hdr.msg_iov = &room->iov[i];
		room->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return room->msgs;
}

static const char *left_of(const struct timespec *timeout)
{
	if (!timeout->tv_sec && !timeout->tv_nsec)
		return "none";
	if (timeout->tv_sec == untouched.tv_sec && !timeout->tv_nsec)
		return "all";
	if (timeout->tv_sec >= 0 && timeout->tv_sec < untouched.tv_sec)
		return "some";
	return "other";
}

static void put(const int fd[2], int nr)
{
	for (int i = 0; i < nr; i++)
		MUST(send(fd[1], "x", 1, 0));
	if (nr)
		readable(fd[0]);
}

static void wrong(int fd, const char *when)
{
	static const struct {
		const char *name;
		struct timespec timeout;
	} cases[] = {
		{"a second of nanoseconds", {0, 1000000000}},
		{"negative nanoseconds", {1, -1}},
		{"negative seconds", {-1, 0}},
		{"negative, both", {-1, -1}},
	};
	struct room room;
	char name[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct timespec timeout = cases[i].timeout;

		snprintf(name, sizeof(name), "%s: %s", when, cases[i].name);
		TRY(name, recvmmsg(fd, room_for(&room), MESSAGES, MSG_DONTWAIT, &timeout));
		say(name, "%s",
		    timeout.tv_sec == cases[i].timeout.tv_sec &&
				    timeout.tv_nsec == cases[i].timeout.tv_nsec
			    ? "as before"
			    : "changed");
	}
	snprintf(name, sizeof(name), "%s: bad address", when);
	TRY(name, recvmmsg(fd, room_for(&room), MESSAGES, MSG_DONTWAIT, bad_address()));
}

/* Without a first message the timeout does not end the call (net/socket.c, do_recvmmsg()). */
static void empty(int fd, const char *name, struct timespec timeout)
{
	struct timespec before = timeout;
	struct room room;

	TRY(name, recvmmsg(fd, room_for(&room), MESSAGES, 0, &timeout));
	say(name, "%s", memcmp(&before, &timeout, sizeof(before)) ? "changed" : "as before");
}

static void takes(const int fd[2], const char *name, int nr, struct timespec timeout)
{
	struct room room;
	int taken = 0;

	put(fd, nr);
	TRY(name, recvmmsg(fd[0], room_for(&room), MESSAGES, 0, &timeout));
	say(name, "left: %s", left_of(&timeout));
	for (int i = 0; i < MESSAGES; i++)
		taken += room.msgs[i].msg_len == 1;
	/* The others may still be on their way. */
	for (; taken < nr; taken++) {
		readable(fd[0]);
		MUST(recv(fd[0], room.bytes, 1, 0));
	}
}

static void deadlines(int af, int type)
{
	const struct timespec moment = {.tv_nsec = 1}, endless = {.tv_sec = INT64_MAX};
	struct room room;
	int fd[2];

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	fd[0] = new_socket(af, type);
	wrong(fd[0], "new");
	close(fd[0]);
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	wrong(fd[0], "nothing there");
	set_time_limit(fd[0], SO_RCVTIMEO, LIMIT_MS);
	empty(fd[0], "nothing there: zero", (struct timespec){0});
	empty(fd[0], "nothing there: it passes", moment);
	empty(fd[0], "nothing there: it does not pass", untouched);

	put(fd, 1);
	wrong(fd[0], "one there");
	TRY("it is still there", recv(fd[0], room.bytes, 1, MSG_DONTWAIT));

	set_time_limit(fd[0], SO_RCVTIMEO, LONG_MS);
	takes(fd, "all there: zero", MESSAGES, (struct timespec){0});
	takes(fd, "all there: it passes", MESSAGES, moment);
	takes(fd, "all there: it does not pass", MESSAGES, untouched);
	takes(fd, "all there: endless", MESSAGES, endless);
	set_time_limit(fd[0], SO_RCVTIMEO, LIMIT_MS);
	takes(fd, "one there: it does not pass", 1, untouched);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		deadlines(af, SOCK_STREAM);
		deadlines(af, SOCK_DGRAM);
	}
	return 0;
}
