/* SPDX-License-Identifier: Apache-2.0 */
/* boot.c - makes a system of a kernel and an image: mounts, modules, limits */
#include "via/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "via/journal.h"

#define DESCRIPTORS 524288 /* of an lfpd, as lfpd@.service has it */

static const struct {
	const char *type, *place, *options;
	unsigned long flags;
} mounts[] = {
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"devtmpfs", "/dev", "mode=0755", MS_NOSUID | MS_NOEXEC},
	{"tmpfs", "/run", "mode=0755,size=25%", MS_NOSUID | MS_NODEV | MS_NOEXEC},
};

bool via_in_container(void)
{
	return getpid() != 1 || getenv("container") != NULL;
}

bool via_has_users(void)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long first, outside, nr;
	bool found = false;

	while (map && !found && fscanf(map, "%lu %lu %lu", &first, &outside, &nr) == 3)
		found = first <= VIA_FIRST_USER && VIA_NO_USER - first < nr;
	if (map)
		fclose(map);
	return found && geteuid() == 0;
}

int via_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		via_journal_console(fd);
}

static int load_module(const char *line)
{
	char path[256];
	const char *params = strchr(line, ' ');
	size_t len = params ? (size_t)(params - line) : strlen(line);
	int fd, rc = 0;

	snprintf(path, sizeof(path), VIA_MODULES "/%.*s", (int)len, line);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params ? params + 1 : "", 0) && errno != EEXIST)
		rc = -errno;
	close(fd);
	return rc;
}

/* Drivers of what this machine does not have say ENODEV. */
static void load_modules(void)
{
	FILE *order = fopen(VIA_MODULES "/order", "re");
	char line[256];
	int rc;

	while (order && fgets(line, sizeof(line), order)) {
		line[strcspn(line, "\n")] = '\0';
		rc = *line ? load_module(line) : 0;
		if (rc && rc != -ENODEV)
			via_say("VLFD500W", "The kernel does not take the module %s: %s.", line,
				strerror(-rc));
	}
	if (order)
		fclose(order);
	(void)via_write_file("/proc/sys/kernel/modules_disabled", "1");
}

static void make_read_only(const char *place, unsigned long flags)
{
	if (mount(NULL, place, NULL, MS_REMOUNT | MS_RDONLY | flags, NULL))
		via_say("VLFD501E", "%s stays writable: %s.", place, strerror(errno));
}

void via_boot(void)
{
	const struct rlimit files = {DESCRIPTORS, DESCRIPTORS};
	int failed = 0;

	umask(022);
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		if (mount(mounts[i].type, mounts[i].place, mounts[i].type, mounts[i].flags,
			  mounts[i].options) &&
		    errno != EBUSY)
			failed = errno;
	open_console();
	if (failed)
		via_say("VLFD502E", "A file system cannot be mounted: %s.", strerror(failed));
	load_modules();
	make_read_only("/", 0);
	make_read_only("/dev", MS_NOSUID | MS_NOEXEC);
	make_read_only("/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC);
	(void)via_write_file("/proc/sys/kernel/dmesg_restrict", "1");
	(void)via_write_file("/proc/sys/kernel/kptr_restrict", "2");
	(void)via_write_file("/proc/sys/net/unix/max_dgram_qlen", "512");
	/* It is a host, and no router. */
	(void)via_write_file("/proc/sys/net/ipv6/conf/all/accept_ra", "0");
	(void)via_write_file("/proc/sys/net/ipv6/conf/default/accept_ra", "0");
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

void via_power_off(void)
{
	if (via_in_container())
		exit(0);
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
