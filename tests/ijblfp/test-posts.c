/* SPDX-License-Identifier: Apache-2.0 */
/* test-posts.c - options that programs post in their pages: when lfpd gets them, and which */
#include "crediting.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/early.h"
#include "tests/qemu-user.h"

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len), 0);
	return cookie;
}

/* Cookies do not serve where they are not unique. */
static void skip_without_cookies(const struct host *host)
{
	if (!host->inst->near->unique_cookies)
		skip();
}

static struct lfp_credit *page_for_posts(struct host *host)
{
	int conn, fd;
	struct lfp_credit *page;

	host->inst->config.st.near_credit = SPARES;
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 1, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	page = credit_map(fd);
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 1, 1, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
	assert_int_equal(page->takes_posts, host->inst->near->unique_cookies);
	return page;
}

/* The next frame that lfpd gets is the option, and then @code comes. */
static void expect_option_before(struct host *host, uint8_t code, int option, uint32_t number)
{
	struct got got;

	host_until(host, host->nr_got > host->seen);
	assert_int_equal(host->got[host->seen].code, LFP_SETSOCKOPT);
	got = host_expect(host, LFP_SETSOCKOPT);
	assert_int_equal(got.level, lfp_early_at(option)->level);
	assert_int_equal(got.name, lfp_early_at(option)->name);
	assert_int_equal(got.number, number);
	host_answer(host, got, 0);
	host_until(host, host->nr_got > host->seen);
	assert_int_equal(host->got[host->seen].code, code);
}

static void expect_nothing_before(struct host *host, uint8_t code)
{
	host_until(host, host->nr_got > host->seen);
	assert_int_equal(host->got[host->seen].code, code);
	host_expect(host, code);
}

static void before_data(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	uint64_t id;
	int fd;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	page = page_for_posts(host);
	assert_int_equal(spares(host), 0);
	page->posts[LFP_POSTS - 1] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	assert_int_equal(write(fd, "x", 1), 1);
	expect_option_before(host, LFP_DATA, LFP_EARLY_NODELAY, 1);
	host_expect(host, LFP_DATA);
	assert_true(page->posts[LFP_POSTS - 1] == 0);
	/* Whatever lfpd has: the program has asked for this value. */
	page->posts[0] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	assert_int_equal(write(fd, "y", 1), 1);
	expect_option_before(host, LFP_DATA, LFP_EARLY_NODELAY, 1);
	host_expect(host, LFP_DATA);
	close(fd);
}

static bool no_request;    /* there is no memory for one */
static unsigned int lacks; /* for so many of the next ones */
static const struct lfp_credit *posted;
static uint64_t post_meanwhile; /* in the page while the instance notices */

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if ((!no_request && !lacks) || size != sizeof(struct request))
		return __real_calloc(nr, size);
	lacks -= lacks > 0;
	post_meanwhile = posted->posts[1];
	return NULL;
}

/* Without memory a post stays in the page until the next time. It never leaves the page meanwhile:
 * a program that finds none of this option may put a later one into another word. */
static void without_memory(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	uint64_t id, post;
	int fd;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	page = page_for_posts(host);
	assert_int_equal(spares(host), 0);
	post = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	page->posts[1] = post;
	posted = page;
	no_request = true;
	assert_int_equal(write(fd, "x", 1), 1);
	expect_nothing_before(host, LFP_DATA);
	no_request = false;
	assert_true(post_meanwhile == post);
	assert_true(page->posts[1] == post);
	assert_int_equal(write(fd, "y", 1), 1);
	expect_option_before(host, LFP_DATA, LFP_EARLY_NODELAY, 1);
	host_expect(host, LFP_DATA);
	assert_true(page->posts[1] == 0);
	close(fd);
}

static int set_nodelay(struct host *host, int fd, int on)
{
	return call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 0, &on, sizeof(on),
			 fd);
}

/* A call about options never overtakes a post that waits: else the post would undo it. A post about
 * another socket holds up nothing. */
static void order_without_memory(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	struct got got;
	uint64_t id;
	int fd, other, conn;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	other = connected_socket(host, &id);
	page = page_for_posts(host);
	assert_int_equal(spares(host), 0);
	page->posts[1] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	posted = page;
	lacks = 1;
	assert_int_equal(call_wait(host, set_nodelay(host, fd, 0), NULL, NULL), ENOMEM);
	assert_int_equal(lacks, 0);
	assert_true(page->posts[1] != 0);

	/* SO_ERROR is about the connection. */
	lacks = 1;
	conn = call_send(host, LFP_CTL_GETSOCKOPT, 0, SOL_SOCKET, SO_ERROR, sizeof(int), "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_true(page->posts[1] != 0);

	lacks = 1;
	conn = set_nodelay(host, other, 1);
	got = host_expect(host, LFP_SETSOCKOPT);
	assert_true(got.sock == id);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(lacks, 0);
	assert_true(page->posts[1] != 0);

	conn = set_nodelay(host, fd, 0);
	expect_option_before(host, LFP_SETSOCKOPT, LFP_EARLY_NODELAY, 1);
	got = host_expect(host, LFP_SETSOCKOPT);
	assert_int_equal(got.number, 0);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
	close(other);
}

/* The page stays until its posts are sent. */
static void earlier_page_without_memory(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	uint64_t id;
	int fd, conn;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	page = page_for_posts(host);
	page->posts[1] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	posted = page;
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 1, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	lacks = 1;
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 1, 1, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOMEM);
	assert_int_equal(lacks, 0);
	page_for_posts(host);
	assert_int_equal(write(fd, "x", 1), 1);
	expect_option_before(host, LFP_DATA, LFP_EARLY_NODELAY, 1);
	close(fd);
}

/* Another process may ask for the option, with the same near end. */
static void before_a_call(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	struct got got;
	uint64_t id;
	int fd, conn;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	page = page_for_posts(host);
	page->posts[3] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	conn = call_send(host, LFP_CTL_GETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 4, "", 0, fd);
	expect_option_before(host, LFP_GETSOCKOPT, LFP_EARLY_NODELAY, 1);
	got = host_expect(host, LFP_GETSOCKOPT);
	host_answer(host, got, ENOPROTOOPT);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOPROTOOPT);
	close(fd);
}

/* The page goes with its process, and posts that are in it do not. */
static void in_an_earlier_page(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	uint64_t id;
	int fd;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	page = page_for_posts(host);
	page->posts[0] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	page_for_posts(host);
	assert_int_equal(write(fd, "x", 1), 1);
	expect_option_before(host, LFP_DATA, LFP_EARLY_NODELAY, 1);
	close(fd);
}

/* The connection fails before the instance has read the post: the option is the socket's, for the
 * next attempt. */
static void of_a_failed_attempt(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	struct lfp_addr peer = some_addr(80);
	uint64_t id;
	int fd, conn;

	skip_without_cookies(host);
	fd = new_socket(host, &id);
	page = page_for_posts(host);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	page->posts[0] = lfp_post_make(cookie_of(fd), LFP_EARLY_NODELAY, true);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = ECONNREFUSED});
	host_until(host, poll_now(fd) & POLLOUT);
	conn = call_send(host, LFP_CTL_GETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 4, "", 0, fd);
	expect_option_before(host, LFP_GETSOCKOPT, LFP_EARLY_NODELAY, 1);
	host_answer(host, host_expect(host, LFP_GETSOCKOPT), ENOPROTOOPT);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOPROTOOPT);
	close(fd);
}

/* A program may write anything. Only options of its own connections come out. */
static void wrong_posts(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page;
	struct vsock *vs;
	uint64_t id, other_id, new_id, cookie;
	int fd, other, fresh_one;

	skip_without_cookies(host);
	fd = connected_socket(host, &id);
	other = connected_socket(host, &other_id);
	fresh_one = new_socket(host, &new_id);
	page = page_for_posts(host);
	/* Another task's. */
	vs = vsock_find(host->inst->socks, other_id);
	vs->task++;
	cookie = cookie_of(fd);
	memset(page->posts, 0xff, sizeof(page->posts));
	page->posts[0] = lfp_post_make(cookie_of(other), LFP_EARLY_NODELAY, true);
	page->posts[1] = lfp_post_make(cookie_of(fresh_one), LFP_EARLY_NODELAY, true);
	page->posts[2] = lfp_post_make(cookie, LFP_EARLY_FLAGS, true);
	page->posts[3] = lfp_post_make(cookie, 0x7f, true);
	page->posts[4] = lfp_post_make(cookie + 1000000, LFP_EARLY_NODELAY, true);
	page->posts[5] = lfp_post_make(cookie, LFP_EARLY_KEEPALIVE, true);
	assert_int_equal(write(fd, "x", 1), 1);
	expect_nothing_before(host, LFP_DATA);
	for (unsigned int i = 0; i < LFP_POSTS; i++)
		assert_true(page->posts[i] == 0);
	vs->task--;
	close(fd);
	close(other);
	close(fresh_one);
}

/* Connects, and returns the error; @cookie is that of the answer, or 0. */
static int connect_for(struct host *host, int fd, unsigned int flags, int status, uint64_t *cookie)
{
	struct lfp_addr peer = some_addr(80);
	struct lfp_ctl_reply reply;
	int conn, error;

	conn = call_send(host, LFP_CTL_CONNECT, flags, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), (uint16_t)status);
	error = call_wait(host, conn, &reply, NULL);
	*cookie = 0;
	if (reply.len)
		memcpy(cookie, reply.data, sizeof(*cookie));
	assert_true(!reply.len || reply.len == sizeof(*cookie));
	return error;
}

/* CONNECT's answer says whether the process may post: it has a page, and the connection is made or
 * under way. */
static void connect_tells(void **state)
{
	struct host *host = *state;
	uint64_t ids[4], cookie;
	int fds[4];

	skip_without_cookies(host);
	for (int i = 0; i < 4; i++)
		fds[i] = new_socket(host, &ids[i]);
	assert_int_equal(connect_for(host, fds[0], LFP_CTL_BLOCKING, 0, &cookie), 0);
	assert_true(cookie == 0);
	page_for_posts(host);
	assert_int_equal(connect_for(host, fds[1], LFP_CTL_BLOCKING, 0, &cookie), 0);
	assert_true(cookie == cookie_of(fds[1]));
	assert_int_equal(connect_for(host, fds[2], 0, EINPROGRESS, &cookie), EINPROGRESS);
	assert_true(cookie == cookie_of(fds[2]));
	assert_int_equal(connect_for(host, fds[3], LFP_CTL_BLOCKING, ECONNREFUSED, &cookie),
			 ECONNREFUSED);
	assert_true(cookie == 0);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

/* An accept record says whose posts count. */
static void record_tells(void **state)
{
	struct host *host = *state;
	struct lfp_accept_record record;
	struct lfp_frame frame = {.code = LFP_ACCEPTED};
	uint64_t id;
	int listener;

	skip_without_cookies(host);
	listener = listening_socket(host, &id, 5);
	host_expect(host, LFP_ACCEPT);
	frame.sock = id;
	for (int i = 0; i < 2; i++) {
		if (i)
			page_for_posts(host);
		frame.accepted.id = LFP_ID_LFPD | (unsigned int)(i + 1);
		frame.accepted.peer = frame.accepted.local = some_addr(80);
		host_send(host, frame);
		host_until(host, poll_now(listener) & POLLIN);
		assert_int_equal(recv(listener, &record, sizeof(record), 0), sizeof(record));
		assert_int_equal(record.owner, i ? getpid() : 0);
	}
	close(listener);
}

/* Before Linux 5.4 two sockets can have the same cookie. */
static void cookies_of_two(void **state)
{
	struct host *host = *state;
	bool unique = host->inst->near->unique_cookies;

	host->inst->near->unique_cookies = false;
	assert_int_equal(page_for_posts(host)->takes_posts, 0);
	host->inst->near->unique_cookies = unique;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(before_data),          TEST(before_a_call),
		TEST(in_an_earlier_page),   TEST(of_a_failed_attempt),
		TEST(wrong_posts),          TEST(connect_tells),
		TEST(record_tells),         TEST(without_memory),
		TEST(order_without_memory), TEST(earlier_page_without_memory),
		TEST(cookies_of_two),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE and memory files that can be sealed");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
