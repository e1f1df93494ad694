/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - a message of a program, and the supervisor's copy of it */
#ifndef LFP_RUN_MESSAGE_H
#define LFP_RUN_MESSAGE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "lfp-run/trap.h"

/* Longest datagram, and the most that one call takes of a stream. */
#define MESSAGE_DATA    (1u << 20)
#define MESSAGE_CONTROL 4096u

/* A message of the program: its header as it is, and copies of what it points to. */
struct message {
	struct msghdr theirs;
	struct iovec *iov; /* their pieces */
	size_t count;
	size_t len; /* of all pieces, at most MESSAGE_DATA */
	/* ours */
	struct sockaddr_storage addr;
	struct {
		_Alignas(struct cmsghdr) uint8_t buf[MESSAGE_CONTROL];
	} control;
	struct iovec data;
	struct msghdr ours;
};

/* A message whose header is at @at in the program's memory; NULL with *@error set to a negative
 * errno. Its data is not copied yet, there is only the room. */
struct message *message_take(const struct trap *trap, uint64_t at, long *error);

/* The same for sendto() and recvfrom(), which have no header. */
struct message *message_make(const struct trap *trap, long *error);

void message_free(struct message *m);

/* Copies the data of the message and, if it has them, its address and control data. Returns 0 or a
 * negative errno. */
long message_fill(const struct trap *trap, struct message *m);

/**
 * message_strip() - take descriptors and credentials out of control data
 * @buf:	control data
 * @shut:	close the descriptors
 *
 * Return: the bytes that are left.
 */
size_t message_strip(uint8_t *buf, size_t len, bool shut);

/* Copies @len bytes of the data to the program and, with @at, also the header, as recvmsg() does.
 * Returns 0 or -EFAULT. */
long message_give(const struct trap *trap, struct message *m, size_t len, uint64_t at);

#endif
