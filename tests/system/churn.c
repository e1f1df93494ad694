/* SPDX-License-Identifier: Apache-2.0 */
/* churn.c - connect, echo, close, many times
 *
 *	churn HOST PORT
 *
 * For each number on standard input so many times; then a line with the number, the process's open
 * descriptors and its resident memory in KiB.
 */
#include <dirent.h>

#include "tests/system/tool.h"

static unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	if (!dir)
		die("/proc/self/fd");
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 3; /* ".", ".." and the directory itself */
}

static unsigned long resident_kib(void)
{
	unsigned long total, resident;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu", &total, &resident) != 2)
		die("/proc/self/statm");
	fclose(file);
	return resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

int main(int argc, char **argv)
{
	unsigned char out[64], in[64];
	struct sockaddr_in addr;
	char line[32];

	if (argc != 3)
		return 64;
	addr = host_addr(argv[1], number(argv[2]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		unsigned long nr;

		line[strcspn(line, "\n")] = '\0';
		nr = number(line);
		for (unsigned long i = 0; i < nr; i++) {
			int fd = tcp_connect(&addr);

			if (fd < 0)
				die("connect");
			pattern(out, sizeof(out), i);
			if (send_all(fd, out, sizeof(out)) < 0)
				die("send");
			if (recv_all(fd, in, sizeof(in)) < 0)
				die("recv");
			if (memcmp(in, out, sizeof(in))) {
				printf("connection %lu: other data\n", i);
				return 1;
			}
			close(fd);
		}
		printf("%lu %u %lu\n", nr, descriptors(), resident_kib());
	}
	return 0;
}
