/* SPDX-License-Identifier: Apache-2.0 */
/* handover.c - handing suspended state from one lfpd process to the next */
#include "lfpd/restart/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "lfp/daemon.h"
#include "lfpd/saved/saved.h"

/* Closes all descriptors of a state that cannot be used, which resets their connections. */
static void drop(struct suspended *what)
{
	for (size_t i = 0; what->fds && i < what->nr; i++)
		if (what->fds[i] > STDERR_FILENO)
			close(what->fds[i]);
	free(what->fds);
	if (what->memory >= 0)
		close(what->memory);
}

static int keep_open(int fd, bool keep)
{
	return fcntl(fd, F_SETFD, keep ? 0 : FD_CLOEXEC) ? -errno : 0;
}

/* Writes the numbers into a separate memory file, which also outlives exec(). */
static int write_list(const struct suspended *what)
{
	size_t size = what->nr * sizeof(*what->fds);
	int fd = saved_memory_create(), rc = 0;

	if (fd < 0)
		return fd;
	for (size_t done = 0; done < size && !rc;) {
		ssize_t n = write(fd, (const char *)what->fds + done, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			rc = -errno;
	}
	if (!rc)
		rc = saved_memory_seal(fd);
	if (!rc)
		rc = keep_open(fd, true);
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

int handover_by_exec(const struct suspended *what)
{
	char value[32];
	int list = write_list(what), rc;

	if (list < 0)
		return list;
	rc = keep_open(what->memory, true);
	for (size_t i = 0; i < what->nr && !rc; i++)
		rc = keep_open(what->fds[i], true);
	snprintf(value, sizeof(value), "%d %d", what->memory, list);
	if (!rc && setenv(HANDOVER_ENV, value, 1))
		rc = -errno;
	if (rc)
		close(list);
	return rc;
}

static int read_list(int list, struct suspended *what)
{
	const uint8_t *bytes = NULL;
	size_t len = 0;
	int rc = saved_memory_map(list, &bytes, &len);

	if (rc && rc != -ENODATA)
		return rc;
	what->nr = len / sizeof(*what->fds);
	what->fds = calloc(what->nr + 1, sizeof(*what->fds));
	if (what->fds && len)
		memcpy(what->fds, bytes, what->nr * sizeof(*what->fds));
	if (bytes)
		munmap((void *)(uintptr_t)bytes, len);
	if (!what->fds)
		return -ENOMEM;
	/* The standard descriptors are not handed over. */
	for (size_t i = 0; i < what->nr && !rc; i++)
		if (what->fds[i] <= STDERR_FILENO || keep_open(what->fds[i], false))
			rc = -EBADF;
	return rc == -ENODATA ? 0 : rc;
}

static int take_by_exec(char *value, struct suspended *what)
{
	int list, rc;
	char rest;

	if (sscanf(value, "%d %d%c", &what->memory, &list, &rest) != 2 ||
	    what->memory <= STDERR_FILENO || list <= STDERR_FILENO || what->memory == list)
		return -EINVAL;
	if (keep_open(what->memory, false) || keep_open(list, false))
		return -EBADF;
	rc = read_list(list, what);
	close(list);
	if (!rc)
		return 1;
	drop(what);
	return rc;
}

static int store(const char *name, int fd)
{
	char text[128];
	int rc;

	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	rc = sd_pid_notify_with_fds(0, 0, text, &fd, 1);
	if (!rc)
		return -ENOTCONN;
	return rc < 0 ? rc : 0;
}

static int store_packed(const int *fds, size_t nr)
{
	int carrier = carrier_create(fds, nr), rc;

	if (carrier < 0)
		return carrier;
	rc = store(HANDOVER_SOCKETS, carrier);
	close(carrier);
	return rc;
}

int handover_by_store(const struct suspended *what)
{
	int rc = 0;

	for (size_t i = 0; i < what->nr && !rc; i += CARRIER_MAX)
		rc = store_packed(what->fds + i,
				  what->nr - i < CARRIER_MAX ? what->nr - i : CARRIER_MAX);
	/* Last: a stored state means that everything else is stored. */
	return rc ? rc : store(HANDOVER_STATE, what->memory);
}

/* The state first: without it the rest is nothing. */
static void empty_store(void)
{
	(void)sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=" HANDOVER_STATE);
	(void)sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=" HANDOVER_SOCKETS);
}

static void unpack(struct suspended *what)
{
	int *fds = calloc(what->nr * CARRIER_MAX + 1, sizeof(*fds));
	size_t nr = 0;

	for (size_t i = 0; i < what->nr; i++) {
		if (fds)
			nr += carrier_unpack(what->fds[i], fds + nr);
		close(what->fds[i]);
	}
	free(what->fds);
	what->fds = fds;
	what->nr = nr;
	what->packed = false;
}

void handover_claim(struct suspended *what)
{
	empty_store();
	if (what->packed)
		unpack(what);
}

/* Returns true if nobody can still wait for the state: several starts may have failed. */
static bool is_late(int memory)
{
	struct timespec now;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now);
	return fstat(memory, &st) || now.tv_sec - st.st_mtim.tv_sec > LFP_RESTART_MS / 1000;
}

static int judge(const struct suspended *what)
{
	if (!what->fds)
		return -ENOMEM;
	/* Only sockets: the previous process ended before it had stored its state. */
	if (what->memory < 0)
		return what->nr ? -ENODATA : 0;
	return is_late(what->memory) ? -ETIMEDOUT : 1;
}

static int take_from_store(struct suspended *what)
{
	char **names = NULL;
	int nr = sd_listen_fds_with_names(1, &names), rc;

	if (nr <= 0)
		return nr;
	what->packed = true;
	what->fds = calloc((size_t)nr, sizeof(*what->fds));
	for (int i = 0; i < nr; i++) {
		int fd = SD_LISTEN_FDS_START + i;

		if (what->fds && what->memory < 0 && !strcmp(names[i], HANDOVER_STATE))
			what->memory = fd;
		else if (what->fds && !strcmp(names[i], HANDOVER_SOCKETS))
			what->fds[what->nr++] = fd;
		else
			close(fd);
		free(names[i]);
	}
	free(names);
	rc = judge(what);
	if (rc == 1)
		return 1;
	empty_store();
	drop(what);
	return rc;
}

int handover_take(struct suspended *what)
{
	char *value = getenv(HANDOVER_ENV), copy[32];

	*what = (struct suspended){.memory = -1};
	if (!value)
		return take_from_store(what);
	snprintf(copy, sizeof(copy), "%s", value);
	unsetenv(HANDOVER_ENV);
	return take_by_exec(copy, what);
}
