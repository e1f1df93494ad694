/* SPDX-License-Identifier: Apache-2.0 */
/* inside.c - what is in the appliance: versions, memory, files, processes */
#include "via/inside.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lfp/system.h"
#include "via/boot.h"
#include "via/config.h"
#include "via/instance.h"

#define DEPTH 16

static struct via_client *reader; /* of nftw(), which passes no data */

static void summary_of_memory(struct via_client *client)
{
	char total[LFP_SYSTEM_NAME], available[LFP_SYSTEM_NAME];

	(void)lfp_system_value(total, "/proc/meminfo", "MemTotal");
	(void)lfp_system_value(available, "/proc/meminfo", "MemAvailable");
	via_client_printf(client, "Memory            : %s, %s available", total, available);
}

void inside_summary(struct via_client *client)
{
	char build[LFP_SYSTEM_NAME], uptime[LFP_SYSTEM_NAME];
	struct utsname system;
	size_t nr = 0, running = 0;

	uname(&system);
	(void)lfp_system_line(build, VIA_BUILD);
	(void)lfp_system_line(uptime, "/proc/uptime");
	uptime[strcspn(uptime, " ")] = '\0';
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++) {
		nr += via_instances[i].state != VIA_NONE;
		running += via_instances[i].state == VIA_RUNNING;
	}
	via_client_printf(client, "Image             : %s", build);
	via_client_printf(client, "Kernel            : %s %s %s", system.sysname, system.release,
			  system.machine);
	via_client_printf(client, "Host name         : %s", system.nodename);
	via_client_printf(client, "Uptime            : %s s", uptime);
	summary_of_memory(client);
	via_client_printf(client,
			  "Configuration     : generation %llu, " VIA_SETTINGS_FILE
			  " of generation %llu",
			  (unsigned long long)via_config.generation,
			  (unsigned long long)via_config.settings_generation);
	via_client_printf(client, "Instances         : %zu, of which %zu serve", nr, running);
	via_client_printf(client, "Refused commands  : %lu", via_refused);
}

static int on_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	struct statvfs system;
	char link[128] = "";
	ssize_t n;

	(void)at;
	/* What the kernel makes up is no file of the image. */
	if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5) || !strncmp(path, "/dev/", 5))
		return 0;
	n = S_ISLNK(st->st_mode) ? readlink(path, link, sizeof(link) - 1) : 0;
	link[n > 0 ? n : 0] = '\0';
	via_client_printf(reader, "%s %06o %u:%u %lld %s%s%s",
			  kind == FTW_NS                                         ? "??"
			  : !statvfs(path, &system) && system.f_flag & ST_RDONLY ? "ro"
										 : "rw",
			  st->st_mode, st->st_uid, st->st_gid, (long long)st->st_size, path,
			  *link ? " -> " : "", link);
	return 0;
}

void inside_files(struct via_client *client)
{
	reader = client;
	(void)nftw("/", on_file, DEPTH, FTW_PHYS);
}

void inside_processes(struct via_client *client)
{
	DIR *list = opendir("/proc");
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		char path[300], name[LFP_SYSTEM_NAME], exe[128];
		struct stat st;
		ssize_t n;

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		n = readlink(path, exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		(void)lfp_system_value(name, path, "Name");
		/* A thread of the kernel has no program. */
		if (!stat(path, &st))
			via_client_printf(client, "%s user %u %s %s", entry->d_name, st.st_uid,
					  name, *exe ? exe : "(kernel)");
	}
	if (list)
		closedir(list);
}
