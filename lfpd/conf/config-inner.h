/* SPDX-License-Identifier: Apache-2.0 */
/* config-inner.h - a configuration file while it is read */
#ifndef LFPD_CONF_CONFIG_INNER_H
#define LFPD_CONF_CONFIG_INNER_H

#include "lfpd/conf/config.h"

#define LINE_MAX_LEN 1000 /* iniparser's own limit is 1022 */

/* The scan's findings about one key. */
struct scanned {
	int line; /* 0: not in the file */
	char value[LINE_MAX_LEN + 1];
};

struct config_reader {
	const char *path;
	struct lfp_reader_errors *errs;
	const struct lfp_field *fields;
	size_t nr;
	struct scanned seen[LFPD_KEYS_MAX];
};

/* Notes an error. @line: 0 if it is about the file as a whole. Returns -EINVAL. */
int config_fail(struct config_reader *rd, int line, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Takes the values out of the file. Returns 0 or a negative errno; -EINVAL: all errors of the
 * syntax are noted. */
int config_scan(struct config_reader *rd);

#endif
