/* SPDX-License-Identifier: Apache-2.0 */
/* config-file.h - a configuration file of a test's */
#ifndef TESTS_LFPD_CONFIG_FILE_H
#define TESTS_LFPD_CONFIG_FILE_H

#include <stddef.h>

#include "lfpd/conf/config.h"

extern char config_path[64]; /* of lfpd-LINR02.conf in a directory of its own */

/* For cmocka's group: make the directory; remove it. */
int config_set_up(void **state);
int config_tear_down(void **state);

/* Make @len bytes of @text the file. */
void config_put(const char *text, size_t len);

/* Make @text the file and read it, as lfpd_config_read() does. */
int config_read_text(struct lfpd_config *config, const char *text, struct lfp_reader_error *err);

#endif
