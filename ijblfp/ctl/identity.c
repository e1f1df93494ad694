/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - tells lfpd which user, groups and program a task has, for rules */
#include "ijblfp/ctl/identity.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reads the effective user, the effective group and the supplementary groups. Returns false if they
 * cannot be read. */
static bool read_status(pid_t pid, struct identity *who)
{
	char text[PEER_STATUS_MAX];
	const char *line = peer_read_ids(pid, text);
	unsigned int uid, gid;

	if (!line || sscanf(line, "Uid: %*u %u", &uid) != 1)
		return false;
	who->uid = uid;
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
static void read_peer(int fd, struct identity *who)
{
	gid_t groups[GROUPS_MAX];
	socklen_t len = sizeof(struct ucred);
	struct ucred cred;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return;
	who->uid = cred.uid;
	add_group(who, cred.gid);
	len = sizeof(groups);
	/* Fails with ERANGE for more groups. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		return;
	who->known |= LFP_WHO_GROUPS;
	for (unsigned int i = 0; i < len / sizeof(groups[0]); i++)
		add_group(who, groups[i]);
}

/* Sets the program if its path leads to the executed file. An execve() in between makes the path
 * another file's, or leads to the program that is executed from then on. */
static void read_program(pid_t pid, struct identity *who)
{
	struct stat is, there;
	char exe[64];
	ssize_t n;

	snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)pid);
	n = readlink(exe, who->program, sizeof(who->program));
	if (n <= 0 || (size_t)n >= sizeof(who->program))
		return;
	who->program[n] = '\0';
	if (stat(exe, &is) || stat(who->program, &there) || is.st_dev != there.st_dev ||
	    is.st_ino != there.st_ino)
		return;
	who->known |= LFP_WHO_PROGRAM;
	who->program_len = (size_t)n;
}

static bool lives(int pidfd)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	return pidfd >= 0 && poll(&poll_fd, 1, 0) == 0;
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

/* Fills @who, and only with facts that are certain. /proc has the rights of the process as it is
 * now, so a process that gave up rights after it had made the connection acts without them. It may
 * also have executed a set-user-ID program, while another process, which has inherited the
 * connection, sends the request: rights beyond those of the connection's maker do not count. So the
 * rights of a process that has got the number of one that is gone do no harm, either. */
static void find_out(const struct ctl_conn *conn, const struct task *task, unsigned int asks,
		     struct identity *who)
{
	static struct identity maker;
	/* A supervisor's connection is not that of the process. */
	bool spoken = conn->voice && conn->voice != task->pid;
	/* A process that has got the number of another one can do harm by its program alone, and by
	 * its rights where a supervisor speaks. */
	bool matters = spoken || (asks & LFP_WHO_PROGRAM);
	int pidfd = spoken ? task->pidfd : matters ? peer_pidfd(conn->fd) : -1;

	memset(&maker, 0, offsetof(struct identity, program));
	maker.uid = (uid_t)-1;
	read_peer(conn->fd, &maker);
	if (task->pid > 0 && read_status(task->pid, who)) {
		if (asks & LFP_WHO_PROGRAM)
			read_program(task->pid, who);
		if (matters && !lives(pidfd)) {
			who->known &= ~LFP_WHO_PROGRAM;
			who->program_len = 0;
			if (spoken) {
				who->uid = task->uid;
				who->known = who->nr_groups = 0;
			}
		}
	}
	if (!is_within(who, &maker)) {
		who->uid = spoken ? task->uid : maker.uid;
		who->known &= ~LFP_WHO_GROUPS;
	}
	if (!(who->known & LFP_WHO_GROUPS) && !spoken) {
		who->known |= maker.known & LFP_WHO_GROUPS;
		who->nr_groups = maker.nr_groups;
		memcpy(who->groups, maker.groups, sizeof(who->groups));
	}
	if (!spoken && pidfd >= 0)
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

void identity_tell(struct instance *inst, const struct ctl_conn *conn, struct task *task)
{
	static struct identity who;
	struct link *link = inst->link;
	struct lfp_frame frame = {.code = LFP_TASK_WHO};

	if (!link->asks || !task || task->state != TASK_ACTIVE)
		return;
	memset(&who, 0, offsetof(struct identity, program));
	who.uid = task->uid;
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
