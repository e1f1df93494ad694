/* SPDX-License-Identifier: Apache-2.0 */
/* test-fctc.c - two processes that carry messages over an FCTC pair; one of them dies */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/fctc.h"

#define PROGRAM 0x1000u
#define DATA    0x10000u

struct end {
	struct fctc *fctc;
	struct storage *storage;
	struct subch *subch;
	struct scsw scsw;
	uint8_t sense;
	uint8_t attention; /* all unsolicited status so far */
};

static void on_unsolicited(void *ctx, uint8_t unit_status)
{
	struct end *end = ctx;

	end->attention |= unit_status;
}

static void end_init(struct end *end)
{
	memset(end, 0, sizeof(*end));
	end->fctc = fctc_create(0x0e00);
	end->storage = storage_create(0x100000);
	assert_true(end->fctc && end->storage);
	end->fctc->unsolicited = on_unsolicited;
	end->fctc->ctx = end;
	end->subch = subch_create(end->storage, &end->fctc->device);
	assert_non_null(end->subch);
}

static void end_finish(struct end *end)
{
	subch_destroy(end->subch);
	fctc_destroy(end->fctc);
	storage_destroy(end->storage);
}

static void start(struct end *end, uint8_t cmd, uint8_t flags, uint16_t count)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	struct ccw ccw = {.cmd = cmd, .flags = flags, .count = count, .addr = DATA};
	uint8_t bytes[ORB_LEN];

	ccw_encode(&ccw, true, end->storage->bytes + PROGRAM);
	orb_encode(&orb, bytes);
	assert_int_equal(subch_start(end->subch, bytes), 0);
}

static bool done(struct end *end)
{
	uint8_t irb[IRB_LEN];

	if (subch_test(end->subch, irb))
		return false;
	scsw_decode(irb, &end->scsw);
	end->sense = irb[IRB_ECW];
	return true;
}

/* Everything that is under way arrives. */
static void pump(struct end *one, struct end *two)
{
	for (int i = 0; i < 4; i++) {
		fctc_ready(one->fctc);
		subch_continue(one->subch);
		fctc_ready(two->fctc);
		subch_continue(two->subch);
	}
}

static void pair(struct end *keeper, struct end *other)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	fctc_attach(keeper->fctc, fds[0], true);
	fctc_attach(other->fctc, fds[1], false);
}

/* A block from each side to the other; the reader comes first, or the writer. */
static void blocks(void **state)
{
	struct end ends[2];

	(void)state;
	end_init(&ends[0]);
	end_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int from = 0; from < 2; from++) {
		for (int reader_first = 0; reader_first < 2; reader_first++) {
			struct end *writer = &ends[from], *reader = &ends[!from];

			for (uint32_t i = 0; i < 40000; i++)
				writer->storage->bytes[DATA + i] =
					(uint8_t)(i * 7 + (uint32_t)from);
			memset(reader->storage->bytes + DATA, 0, 50000);
			writer->attention = reader->attention = 0;
			if (reader_first)
				start(reader, 0x02, CCW_SLI, 50000);
			else
				start(writer, 0x01, 0, 40000);
			pump(writer, reader);
			assert_false(done(writer) || done(reader));
			/* The one that is not waiting gets attention. */
			assert_int_equal(reader_first ? writer->attention : reader->attention,
					 UNIT_ATTENTION);
			if (reader_first)
				start(writer, 0x01, 0, 40000);
			else
				start(reader, 0x02, CCW_SLI, 50000);
			pump(writer, reader);
			assert_true(done(writer));
			assert_int_equal(writer->scsw.unit_status, UNIT_END);
			assert_int_equal(writer->scsw.sch_status, 0);
			assert_true(done(reader));
			assert_int_equal(reader->scsw.unit_status, UNIT_END);
			assert_int_equal(reader->scsw.count, 10000);
			assert_memory_equal(reader->storage->bytes + DATA,
					    writer->storage->bytes + DATA, 40000);
		}
	}
	/* A short area is the reader's incorrect length. */
	start(&ends[0], 0x02, 0, 100);
	start(&ends[1], 0x01, 0, 200);
	pump(&ends[0], &ends[1]);
	assert_true(done(&ends[0]) && done(&ends[1]));
	assert_int_equal(ends[0].scsw.sch_status, SCH_INCORRECT_LENGTH);
	assert_int_equal(ends[1].scsw.sch_status, 0);
	end_finish(&ends[0]);
	end_finish(&ends[1]);
}

/* Both write at once: the keeper's was first, the other hears busy and attention, and reads. */
static void contention(void **state)
{
	struct end ends[2];

	(void)state;
	end_init(&ends[0]);
	end_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	start(&ends[0], 0x01, 0, 10);
	start(&ends[1], 0x01, 0, 10);
	pump(&ends[0], &ends[1]);
	assert_false(done(&ends[0]));
	assert_true(done(&ends[1]));
	assert_int_equal(ends[1].scsw.unit_status, UNIT_BUSY | UNIT_ATTENTION);
	start(&ends[1], 0x14, 0, 1);
	pump(&ends[0], &ends[1]);
	assert_true(done(&ends[1]));
	assert_int_equal(ends[1].storage->bytes[DATA], 0x01);
	start(&ends[1], 0x02, 0, 10);
	pump(&ends[0], &ends[1]);
	assert_true(done(&ends[0]) && done(&ends[1]));
	assert_int_equal(ends[1].scsw.unit_status, UNIT_END);
	end_finish(&ends[0]);
	end_finish(&ends[1]);
}

static void end_of_file(void **state)
{
	struct end ends[2];

	(void)state;
	end_init(&ends[0]);
	end_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int from = 0; from < 2; from++) {
		start(&ends[from], 0xc3, CCW_SLI, 1);
		pump(&ends[0], &ends[1]);
		assert_true(done(&ends[from]));
		start(&ends[!from], 0x02, CCW_SLI, 100);
		pump(&ends[0], &ends[1]);
		start(&ends[from], 0x81, CCW_SLI, 1);
		pump(&ends[0], &ends[1]);
		assert_true(done(&ends[0]) && done(&ends[1]));
		assert_int_equal(ends[!from].scsw.unit_status, UNIT_END | UNIT_EXCEPTION);
		assert_int_equal(ends[!from].scsw.count, 100);
		assert_int_equal(ends[from].scsw.unit_status, UNIT_END);
	}
	end_finish(&ends[0]);
	end_finish(&ends[1]);
}

/* A Read that is halted does not take the next block. */
static void halted(void **state)
{
	struct end ends[2];

	(void)state;
	end_init(&ends[0]);
	end_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int i = 0; i < 40; i++) {
		struct end *reader = &ends[i & 1], *writer = &ends[!(i & 1)];

		start(reader, 0x02, CCW_SLI, 100);
		if (i & 2)
			pump(reader, writer);
		assert_int_equal(subch_halt(reader->subch), 0);
		assert_true(done(reader));
		assert_int_equal(reader->scsw.fctl, FCTL_START | FCTL_HALT);
		/* Even if both cross, the block is not lost. */
		writer->storage->bytes[DATA] = (uint8_t)i;
		start(writer, 0x01, 0, 10);
		if (!(i & 4))
			pump(reader, writer);
		start(reader, 0x02, CCW_SLI, 100);
		pump(reader, writer);
		assert_true(done(writer));
		assert_int_equal(writer->scsw.unit_status, UNIT_END);
		assert_true(done(reader));
		assert_int_equal(reader->scsw.count, 90);
		assert_int_equal(reader->storage->bytes[DATA], i);
	}
	end_finish(&ends[0]);
	end_finish(&ends[1]);
}

/* The side that does not keep the adapter loses the one that does, and gets another one. */
static void keeper_dies(void **state)
{
	struct end keeper, other;
	uint8_t *state_of;

	(void)state;
	end_init(&other);
	state_of = other.storage->bytes + DATA;
	for (int i = 0; i < 2; i++) {
		end_init(&keeper);
		pair(&keeper, &other);
		start(&other, 0xc3, CCW_SLI, 1);
		pump(&keeper, &other);
		assert_true(done(&other));
		start(&other, 0x04, 0, 2);
		assert_true(done(&other));
		assert_int_equal(state_of[1], 0xc0);
		start(&other, 0xc4, 0, 256);
		assert_true(done(&other));
		assert_int_equal(state_of[31], 0x00);
		assert_int_equal(state_of[30], 0x0e);
		start(&other, 0x02, CCW_SLI, 100);
		pump(&keeper, &other);
		assert_false(done(&other));
		end_finish(&keeper);
		assert_int_equal(fctc_ready(other.fctc), -EPIPE);
		subch_continue(other.subch);
		assert_true(done(&other));
		assert_int_equal(other.scsw.unit_status, UNIT_END | UNIT_CHECK);
		assert_int_equal(other.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
		start(&other, 0x01, CCW_SLI, 100);
		assert_true(done(&other));
		assert_int_equal(other.sense, FCTC_INTERVENTION);
	}
	end_finish(&other);
}

/* A program that starts and halts while the other process does not run: what cannot be sent waits,
 * until it is too much. */
static void other_sleeps(void **state)
{
	struct end keeper, other;
	int halts = 0;

	(void)state;
	end_init(&keeper);
	end_init(&other);
	pair(&keeper, &other);
	while (other.fctc->fd >= 0 && halts < 10000) {
		start(&other, 0x01, 0, 60000);
		if (other.fctc->fd < 0)
			break;
		assert_int_equal(subch_halt(other.subch), 0);
		assert_true(done(&other));
		halts++;
		if (halts == 20)
			assert_int_equal(fctc_events(other.fctc), POLLIN | POLLOUT);
	}
	assert_in_range(halts, 20, 9999);
	/* It was the Write or its halt that was too much. */
	if (!done(&other)) {
		start(&other, 0x01, 0, 60000);
		assert_true(done(&other));
	}
	assert_int_equal(other.sense & FCTC_INTERVENTION, FCTC_INTERVENTION);
	assert_int_equal(fctc_ready(keeper.fctc), -EPIPE);
	end_finish(&keeper);
	end_finish(&other);
}

/* What no FCTC sends ends the connection; nothing else happens. */
static void nonsense(void **state)
{
	static const char *const packets[] = {"x",
					      "F",
					      "F\2\1\1\0\0\0\1",
					      "F\1\11\1\0\0\0\1",
					      "G\1\1\1\0\0\0\1",
					      "F\1\3\1\0\0\0\1",
					      "F\1\4\1\0\0\0\1"};
	struct end end;

	(void)state;
	end_init(&end);
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
		fctc_attach(end.fctc, fds[0], true);
		start(&end, 0x02, CCW_SLI, 100);
		assert_false(done(&end));
		assert_int_equal(send(fds[1], packets[i], i < 2 ? 1 : 8, 0), i < 2 ? 1 : 8);
		assert_int_equal(fctc_ready(end.fctc), -EPIPE);
		subch_continue(end.subch);
		assert_true(done(&end));
		assert_int_equal(end.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
		close(fds[1]);
	}
	/* A second command before the first has ended, too */
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	fctc_attach(end.fctc, fds[0], true);
	assert_int_equal(send(fds[1], "F\1\1\2\0\0\0\1", 8, 0), 8);
	assert_int_equal(fctc_ready(end.fctc), 0);
	assert_int_equal(send(fds[1], "F\1\1\2\0\0\0\2", 8, 0), 8);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	close(fds[1]);
	end_finish(&end);
}

/* Who ends a connection may have left unread what has come for him: the kernel tells that first,
 * and what he has sent before is still there. */
static void what_came_before_the_end(void **state)
{
	struct end end;
	int fds[2];

	(void)state;
	end_init(&end);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	fctc_attach(end.fctc, fds[0], false);
	start(&end, 0x02, CCW_SLI, 100); /* nobody reads it */
	assert_int_equal(send(fds[1], "F\1\3\2\14\0\0\1block", 13, 0), 13);
	close(fds[1]);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	subch_continue(end.subch);
	assert_true(done(&end));
	assert_int_equal(end.scsw.unit_status, UNIT_END);
	assert_int_equal(end.scsw.count, 95);
	assert_memory_equal(end.storage->bytes + DATA, "block", 5);
	start(&end, 0x02, CCW_SLI, 100);
	assert_true(done(&end));
	assert_int_equal(end.sense, FCTC_INTERVENTION);
	end_finish(&end);
}

/* --- Two processes ------------------------------------------------------------------------------
 */

/* Runs one command, waiting for the other process; the unit status. */
static uint8_t run(struct end *end, uint8_t cmd, uint8_t flags, uint16_t count)
{
	start(end, cmd, flags, count);
	while (!done(end)) {
		struct pollfd p = {.fd = end->fctc->fd, .events = fctc_events(end->fctc)};

		if (p.fd >= 0 && poll(&p, 1, 30000) <= 0)
			abort();
		fctc_ready(end->fctc);
		subch_continue(end->subch);
	}
	return end->scsw.unit_status;
}

/* Sends back what comes, until an end of file; then it waits for what never comes. */
static void child(const char *path, int parent)
{
	struct end end;
	char byte;
	int fd;

	end_init(&end);
	fd = fctc_connect(path);
	if (fd < 0)
		_exit(1);
	fctc_attach(end.fctc, fd, false);
	/* A Read that waits would keep the other side from setting its mode. */
	if (read(parent, &byte, 1) != 1)
		_exit(5);
	for (;;) {
		uint8_t status = run(&end, 0x02, CCW_SLI, 65535);

		if (status & UNIT_EXCEPTION)
			break;
		if (status != UNIT_END ||
		    run(&end, 0x01, 0, (uint16_t)(65535 - end.scsw.count)) != UNIT_END)
			_exit(2);
	}
	if (write(parent, "x", 1) != 1)
		_exit(3);
	start(&end, 0xe3, CCW_SLI, 1);
	for (;;) {
		struct pollfd p = {.fd = end.fctc->fd, .events = POLLIN};

		poll(&p, 1, -1);
		if (fctc_ready(end.fctc))
			_exit(4);
		subch_continue(end.subch);
	}
}

static void processes(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct pollfd p = {.events = POLLIN};
	uint32_t x = 1, len;
	int listener, fd, talk[2];
	struct end end;
	char path[80], byte;
	pid_t pid;

	(void)state;
	snprintf(path, sizeof(path), "%.40s/fctc-%d", tmp ? tmp : "/tmp", (int)getpid());
	listener = fctc_listen(path);
	assert_true(listener >= 0);
	assert_int_equal(fctc_accept(listener), -EAGAIN);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, talk), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(talk[0]);
		child(path, talk[1]);
	}
	close(talk[1]); /* whoever is alone hears that */
	p.fd = listener;
	assert_int_equal(poll(&p, 1, 30000), 1);
	fd = fctc_accept(listener);
	assert_true(fd >= 0);
	end_init(&end);
	assert_int_equal(run(&end, 0x03, CCW_SLI, 1), UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION);
	fctc_attach(end.fctc, fd, true);
	assert_int_equal(end.attention, UNIT_DEVICE_END);
	/* This side in extended mode, the other stays in basic mode. */
	assert_int_equal(run(&end, 0xc3, CCW_SLI, 1), UNIT_END);
	assert_int_equal(write(talk[0], "x", 1), 1);
	for (int i = 0; i < 2000; i++) {
		uint8_t *data = end.storage->bytes + DATA, first;

		x = x * 1664525 + 1013904223;
		len = 1 + (x >> 8) % (i % 10 ? 4000 : 65535);
		for (uint32_t j = 0; j < len; j++)
			data[j] = (uint8_t)(x + j * 13);
		first = data[0];
		assert_int_equal(run(&end, 0x01, 0, (uint16_t)len), UNIT_END);
		memset(data, 0, len);
		assert_int_equal(run(&end, 0x02, CCW_SLI, 65535), UNIT_END);
		assert_int_equal(65535 - end.scsw.count, len);
		for (uint32_t j = 0; j < len; j++)
			assert_int_equal(data[j], (uint8_t)(first + j * 13));
	}
	/* When the other side's last Read is there. */
	while (run(&end, 0xe3, CCW_SLI, 1) != UNIT_END)
		assert_true(end.fctc->fd >= 0);
	assert_int_equal(run(&end, 0x81, CCW_SLI, 1), UNIT_END);
	assert_int_equal(read(talk[0], &byte, 1), 1);
	/* It dies while we wait for it. */
	start(&end, 0x02, CCW_SLI, 100);
	fctc_ready(end.fctc);
	subch_continue(end.subch);
	assert_false(done(&end));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	p.fd = end.fctc->fd;
	assert_int_equal(poll(&p, 1, 30000), 1);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	subch_continue(end.subch);
	assert_true(done(&end));
	assert_int_equal(end.scsw.unit_status, UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
	assert_int_equal(run(&end, 0x01, CCW_SLI, 100), UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION);
	/* Sense ID needs nobody. */
	assert_int_equal(run(&end, 0xe4, 0, 7), UNIT_END);
	assert_memory_equal(end.storage->bytes + DATA, "\xff\x30\x88", 3);
	end_finish(&end);
	close(listener);
	close(talk[0]);
	unlink(path);
}

/* The device's listen(): what somebody sees at the path just before. */
static const char *watched;
static bool seen_before;

int listen(int fd, int backlog)
{
	seen_before = watched && access(watched, F_OK) == 0;
	return (int)syscall(SYS_listen, fd, backlog);
}

/* Whoever sees the socket can connect to it. */
static void appears_when_it_listens(void **state)
{
	char dir[] = "/tmp/fctc-XXXXXX", path[64];
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ctc", dir);
	watched = path;
	fd = fctc_listen(path);
	watched = NULL;
	assert_true(fd >= 0);
	assert_false(seen_before);
	close(fd);
	/* What a process has left is replaced, by name and all; nothing else is. */
	fd = fctc_listen(path);
	assert_true(fd >= 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	close(fd);
	assert_int_equal(unlink(path), 0);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(fctc_listen(path), -EADDRINUSE);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0); /* and nothing else is in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),
		cmocka_unit_test(contention),
		cmocka_unit_test(end_of_file),
		cmocka_unit_test(halted),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(processes),
		cmocka_unit_test(keeper_dies),
		cmocka_unit_test(other_sleeps),
		cmocka_unit_test(appears_when_it_listens),
		cmocka_unit_test(what_came_before_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
