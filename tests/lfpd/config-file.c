/* SPDX-License-Identifier: Apache-2.0 */
/* config-file.c - a configuration file of a test's */
#include "tests/lfpd/config-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/test-config-XXXXXX";
char config_path[64];

int config_set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(config_path, sizeof(config_path), "%s/lfpd-LINR02.conf", dir);
	return 0;
}

int config_tear_down(void **state)
{
	(void)state;
	unlink(config_path);
	return rmdir(dir);
}

void config_put(const char *text, size_t len)
{
	FILE *f = fopen(config_path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

int config_read_text(struct lfpd_config *config, const char *text, struct lfp_reader_error *err)
{
	config_put(text, strlen(text));
	return lfpd_config_read(config, config_path, NULL, err);
}
