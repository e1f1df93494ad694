/* SPDX-License-Identifier: Apache-2.0 */
/* crediting.c - fresh sockets, and a credit for them */
#include "crediting.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ijblfp/sock/vsock.h"
#include "lfp/datagram.h"

int marked(int family, int type, const char *nn)
{
	uint64_t mark = lfp_fresh_mark(nn, AF_INET);
	int fd = socket(family, type, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)), 0);
	return fd;
}

int fresh(void)
{
	return marked(AF_UNIX, SOCK_STREAM, "07");
}

bool has_name(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) && lfp_near_path(&addr, len);
}

int credit_file(struct host *host)
{
	int conn, fd;

	host->inst->config.st.near_credit = SPARES;
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	return fd;
}

struct lfp_credit *credit_map(int fd)
{
	void *page = mmap(NULL, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

struct lfp_credit *earn(struct host *host)
{
	int fd = credit_file(host);
	struct lfp_credit *page = credit_map(fd);

	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 1, -1), 0);
	close(fd);
	return page;
}

unsigned int left_in(const struct lfp_credit *page)
{
	return LFP_CREDIT_LEFT(page->left);
}

struct lfp_credit *earn_all(struct host *host, struct got got[SPARES])
{
	struct lfp_credit *page = earn(host);

	for (unsigned int i = 0; i < SPARES; i++)
		got[i] = host_expect(host, LFP_SOCKET);
	assert_int_equal(left_in(page), 0);
	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, got[i], 0);
	host_until(host, left_in(page) == SPARES);
	return page;
}

unsigned int spares(const struct host *host)
{
	return host->inst->socks->by_state[VSOCK_SPARE];
}

int bind_send(struct host *host, int fd)
{
	struct lfp_addr addr = some_addr(0);

	return call_send(host, LFP_CTL_BIND, 0, 0, 0, 0, &addr, sizeof(addr), fd);
}
