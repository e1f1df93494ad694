/* SPDX-License-Identifier: Apache-2.0 */
/* actor.c - what the calls of a program share: chance, sockets, counts, descriptors in messages */
#include "tests/system/misuse/misuse.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sockaddr_in target;
const char *directory, *ctl_path;
unsigned int number_of_ours;
atomic_int slots[SLOTS];
pthread_rwlock_t in_use = PTHREAD_RWLOCK_INITIALIZER;
bool is_child;
int mailbox;
long (*bare)(long nr, ...);
atomic_ulong nr_calls, nr_good;

uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 16;
}

struct sockaddr_in port_after(unsigned int nr)
{
	struct sockaddr_in addr = target;

	addr.sin_port = htons((in_port_t)(ntohs(target.sin_port) + nr));
	return addr;
}

unsigned int pick(struct actor *actor, unsigned int of)
{
	return (unsigned int)(next_random(&actor->random) % of);
}

/* Some programs have few sockets, so that their threads often use the same one. */
atomic_int *some_slot(struct actor *actor)
{
	return &slots[pick(actor, number_of_ours < MAILBOXES / 2 ? SLOTS : SLOTS / 6)];
}

int some_fd(struct actor *actor)
{
	int fd = -1;

	for (int i = 0; i < 4 && fd < 0; i++)
		fd = atomic_load(some_slot(actor));
	return fd;
}

void close_slot(atomic_int *slot, int with)
{
	int old;

	if (!is_child)
		pthread_rwlock_wrlock(&in_use);
	old = atomic_exchange(slot, with);
	if (old >= 0)
		close(old);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
}

void result(long rc)
{
	atomic_fetch_add(&nr_calls, 1);
	if (rc >= 0)
		atomic_fetch_add(&nr_good, 1);
}

struct sockaddr_un mailbox_addr(unsigned int nr)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/mail-%u", directory, nr);
	return addr;
}

void put_fd(struct msghdr *msg, union control *control, int fd)
{
	memset(control, 0, sizeof(*control));
	control->head.cmsg_level = SOL_SOCKET;
	control->head.cmsg_type = SCM_RIGHTS;
	control->head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control->head), &fd, sizeof(int));
	msg->msg_control = control->buf;
	msg->msg_controllen = sizeof(control->buf);
}

int take_fd(const struct msghdr *msg)
{
	int fd = -1;

	if (msg->msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    ((struct cmsghdr *)msg->msg_control)->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA((struct cmsghdr *)msg->msg_control), sizeof(int));
	return fd;
}
