/* SPDX-License-Identifier: Apache-2.0 */
/* uring-around.c - sockets by io_uring, with system calls that no library can see
 *
 *	uring-around HOST PORT
 *
 * Connects to HOST PORT, and sends datagrams to it: by sockets that the ring makes, and by sockets
 * of the program. Prints each result.
 */
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "libvsesock/core/raw.h"
#include "tests/system/tool.h"

static struct ring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static void *map(size_t len, off_t at)
{
	void *place =
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, at);

	if (place == MAP_FAILED)
		die("mmap");
	return place;
}

/* Returns 0 or a negative errno. */
static int set_up(void)
{
	struct io_uring_params params = {.flags = 0};
	char *sq, *cq;

	ring.fd = (int)raw_call(SYS_io_uring_setup, 4, (long)&params, 0, 0, 0, 0);
	if (ring.fd < 0)
		return ring.fd;
	sq = map(params.sq_off.array + params.sq_entries * sizeof(unsigned int),
		 IORING_OFF_SQ_RING);
	cq = map(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		 IORING_OFF_CQ_RING);
	ring.sqes = map(params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring.sq_tail = (void *)(sq + params.sq_off.tail);
	ring.sq_mask = (void *)(sq + params.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + params.sq_off.array);
	ring.cq_head = (void *)(cq + params.cq_off.head);
	ring.cq_tail = (void *)(cq + params.cq_off.tail);
	ring.cq_mask = (void *)(cq + params.cq_off.ring_mask);
	ring.cqes = (void *)(cq + params.cq_off.cqes);
	return 0;
}

/* Returns the result of one operation. */
static int submit(const struct io_uring_sqe *sqe)
{
	unsigned int at = *ring.sq_tail & *ring.sq_mask, head = *ring.cq_head;
	int result;

	ring.sqes[at] = *sqe;
	ring.sq_array[at] = at;
	__atomic_store_n(ring.sq_tail, *ring.sq_tail + 1, __ATOMIC_RELEASE);
	if (raw_call(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) < 0)
		die("io_uring_enter");
	while (__atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE) == head)
		;
	result = ring.cqes[head & *ring.cq_mask].res;
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return result;
}

static int make(int type)
{
	return submit(&(struct io_uring_sqe){.opcode = 45 /* IORING_OP_SOCKET, Linux 5.19 */,
					     .fd = AF_INET,
					     .off = (unsigned int)type});
}

static int reach(int fd, const struct sockaddr_in *addr)
{
	return submit(&(struct io_uring_sqe){.opcode = IORING_OP_CONNECT,
					     .fd = fd,
					     .addr = (uint64_t)(uintptr_t)addr,
					     .off = sizeof(*addr)});
}

static int tell(int fd, const struct sockaddr_in *addr)
{
	struct iovec iov = {.iov_base = (char[]){"around"}, .iov_len = 6};
	struct msghdr msg = {.msg_name = (void *)(uintptr_t)addr,
			     .msg_namelen = sizeof(*addr),
			     .msg_iov = &iov,
			     .msg_iovlen = 1};

	return submit(&(struct io_uring_sqe){.opcode = IORING_OP_SENDMSG,
					     .fd = fd,
					     .addr = (uint64_t)(uintptr_t)&msg,
					     .len = 1});
}

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result < 0 ? error_name(-result) : "done");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr;
	int stream, datagram, rc;

	if (argc != 3)
		return 64;
	addr = host_addr(argv[1], number(argv[2]));
	rc = set_up();
	say("setup", rc);
	if (rc)
		return 0;
	stream = make(SOCK_STREAM);
	datagram = make(SOCK_DGRAM);
	say("connect", stream < 0 ? stream : reach(stream, &addr));
	say("sendmsg", datagram < 0 ? datagram : tell(datagram, &addr));
	stream = socket(AF_INET, SOCK_STREAM, 0);
	datagram = socket(AF_INET, SOCK_DGRAM, 0);
	if (stream < 0 || datagram < 0)
		die("socket");
	say("connect of its own socket", reach(stream, &addr));
	say("sendmsg of its own socket", tell(datagram, &addr));
	return 0;
}
