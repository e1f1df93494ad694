/* SPDX-License-Identifier: Apache-2.0 */
/* test-credit.c - the sockets that wait for near ends which programs make themselves */
#include "crediting.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/sock/vsock.h"
#include "tests/qemu-user.h"

static void spare_sockets_make_room(void **state)
{
	struct host *host = *state;
	struct got got[SPARES], refused;
	struct lfp_credit *page = earn_all(host, got);
	int conn, fd;

	/* One is promised to a fresh socket, which the program has not used yet. */
	page->left--;
	page->live++;
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	refused = host_expect(host, LFP_SOCKET);
	host_answer(host, refused, ENFILE);
	for (unsigned int i = 0; i < SPARES - 1; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	assert_int_equal(left_in(page), 0);
	assert_int_equal(spares(host), 1);
	close(fd);
}

/* Those of other users stay: they would make no room. */
static void a_spent_share_is_its_user_s(void **state)
{
	struct host *host = *state;
	struct got got[SPARES], refused;
	struct lfp_credit *page = earn_all(host, got);
	int conn, fd;

	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	refused = host_expect(host, LFP_SOCKET);
	vsock_find(host->inst->socks, refused.sock)->uid ^= 1;
	host_answer(host, refused, EDQUOT);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENFILE);
	assert_int_equal(left_in(page), SPARES);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	host_answer(host, host_expect(host, LFP_SOCKET), EDQUOT);
	for (unsigned int i = 0; i < SPARES; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	assert_int_equal(left_in(page), 0);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	close(fd);
}

static void a_wrong_page_deceives_its_program_alone(void **state)
{
	static const uint32_t wrong[] = {UINT32_MAX, SPARES + 1, 0x80000000};
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	int conn, fd = -1;

	page->live = UINT32_MAX;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		page->left = wrong[i];
		conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
		host_answer(host, host_expect(host, LFP_SOCKET), ENFILE);
		/* Three spare sockets were closed. */
		if (i == 0)
			host_answer(host, host_expect(host, LFP_SOCKET), 0);
		assert_int_equal(call_wait(host, conn, NULL, i ? NULL : &fd), i ? ENFILE : 0);
		assert_int_equal(left_in(page), 0);
		assert_int_equal(spares(host), 0);
	}
	close(fd);
}

static void lost_credit_comes_back(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	uint64_t id;

	page->left = 0;
	page->live = 1;
	close(new_socket(host, &id));
	assert_int_equal(left_in(page), SPARES - 1);
}

static void credit_ends_with_its_process(void **state)
{
	struct host *host = *state;
	pid_t child = fork();

	host->inst->config.st.near_credit = SPARES;
	if (!child) {
		struct pollfd file = {.events = POLLIN};

		file.fd = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 0, "", 0, -1);
		/* The file is made before it is said to be mapped. */
		(void)poll(&file, 1, -1);
		(void)call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 1, 0, "", 0, -1);
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_until(host, spares(host) == SPARES);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (unsigned int i = 0; i < SPARES; i++)
		host_expect(host, LFP_CLOSE);
	host_until(host, host->inst->socks->by_id.count == 0);
}

static void unused_spare_sockets_are_closed(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);

	page->left--; /* promised */
	for (unsigned int i = 0; i < SPARES - 1; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	assert_int_equal(left_in(page), 0);
	assert_int_equal(spares(host), 1);
}

/* The program has closed the fresh sockets without a call. */
static void promises_end_after_some_time(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	uint32_t series = page->left >> LFP_CREDIT_SERIES;
	int fd, conn;

	__atomic_fetch_sub(&page->left, SPARES, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < SPARES; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	/* Credit that these had does not come back when they are closed. */
	assert_int_equal(page->left, (series + 1) << LFP_CREDIT_SERIES);
	/* One that was only late gets another socket. */
	fd = fresh();
	conn = bind_send(host, fd);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_answer(host, host_expect(host, LFP_BIND), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
}

static void a_refused_spare_socket_is_no_credit(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page = earn(host);

	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, host_expect(host, LFP_SOCKET), EBUSY);
	host_until(host, host->inst->socks->by_id.count == 0);
	assert_int_equal(left_in(page), 0);
}

static void a_lost_path_takes_credit_back(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);

	host_deafen(host);
	path_close(host->path, "the test");
	host->path = NULL;
	host_until(host, left_in(page) == 0);
	assert_int_equal(host->inst->socks->by_id.count, 0);
}

static void another_page_replaces_the_first(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *first = earn_all(host, got), *second = earn(host);

	assert_int_equal(left_in(first), 0);
	assert_int_equal(left_in(second), SPARES);
}

static void without_the_statement_there_is_none(void **state)
{
	struct host *host = *state;

	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 0, -1), EOPNOTSUPP);
	host->inst->config.st.near_credit = SPARES;
	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_UNIX, 0, -1), EAFNOSUPPORT);
}

/* The instance touches a page only if nobody can take it away: a page that is gone may be a SIGBUS.
 */
static void a_page_has_no_holes(void **state)
{
	const int punch = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	struct host *host = *state;
	int fd = credit_file(host);
	struct lfp_credit *page = credit_map(fd);

	/* Nothing was mapped before this, so nothing depends on it. */
	assert_int_equal(fallocate(fd, punch, 0, LFP_CREDIT_SIZE), 0);
	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 1, -1), EINVAL);
	assert_int_equal(host->inst->socks->by_id.count, 0);
	munmap(page, LFP_CREDIT_SIZE);
	close(fd);
	fd = credit_file(host);
	page = credit_map(fd);
	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 1, -1), 0);
	assert_int_equal(fallocate(fd, punch, 0, LFP_CREDIT_SIZE), -1);
	assert_int_equal(madvise(page, LFP_CREDIT_SIZE, MADV_REMOVE), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_until(host, left_in(page) == SPARES);
	/* It was told twice. */
	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 1, -1), EINVAL);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spare_sockets_make_room),
		TEST(a_spent_share_is_its_user_s),
		TEST(a_wrong_page_deceives_its_program_alone),
		TEST(lost_credit_comes_back),
		TEST(credit_ends_with_its_process),
		TEST(unused_spare_sockets_are_closed),
		TEST(promises_end_after_some_time),
		TEST(a_refused_spare_socket_is_no_credit),
		TEST(a_lost_path_takes_credit_back),
		TEST(another_page_replaces_the_first),
		TEST(a_page_has_no_holes),
		TEST(without_the_statement_there_is_none),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE and SO_INCOMING_CPU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
