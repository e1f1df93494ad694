/* SPDX-License-Identifier: Apache-2.0 */
/* pidfile.c - the pid file of a daemon, and the lock on it that says whether the daemon lives */
#include "lfp/pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/number.h"

static struct flock whole_file(void)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* Returns true if the open file still has that name. */
static bool is_same_file(int fd, const char *path)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && stat(path, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

int lfp_pidfile_create(struct lfp_pidfile *pf, const char *path)
{
	struct flock lock = whole_file();
	int rc;

	pf->fd = -1;
	if (strlen(path) >= sizeof(pf->path))
		return -ENAMETOOLONG;
	strcpy(pf->path, path);

	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0644);

		if (fd < 0)
			return -errno;
		if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
			rc = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
			close(fd);
			return rc;
		}
		if (is_same_file(fd, path)) {
			pf->fd = fd;
			break;
		}
		/* An ending daemon removed the file between our open and our lock. */
		close(fd);
	}
	/* Every user may read it, whatever the umask of the daemon. */
	if (ftruncate(pf->fd, 0) < 0 || fchmod(pf->fd, 0644) < 0) {
		rc = -errno;
		lfp_pidfile_remove(pf);
		return rc;
	}
	return 0;
}

int lfp_pidfile_adopt(struct lfp_pidfile *pf, const char *path, int fd)
{
	struct flock lock = whole_file();
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	int rc = 0;

	pf->fd = -1;
	if (strlen(path) >= sizeof(pf->path))
		rc = -ENAMETOOLONG;
	else if (!is_same_file(fd, path))
		rc = -ESTALE;
	/* No other process holds it: take the same lock once more. */
	else if (fcntl(fd, F_OFD_SETLK, &lock) || fcntl(fd, F_SETFD, FD_CLOEXEC) ||
		 pwrite(fd, text, (size_t)len, 0) != len)
		rc = errno ? -errno : -EIO;
	if (rc) {
		if (fd > STDERR_FILENO)
			close(fd);
		return rc;
	}
	strcpy(pf->path, path);
	pf->fd = fd;
	return 0;
}

int lfp_pidfile_keep(struct lfp_pidfile *pf)
{
	if (pf->fd < 0)
		return -EBADF;
	return fcntl(pf->fd, F_SETFD, 0) ? -errno : pf->fd;
}

int lfp_pidfile_write(struct lfp_pidfile *pf)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	ssize_t rc;

	if (pf->fd < 0)
		return -EBADF;
	if (ftruncate(pf->fd, 0) < 0)
		return -errno;
	rc = pwrite(pf->fd, text, (size_t)len, 0);
	if (rc < 0)
		return -errno;
	return rc == len ? 0 : -ENOSPC;
}

void lfp_pidfile_remove(struct lfp_pidfile *pf)
{
	if (pf->fd < 0)
		return;
	if (is_same_file(pf->fd, pf->path))
		unlink(pf->path);
	lfp_pidfile_close(pf);
}

void lfp_pidfile_close(struct lfp_pidfile *pf)
{
	if (pf->fd >= 0)
		close(pf->fd);
	pf->fd = -1;
}

static pid_t read_pid(int fd)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	unsigned long value;

	if (len < 2 || text[len - 1] != '\n')
		return 0;
	text[len - 1] = '\0';
	return lfp_number(text, 1, INT_MAX, &value) ? 0 : (pid_t)value;
}

/*
 * Root signals the process named in the file. The file's owner, a daemon without root's rights, can
 * write any number there. So root accepts only processes of the file's owner.
 */
static bool is_foreign(int fd, pid_t pid)
{
	char path[64], line[128];
	unsigned int uid;
	bool foreign = false;
	struct stat st;
	FILE *status;

	if (geteuid() || fstat(fd, &st) || !st.st_uid)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Uid: %u", &uid) == 1)
			foreign = uid != st.st_uid;
	if (status)
		fclose(status);
	return foreign;
}

int lfp_pidfile_query(const char *path, pid_t *pid)
{
	struct flock lock = whole_file();
	int fd, rc;

	*pid = 0;
	/* F_OFD_GETLK needs only read access here, and the file may belong to another user. */
	lock.l_type = F_RDLCK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LFP_PIDFILE_NONE : -errno;
	if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
		rc = -errno;
	else
		rc = lock.l_type == F_UNLCK ? LFP_PIDFILE_DEAD : LFP_PIDFILE_HELD;
	*pid = read_pid(fd);
	if (*pid && is_foreign(fd, *pid))
		*pid = 0;
	close(fd);
	return rc;
}
