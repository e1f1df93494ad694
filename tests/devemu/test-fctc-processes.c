/* SPDX-License-Identifier: Apache-2.0 */
/* test-fctc-processes.c - an FCTC pair in two processes, of which one dies, and the socket on which
 * they meet */
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

#include "tests/devemu/fctc-rig.h"

/* Runs one command, waiting for the other process; the unit status. */
static uint8_t run(struct fctc_rig *end, uint8_t cmd, uint8_t flags, uint16_t count)
{
	fctc_rig_start(end, cmd, flags, count);
	while (!fctc_rig_done(end)) {
		struct pollfd p = {.fd = end->fctc->fd, .events = fctc_events(end->fctc)};

		if (p.fd >= 0 && poll(&p, 1, 30000) <= 0)
			abort();
		fctc_ready(end->fctc);
		subch_continue(end->subch);
	}
	return end->scsw.unit_status;
}

/* Echoes blocks until an end of file; then waits for a block that never arrives. */
static void child(const char *path, int parent)
{
	struct fctc_rig end;
	char byte;
	int fd;

	fctc_rig_init(&end);
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
	fctc_rig_start(&end, 0xe3, CCW_SLI, 1);
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
	struct fctc_rig end;
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
	close(talk[1]); /* the remaining process sees the end of file */
	p.fd = listener;
	assert_int_equal(poll(&p, 1, 30000), 1);
	fd = fctc_accept(listener);
	assert_true(fd >= 0);
	fctc_rig_init(&end);
	assert_int_equal(run(&end, 0x03, CCW_SLI, 1), UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION);
	fctc_attach(end.fctc, fd, true);
	assert_int_equal(end.attention, UNIT_DEVICE_END);
	/* This side in extended mode, the other stays in basic mode. */
	assert_int_equal(run(&end, 0xc3, CCW_SLI, 1), UNIT_END);
	assert_int_equal(write(talk[0], "x", 1), 1);
	for (int i = 0; i < 2000; i++) {
		uint8_t *data = end.storage->bytes + FCTC_RIG_DATA, first;

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
	fctc_rig_start(&end, 0x02, CCW_SLI, 100);
	fctc_ready(end.fctc);
	subch_continue(end.subch);
	assert_false(fctc_rig_done(&end));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	p.fd = end.fctc->fd;
	assert_int_equal(poll(&p, 1, 30000), 1);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	subch_continue(end.subch);
	assert_true(fctc_rig_done(&end));
	assert_int_equal(end.scsw.unit_status, UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
	assert_int_equal(run(&end, 0x01, CCW_SLI, 100), UNIT_END | UNIT_CHECK);
	assert_int_equal(end.sense, FCTC_INTERVENTION);
	/* Sense ID needs no other side. */
	assert_int_equal(run(&end, 0xe4, 0, 7), UNIT_END);
	assert_memory_equal(end.storage->bytes + FCTC_RIG_DATA, "\xff\x30\x88", 3);
	fctc_rig_finish(&end);
	close(listener);
	close(talk[0]);
	unlink(path);
}

/* The device's listen(): the path as other processes see it just before. */
static const char *watched;
static bool seen_before;

int listen(int fd, int backlog)
{
	seen_before = watched && access(watched, F_OK) == 0;
	return (int)syscall(SYS_listen, fd, backlog);
}

/* A process that sees the socket can connect to it. */
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
	/* Only files left by an ended process are replaced, with their names. */
	watched = path;
	fd = fctc_listen(path);
	watched = NULL;
	assert_true(fd >= 0);
	assert_false(seen_before);
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
		cmocka_unit_test(processes),
		cmocka_unit_test(appears_when_it_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
