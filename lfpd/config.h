/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - the configuration file of an lfpd instance */
#ifndef LFPD_CONFIG_H
#define LFPD_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lfp/field.h"
#include "lfp/reader.h"

/* Members are named after their keys; the table in config.c gives ranges and defaults. */
struct lfpd_config {
	char iucv_src_appname[9]; /* the NAME of the instance */
	char peer_iucv_vmid[9];   /* "" is any */
	char peer_iucv_appname[9];
	unsigned int iucv_msglimit;
	unsigned int mtu_size;
	unsigned int max_sockets;
	unsigned int max_vse_tasks;
	unsigned int initial_io_bufs;
	unsigned int window_size;      /* as given; see lfpd_window_bytes() */
	unsigned int window_threshold; /* percent */
	char vse_codepage[LFP_FIELD_CODEPAGE_MAX];
	bool has_vse_hostid;
	struct in_addr vse_hostid; /* valid with has_vse_hostid */
	bool restrict_to_hostid;
	bool log_info_msg;
};

/**
 * lfpd_config_read() - read and check a configuration file
 * @config:	filled; not to be used after an error
 * @path:	a regular file
 * @name:	what IUCV_SRC_APPNAME must be; NULL: what the file name lfpd-NAME.conf says; "": not
 * checked
 * @err:	the first error of form, else the first wrong value, else what the whole lacks
 *
 * Not for several threads at once (iniparser has one error callback).
 *
 * Return: 0; -EINVAL if the file is wrong, or the negative errno of reading it, with @err filled.
 */
int lfpd_config_read(struct lfpd_config *config, const char *path, const char *name,
		     struct lfp_reader_error *err);

/* The values in force, as a configuration file that lfpd_config_read() accepts. */
void lfpd_config_print(const struct lfpd_config *config, FILE *out);

/* WINDOW_SIZE in force: rounded up to a multiple of 4096, as IBM's status shows (65535 is 65536).
 */
unsigned int lfpd_window_bytes(const struct lfpd_config *config);

/* The bytes that WINDOW_THRESHOLD percent of the window are: 25 % of 65536 is 16384. */
unsigned int lfpd_window_threshold_bytes(const struct lfpd_config *config);

/* The table of keys, for those who show or document it. */
const struct lfp_field *lfpd_config_fields(size_t *nr);

#endif
