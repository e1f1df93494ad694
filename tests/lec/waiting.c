/* SPDX-License-Identifier: Apache-2.0 */
/* waiting.c - functions of LE/C's sockets that wait: select, selectex, poll, aio_*
 *
 *	waiting FAMILY		4 or 6
 */
#include <aio.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>

#include "pair.h"

static void waiting(void)
{
	struct timeval none = {0, 0}, little = {0, 20000}, wrong = {0, 1000000};
	struct pollfd polls[3];
	int ends[2], ecb = 0, posted = 1;
	fd_set in, out, except;
	char c;

	make_pair(ends);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	FD_SET(ends[1], &in);
	FD_SET(ends[0], &out);
	FD_SET(ends[0], &except);
	CHECK(select(FD_SETSIZE, &in, &out, &except, &little) == 1);
	CHECK(!FD_ISSET(ends[1], &in) && FD_ISSET(ends[0], &out) && !FD_ISSET(ends[0], &except));
	CHECK(send(ends[0], "x", 1, 0) == 1);
	FD_SET(ends[1], &in);
	CHECK(select(FD_SETSIZE, &in, NULL, NULL, NULL) == 1 && FD_ISSET(ends[1], &in));
	CHECK(recv(ends[1], &c, 1, 0) == 1);
	CHECK(select(FD_SETSIZE, &in, NULL, NULL, &none) == 0 && !FD_ISSET(ends[1], &in));
	CHECK(select(0, NULL, NULL, NULL, &little) == 0);
	FAILS(select(-1, NULL, NULL, NULL, &none), EINVAL);
	FAILS(select(1, NULL, NULL, NULL, &wrong), EINVAL);
	FAILS(select(1, (fd_set *)bad, NULL, NULL, &none), EFAULT);
	FD_SET(77, &in);
	FAILS(select(78, &in, NULL, NULL, &none), EBADF);
	CHECK(FD_ISSET(77, &in));
	/* Out of range: not looked at. */
	CHECK(select(77, &in, NULL, NULL, &none) == 0);
	FD_ZERO(&in);
	FD_SET(ends[1], &in);
	CHECK(selectex(FD_SETSIZE, &in, NULL, NULL, NULL, &posted) == 0 && !FD_ISSET(ends[1], &in));
	FD_SET(ends[1], &in);
	CHECK(selectex(FD_SETSIZE, &in, NULL, NULL, &little, &ecb) == 0);
	FAILS(selectex(1, NULL, NULL, NULL, &none, (int *)bad), EFAULT);
	polls[0] = (struct pollfd){.fd = ends[0], .events = POLLIN | POLLOUT};
	polls[1] = (struct pollfd){.fd = 99, .events = POLLIN};
	polls[2] = (struct pollfd){.fd = -1, .events = POLLIN};
	CHECK(poll(polls, 3, 30000) == 2);
	CHECK((polls[0].revents & POLLOUT) && !(polls[0].revents & POLLIN));
	CHECK(polls[1].revents == POLLNVAL && !polls[2].revents);
	CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	FAILS(recv(ends[0], &c, 1, 0), EWOULDBLOCK);
	CHECK(close(ends[1]) == 0);
	polls[0].events = POLLIN;
	CHECK(poll(polls, 1, 30000) == 1 && (polls[0].revents & POLLIN));
	CHECK(close(ends[0]) == 0);
}

static void asynchronous(void)
{
	char buf[16] = "", other[16], text[] = "async";
	struct aiocb in = {0}, out = {0}, never = {0};
	const struct aiocb *list[2] = {&in, NULL};
	const struct aiocb *list2[1] = {&never};
	struct timespec little = {0, 20000000};
	int ends[2];

	make_pair(ends);
	in.aio_fildes = never.aio_fildes = ends[1];
	in.aio_buf = buf;
	in.aio_nbytes = sizeof(buf);
	out.aio_fildes = ends[0];
	out.aio_buf = text;
	out.aio_nbytes = 5;
	in.aio_sigevent.sigev_notify = out.aio_sigevent.sigev_notify = SIGEV_NONE;
	never.aio_sigevent.sigev_notify = SIGEV_NONE;
	never.aio_buf = other;
	never.aio_nbytes = sizeof(other);
	CHECK(aio_read(&in) == 0);
	CHECK(aio_error(&in) == EINPROGRESS);
	FAILS(aio_read(&in), EINVAL);
	FAILS(aio_return(&in), EINVAL);
	FAILS(aio_suspend(list, 2, &little), EAGAIN);
	CHECK(aio_write(&out) == 0);
	CHECK(aio_suspend(list, 2, NULL) == 0);
	CHECK(aio_error(&in) == 0);
	CHECK(aio_return(&in) == 5 && !memcmp(buf, "async", 5));
	FAILS(aio_return(&in), EINVAL);
	list[0] = &out;
	CHECK(aio_suspend(list, 1, NULL) == 0);
	CHECK(aio_error(&out) == 0 && aio_return(&out) == 5);
	CHECK(aio_cancel(ends[1], NULL) == AIO_ALLDONE);
	CHECK(aio_read(&never) == 0);
	CHECK(aio_cancel(ends[1], &never) == AIO_CANCELED);
	CHECK(aio_error(&never) == ECANCELED);
	FAILS(aio_return(&never), ECANCELED);
	/* close() ends waiting calls. */
	CHECK(aio_read(&never) == 0);
	CHECK(close(ends[1]) == 0);
	CHECK(aio_suspend(list2, 1, NULL) == 0);
	CHECK(aio_error(&never) == ECANCELED);
	FAILS(aio_return(&never), ECANCELED);
	CHECK(recv(ends[0], buf, 1, 0) == 0);
	/* Never connected. */
	list[0] = &out;
	out.aio_fildes = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(out.aio_fildes >= 0 && aio_write(&out) == 0);
	CHECK(aio_suspend(list, 1, NULL) == 0);
	CHECK(aio_error(&out) == ENOTCONN);
	FAILS(aio_return(&out), ENOTCONN);
	CHECK(close(out.aio_fildes) == 0);
	never.aio_fildes = 99;
	FAILS(aio_read(&never), EBADF);
	FAILS(aio_write((struct aiocb *)bad), EFAULT);
	FAILS(aio_error(&never), EINVAL);
	FAILS(aio_cancel(99, NULL), EBADF);
	FAILS(aio_suspend((const struct aiocb *const *)bad, 1, NULL), EFAULT);
	CHECK(close(ends[0]) == 0);
}

int main(int argc, char **argv)
{
	family = argc > 1 && !strcmp(argv[1], "6") ? AF_INET6 : AF_INET;
	setvbuf(stdout, NULL, _IONBF, 0);
	waiting();
	asynchronous();
	return finish();
}
