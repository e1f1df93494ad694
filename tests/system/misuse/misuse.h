/* SPDX-License-Identifier: Apache-2.0 */
/* misuse.h - the parts of misuse.c: a host, a bystander, and the random calls of programs */
#ifndef TESTS_SYSTEM_MISUSE_MISUSE_H
#define TESTS_SYSTEM_MISUSE_MISUSE_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SLOTS = 24, PORTS = 4, MAILBOXES = 4 };

/* A thread of a program. */
struct actor {
	uint64_t random;
	_Atomic int64_t since;     /* of its call; 0: none */
	const char *_Atomic doing; /* the last call that may wait */
};

/* Of this process. main() sets them. */
extern struct sockaddr_in target; /* the host */
extern const char *directory, *ctl_path;
extern unsigned int number_of_ours;

/* Of a program. */
extern atomic_int slots[SLOTS];    /* its descriptors, -1: none */
extern pthread_rwlock_t in_use;    /* a number is closed only while no other thread uses one */
extern bool is_child;              /* a process of one thread */
extern int mailbox;                /* where near ends of other programs arrive */
extern long (*bare)(long nr, ...); /* libc's syscall() */
extern atomic_ulong nr_calls, nr_good;

uint64_t next_random(uint64_t *x);

/* Returns the address of the host, with another port: @nr after its own. */
struct sockaddr_in port_after(unsigned int nr);

unsigned int pick(struct actor *actor, unsigned int of);
atomic_int *some_slot(struct actor *actor);

/* Returns the descriptor in a slot, -1 if some were empty. */
int some_fd(struct actor *actor);

/* Closes the descriptor of the slot, which gets @with. */
void close_slot(atomic_int *slot, int with);

/* Counts a call and its result. */
void result(long rc);

struct sockaddr_un mailbox_addr(unsigned int nr);

union control {
	struct cmsghdr head;
	char buf[CMSG_SPACE(sizeof(int))];
};

/* Adds a descriptor to a message. */
void put_fd(struct msghdr *msg, union control *control, int fd);

/* Returns the descriptor that came with a message, or -1. */
int take_fd(const struct msghdr *msg);

_Noreturn void host(uint64_t seed);

/* Sends bytes to an echo until there is @file. Returns an exit code. */
int bystander(const char *file);

/* A call that has to wait for others does not do so for long. @set: bare, or NULL for
 * setsockopt(). */
void be_quick(long (*set)(long, ...), int fd);

/* Return a new descriptor, or -1. */
int make(struct actor *actor);
int get_mail(void);
int plain_call(struct actor *actor, int fd);
int raw_call(struct actor *actor, int fd);
int request(struct actor *actor, int fd);

#endif
