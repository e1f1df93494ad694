/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-config.c - any bytes as lfpd's configuration file; whatever the parser accepts must survive
 * a print and re-read
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfpd/conf/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fd = -1;
static char path[64];

/* iniparser reads files only. */
static int read_bytes(struct lfpd_config *config, const void *data, size_t size,
		      struct lfp_reader_error *err)
{
	if (fd < 0) {
		fd = memfd_create("config", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return lfpd_config_read(config, path, "", err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lfpd_config first, second;
	struct lfp_reader_error err;
	char *printed = NULL;
	size_t len;
	FILE *out;

	if (read_bytes(&first, data, size, &err) < 0) {
		if (!err.text[0] || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	out = open_memstream(&printed, &len);
	if (!out)
		abort();
	lfpd_config_print(&first, out);
	fclose(out);
	if (read_bytes(&second, printed, len, &err) < 0 || memcmp(&first, &second, sizeof(first)))
		abort();
	free(printed);
	return 0;
}
