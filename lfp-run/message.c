/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - a message of a program, and the supervisor's copy of it */
#include "lfp-run/message.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp-run/target.h"
#include "lfp/rights.h"

void message_free(struct message *m)
{
	free(m->iov);
	free(m->data.iov_base);
	free(m);
}

/* Copies their vector and makes room for our data. Returns 0 or a negative errno. */
static long take_pieces(const struct trap *trap, struct message *m)
{
	uint64_t total = 0;
	long rc;

	m->count = m->theirs.msg_iovlen;
	if (m->count > IOV_MAX)
		return -EMSGSIZE;
	m->iov = calloc(m->count + 1, sizeof(struct iovec));
	if (!m->iov)
		return -ENOMEM;
	rc = target_read(trap, m->iov, (uintptr_t)m->theirs.msg_iov,
			 m->count * sizeof(struct iovec));
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < m->count; i++) {
		if (m->iov[i].iov_len > SSIZE_MAX || total > SSIZE_MAX - m->iov[i].iov_len)
			return -EINVAL;
		total += m->iov[i].iov_len;
	}
	m->len = total < MESSAGE_DATA ? (size_t)total : MESSAGE_DATA;
	m->data.iov_base = calloc(1, m->len ? m->len : 1);
	m->data.iov_len = m->len;
	m->ours.msg_iov = &m->data;
	m->ours.msg_iovlen = 1;
	return m->data.iov_base ? 0 : -ENOMEM;
}

struct message *message_take(const struct trap *trap, uint64_t at, long *error)
{
	struct message *m = calloc(1, sizeof(*m));

	*error = -ENOMEM;
	if (!m)
		return NULL;
	*error = target_read(trap, &m->theirs, at, sizeof(m->theirs));
	if (!*error)
		*error = take_pieces(trap, m);
	if (!*error)
		return m;
	message_free(m);
	return NULL;
}

struct message *message_make(const struct trap *trap, long *error)
{
	struct message *m = calloc(1, sizeof(*m));
	size_t len = (size_t)trap->arg[2];

	*error = -ENOMEM;
	if (!m)
		return NULL;
	m->iov = calloc(1, sizeof(struct iovec));
	m->len = len < MESSAGE_DATA ? len : MESSAGE_DATA;
	m->data.iov_base = calloc(1, m->len ? m->len : 1);
	if (!m->iov || !m->data.iov_base) {
		message_free(m);
		return NULL;
	}
	m->iov[0].iov_base = (void *)(uintptr_t)trap->arg[1];
	m->iov[0].iov_len = m->len;
	m->count = 1;
	m->data.iov_len = m->len;
	m->ours.msg_iov = &m->data;
	m->ours.msg_iovlen = 1;
	*error = 0;
	return m;
}

static void close_all(const uint8_t *data, size_t len)
{
	for (; len >= sizeof(int); data += sizeof(int), len -= sizeof(int)) {
		int fd;

		memcpy(&fd, data, sizeof(int));
		close(fd);
	}
}

static bool has_descriptors(const struct cmsghdr *head)
{
	return head->cmsg_type == SCM_RIGHTS || head->cmsg_type == SCM_PIDFD;
}

static bool is_rights(const struct cmsghdr *head)
{
	return head->cmsg_level == SOL_SOCKET &&
	       (has_descriptors(head) || head->cmsg_type == SCM_CREDENTIALS);
}

size_t message_strip(uint8_t *buf, size_t len, bool shut)
{
	size_t from = 0, to = 0;

	while (len - from >= sizeof(struct cmsghdr)) {
		struct cmsghdr head;
		size_t size;

		memcpy(&head, buf + from, sizeof(head));
		if (head.cmsg_len < sizeof(head) || head.cmsg_len > len - from)
			return to;
		size = CMSG_ALIGN(head.cmsg_len);
		if (size > len - from)
			size = len - from;
		if (!is_rights(&head)) {
			memmove(buf + to, buf + from, size);
			to += size;
		} else if (shut && has_descriptors(&head)) {
			close_all(buf + from + CMSG_LEN(0), head.cmsg_len - CMSG_LEN(0));
		}
		from += size;
	}
	return to;
}

static long fill_control(const struct trap *trap, struct message *m)
{
	size_t len = m->theirs.msg_controllen;
	long rc;

	if (!len || !m->theirs.msg_control)
		return 0;
	if (len > MESSAGE_CONTROL)
		return -ENOBUFS;
	rc = target_read(trap, m->control.buf, (uintptr_t)m->theirs.msg_control, len);
	if (rc < 0)
		return rc;
	/* Descriptor numbers are the program's. Internet sockets ignore them, and here they would
	 * name the supervisor's. */
	m->ours.msg_controllen = message_strip(m->control.buf, len, false);
	if (m->ours.msg_controllen)
		m->ours.msg_control = m->control.buf;
	return 0;
}

long message_fill(const struct trap *trap, struct message *m)
{
	long rc = 0;

	if (m->theirs.msg_name && m->theirs.msg_namelen) {
		rc = target_read_addr(trap, &m->addr, (uintptr_t)m->theirs.msg_name,
				      (int)m->theirs.msg_namelen);
		m->ours.msg_name = &m->addr;
		m->ours.msg_namelen = m->theirs.msg_namelen;
	}
	if (!rc)
		rc = fill_control(trap, m);
	if (!rc && m->count)
		rc = target_gather(trap, m->data.iov_base, m->iov, m->count, m->len);
	return rc;
}

/*
 * Gives control data as the kernel's put_cmsg() does (net/core/scm.c): a message that cannot be
 * written is left out, and the next one takes its place. Returns the number of bytes written.
 */
static size_t give_control(const struct trap *trap, const struct message *m)
{
	const uint8_t *buf = m->control.buf;
	size_t len = m->ours.msg_controllen, from = 0, to = 0;

	while (len - from >= sizeof(struct cmsghdr)) {
		struct cmsghdr head;
		size_t size;

		memcpy(&head, buf + from, sizeof(head));
		if (head.cmsg_len < sizeof(head) || head.cmsg_len > len - from)
			break;
		size = CMSG_ALIGN(head.cmsg_len);
		if (size > len - from)
			size = len - from;
		if (!target_write(trap, (uintptr_t)m->theirs.msg_control + to, buf + from,
				  head.cmsg_len))
			to += size;
		from += size;
	}
	return to;
}

/* Everything recvmsg() returned except the payload: address, control data, flags, and their
 * lengths. */
static long give_header(const struct trap *trap, const struct message *m, uint64_t at)
{
	struct msghdr head = m->theirs;
	size_t most;

	if (head.msg_name) {
		most = m->ours.msg_namelen < head.msg_namelen ? m->ours.msg_namelen
							      : head.msg_namelen;
		if (most > sizeof(m->addr))
			most = sizeof(m->addr);
		if (target_write(trap, (uintptr_t)head.msg_name, &m->addr, most) < 0)
			return -EFAULT;
		head.msg_namelen = m->ours.msg_namelen;
	}
	head.msg_controllen = give_control(trap, m);
	head.msg_flags = m->ours.msg_flags & ~MSG_CMSG_CLOEXEC;
	return target_write(trap, at, &head, sizeof(head));
}

long message_give(const struct trap *trap, struct message *m, size_t len, uint64_t at)
{
	if (target_scatter(trap, m->iov, m->count, m->data.iov_base, len < m->len ? len : m->len) <
	    0)
		return -EFAULT;
	return at ? give_header(trap, m, at) : 0;
}
