/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - tells lfpd which user, groups and program a task has, for rules */
#include "ijblfp/ctl/identity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "lfp/bigend.h"

#define GROUPS_MAX 1024u /* groups of a process that are told */
#define BODY_FIXED 64u   /* bytes of a TASK_WHO, at most, beside the program and the groups */

struct identity {
	unsigned int serial; /* of link->asks_serial: told on this path, for this question */
	unsigned int known;
	uid_t uid;
	dev_t device; /* of the program's file */
	ino_t inode;
	size_t program_len;
	unsigned int nr_groups;
	char program[PATH_MAX];
	uint8_t groups[GROUPS_MAX * 4]; /* big-endian */
};

static void forget(struct task *task)
{
	free(task->told);
	task->told = NULL;
}

static void add_group(struct identity *who, gid_t gid)
{
	if (who->nr_groups < GROUPS_MAX)
		be32_put(who->groups + 4u * who->nr_groups++, gid);
	else
		who->known &= ~LFP_WHO_GROUPS;
}

/* Reads the effective user and, if lfpd asks for them, the effective group and the supplementary
 * groups. Returns false if they cannot be read. */
static bool read_status(const struct task *task, unsigned int asks, struct identity *who)
{
	char text[PEER_STATUS_MAX];
	const char *line = task->status >= 0 ? peer_read_open_ids(task->status, text)
					     : peer_read_ids(task->pid, text);
	unsigned int uid, gid;

	if (!line || sscanf(line, "Uid: %*u %u", &uid) != 1)
		return false;
	who->uid = uid;
	if (!(asks & LFP_WHO_GROUPS))
		return true;
	line = strstr(line, "\nGid:");
	if (!line || sscanf(line + 5, "%*u %u", &gid) != 1)
		return false;
	line = strstr(line, "\nGroups:");
	if (!line)
		return false;
	line += strlen("\nGroups:");
	/* Without the end of the line there may be more of them. */
	who->known |= strchr(line, '\n') ? LFP_WHO_GROUPS : 0;
	add_group(who, gid);
	for (line += strspn(line, "\t "); *line >= '0' && *line <= '9'; line += strspn(line, " ")) {
		char *end;
		unsigned long group = strtoul(line, &end, 10);

		/* The last number may be cut short. */
		if (*end)
			add_group(who, (gid_t)group);
		line = end;
	}
	return true;
}

/* The same from the connection, as it was made. */
static void read_peer(int fd, unsigned int asks, struct identity *who)
{
	gid_t groups[GROUPS_MAX];
	socklen_t len = sizeof(struct ucred);
	struct ucred cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return;
	who->uid = cred.uid;
	if (!(asks & LFP_WHO_GROUPS))
		return;
	add_group(who, cred.gid);
	len = sizeof(groups);
	/* Fails with ERANGE for more groups. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		return;
	who->known |= LFP_WHO_GROUPS;
	for (unsigned int i = 0; i < len / sizeof(groups[0]); i++)
		add_group(who, groups[i]);
}

/* Returns true if the path of the program leads to its file. */
static bool leads_there(struct identity *who)
{
	struct stat there;

	who->program[who->program_len] = '\0';
	return who->program_len && !stat(who->program, &there) && there.st_dev == who->device &&
	       there.st_ino == who->inode;
}

/* Sets the program if its path leads to the executed file. An execve() in between makes the path
 * another file's, or leads to the program that is executed from then on. */
static void read_program(const struct task *task, struct identity *who)
{
	const struct identity *told = task->told;
	struct stat is;
	char exe[64];
	ssize_t n;

	snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)task->pid);
	if (stat(exe, &is))
		return;
	who->device = is.st_dev;
	who->inode = is.st_ino;
	who->known |= LFP_WHO_PROGRAM;
	/* The path that was told before spares readlink(). */
	if (told && told->device == is.st_dev && told->inode == is.st_ino) {
		who->program_len = told->program_len;
		memcpy(who->program, told->program, told->program_len);
		if (leads_there(who))
			return;
	}
	n = readlink(exe, who->program, sizeof(who->program));
	who->program_len = n > 0 && (size_t)n < sizeof(who->program) ? (size_t)n : 0;
	if (leads_there(who))
		return;
	who->known &= ~LFP_WHO_PROGRAM;
	who->program_len = 0;
}

static bool has_group(const struct identity *who, const uint8_t *group)
{
	for (unsigned int i = 0; i < who->nr_groups; i++)
		if (!memcmp(who->groups + 4u * i, group, 4))
			return true;
	return false;
}

/* Returns true if the rights of @who are not beyond those of @maker. */
static bool is_within(const struct identity *who, const struct identity *maker)
{
	if (maker->uid == 0)
		return true;
	if (who->uid != maker->uid)
		return false;
	for (unsigned int i = 0; i < who->nr_groups; i++)
		if (!has_group(maker, who->groups + 4u * i))
			return false;
	return true;
}

/* Returns true if the process of @task has certainly made the connection. Its number alone does not
 * say so: it may have been another process's then. */
static bool is_maker(struct ctl_conn *conn, const struct task *task)
{
	struct ctl_conn *kept = conn->lender ? conn->lender : conn;

	if (kept->proved != task->number && task->pidfd >= 0 && peer_is(conn->fd, task->pidfd))
		kept->proved = task->number;
	return kept->proved == task->number;
}

/* Reads the user and the program of the process of @pidfd, which is the task's. Returns false if
 * the process is gone, or if the kernel cannot say it (before Linux 6.13). */
static bool read_user(const struct task *task, int pidfd, unsigned int asks, struct identity *who)
{
	if (asks & LFP_WHO_PROGRAM)
		read_program(task, who);
	/* It still has its number now. */
	if (!peer_user(pidfd, &who->uid))
		return true;
	who->known = 0;
	who->program_len = 0;
	return false;
}

/* Keeps a descriptor for read_status(): to open it anew takes half as long as to read. There are to
 * be enough descriptors for others. */
static void keep_status(struct task *task)
{
	unsigned int most = task->inst->descriptors->limit / 4;
	int fd;

	if (task->status >= 0)
		return;
	fd = peer_open_ids(task->pid);
	if (fd >= 0 && (unsigned int)fd < most && peer_lives(task->pidfd))
		task->status = fd;
	else if (fd >= 0)
		close(fd);
}

/* Reads all facts that /proc has under the number of the task. @pidfd is to show that it still is
 * that of the same process; before Linux 6.5 there may be none. With @sure it is the task's.
 * Returns false if that process is gone: what is read is another one's. */
static bool read_all(const struct task *task, int pidfd, bool sure, unsigned int asks,
		     struct identity *who)
{
	uid_t before = who->uid;

	if (read_status(task, asks, who) && (asks & LFP_WHO_PROGRAM))
		read_program(task, who);
	if (!(sure || (asks & LFP_WHO_PROGRAM)) || peer_lives(pidfd))
		return true;
	who->known &= ~LFP_WHO_PROGRAM;
	who->program_len = 0;
	if (!sure)
		return true;
	who->uid = before;
	who->known = who->nr_groups = 0;
	return false;
}

/* Fills @who, and only with facts that are certain. /proc has the rights of the process as it is
 * now, so a process that gave up rights after it had made the connection acts without them. It may
 * also have executed a set-user-ID program, while another process, which has inherited the
 * connection, sends the request: rights beyond those of the connection's maker do not count. So the
 * rights of a process that has got the number of one that is gone do no harm, either. */
static void find_out(struct ctl_conn *conn, struct task *task, unsigned int asks,
		     struct identity *who)
{
	static struct identity maker;
	bool spoken = ctl_is_spoken(conn, task->pid);
	bool own = !spoken && task->pid > 0 && is_maker(conn, task);
	bool opens = !spoken && !own && (asks & LFP_WHO_PROGRAM);
	int pidfd = opens ? peer_pidfd(conn->fd) : task->pidfd;
	bool gone = false;

	memset(&maker, 0, offsetof(struct identity, program));
	maker.uid = (uid_t)-1;
	read_peer(conn->fd, asks, &maker);
	if (task->pid > 0 &&
	    ((asks & LFP_WHO_GROUPS) || !own || !read_user(task, pidfd, asks, who))) {
		if (own)
			keep_status(task);
		gone = !read_all(task, pidfd, own || spoken, asks, who);
	}
	if (!is_within(who, &maker)) {
		who->uid = spoken ? task->uid : maker.uid;
		who->known &= ~LFP_WHO_GROUPS;
	}
	if ((asks & LFP_WHO_GROUPS) && !(who->known & LFP_WHO_GROUPS) && !spoken && !gone) {
		who->known |= maker.known & LFP_WHO_GROUPS;
		who->nr_groups = maker.nr_groups;
		memcpy(who->groups, maker.groups, sizeof(who->groups));
	}
	if (opens && pidfd >= 0)
		close(pidfd);
}

/* Makes the facts fit a packet. */
static void fit(const struct link *link, struct identity *who)
{
	size_t room = link->mtu - LFP_PACKET_HEADER - LFP_FRAME_HEADER - BODY_FIXED;

	if (who->program_len > room || who->program_len > 4096) {
		who->program_len = 0;
		who->known &= ~LFP_WHO_PROGRAM;
	}
	room -= who->program_len;
	if (4u * who->nr_groups > room) {
		who->nr_groups = (unsigned int)(room / 4);
		who->known &= ~LFP_WHO_GROUPS;
	}
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->serial == b->serial && a->known == b->known && a->uid == b->uid &&
	       a->program_len == b->program_len && a->nr_groups == b->nr_groups &&
	       !memcmp(a->program, b->program, a->program_len) &&
	       !memcmp(a->groups, b->groups, 4u * a->nr_groups);
}

void identity_tell(struct instance *inst, struct ctl_conn *conn, struct task *task)
{
	static struct identity who;
	struct link *link = inst->link;
	struct lfp_frame frame = {.code = LFP_TASK_WHO};

	if (!link->asks_who || !task || task->state != TASK_ACTIVE)
		return;
	memset(&who, 0, offsetof(struct identity, program));
	/* Of a process that is gone only this is known. */
	who.uid = task->told ? task->told->uid : task->uid;
	find_out(conn, task, link->asks, &who);
	who.serial = link->asks_serial;
	fit(link, &who);
	if (task->told && is_same(task->told, &who))
		return;
	/* Spare sockets belong to the process as it was. */
	credit_renew(task);
	frame.task = task->number;
	frame.task_who.known = (uint16_t)who.known;
	frame.task_who.uid = who.uid;
	frame.task_who.program.ptr = (const uint8_t *)who.program;
	frame.task_who.program.len = (uint16_t)who.program_len;
	frame.task_who.groups.ptr = who.groups;
	frame.task_who.groups.len = 4u * who.nr_groups;
	if (!task->told)
		task->told = malloc(sizeof(who));
	/* Without memory it is told again. */
	if (task->told)
		*task->told = who;
	if (link_send(inst, &frame))
		forget(task);
}
