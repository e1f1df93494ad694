/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - an instance's configuration, and the command line of lfpd */
#ifndef LFPD_CONF_CONFIG_H
#define LFPD_CONF_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lfp/field.h"
#include "lfp/reader.h"
#include "transport/settings.h"

/* PRIVILEGED_PORTS: the order of its words in the table. */
enum lfpd_privileged_ports {
	LFPD_PORTS_OF_ANY,
	LFPD_PORTS_OF_ROOT,
};

/* REFUSE_WITH: the order of its words in the table. */
enum lfpd_refuse_with {
	LFPD_REFUSE_ECONNREFUSED,
	LFPD_REFUSE_EACCES,
};

/* LOG_LEVEL: the order of its words in the table. */
enum lfpd_log_level {
	LFPD_LOG_ERROR,
	LFPD_LOG_WARNING,
	LFPD_LOG_INFO,
	LFPD_LOG_DEBUG,
};

#define LFPD_KEYS_MAX 64

/* Members are named after their keys; config-table.c gives ranges and defaults. */
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

	/* ours */
	char vmid[9]; /* z/VM user id of this side; "": see lfp_vmid() */
	struct transport_settings transport;
	struct in6_addr vse_hostid6; /* :: is none */
	bool allow_loopback;
	char host_interface[LFP_FIELD_IF_MAX]; /* "": any */
	char host_netns[LFP_FIELD_PLACE_MAX];  /* lfp/netns.h; "": the one that lfpd starts in */
	char policy_file[LFP_FIELD_FILE_MAX];  /* policy/rules.h; "": no rules */
	char publish[LFP_FIELD_FILE_MAX];      /* lfp/publish.h; "": nothing */
	unsigned int refuse_with;              /* enum lfpd_refuse_with */
	unsigned int privileged_ports;         /* enum lfpd_privileged_ports */
	unsigned int name_lifetime;            /* seconds */
	unsigned int name_lifetime_min;        /* seconds, of what name servers answer */
	bool joined_sockets;
	struct lfp_id user;                            /* absent: ISOLATION_USER */
	struct lfp_id peer_user, peer_group;           /* absent: any */
	struct lfp_id admin_group;                     /* absent: the group of lfpd's process */
	unsigned int max_sockets_user, max_tasks_user; /* 0: three quarters of all */
	unsigned int max_lookups;
	unsigned int close_timeout;               /* seconds */
	unsigned int log_level;                   /* enum lfpd_log_level */
	char connection_log[LFP_FIELD_PLACE_MAX]; /* "journal", "memory" or a path; "": none */
	unsigned int connection_log_rate;         /* records of one user in a second */
	char history[LFP_FIELD_PLACE_MAX];        /* lfp/history.h; "": none */
	unsigned int history_interval;            /* seconds */
	unsigned int history_size;                /* bytes */
	char metrics_listen[LFP_FIELD_PLACE_MAX]; /* lfp/endpoint.h; "": nowhere */
	char trace_file[LFP_FIELD_PLACE_MAX];     /* "": RUN/vselfpd/NAME/trace */
	unsigned int trace_size;                  /* bytes */
};

/**
 * lfpd_config_read() - read and check a configuration file
 * @config:	filled; not to be used after an error
 * @path:	a regular file
 * @name:	the required IUCV_SRC_APPNAME; NULL: NAME of the file name lfpd-NAME.conf; "": not
 * checked
 * @err:	the first syntax error or wrong value by its line, else what the values together
 * lack
 *
 * Not for several threads at once (iniparser has one error callback).
 *
 * Return: 0; -EINVAL if the file is wrong, or the negative errno of reading it, with @err filled.
 */
int lfpd_config_read(struct lfpd_config *config, const char *path, const char *name,
		     struct lfp_reader_error *err);

/* The same, with all syntax errors and wrong values in @errs. */
int lfpd_config_read_all(struct lfpd_config *config, const char *path, const char *name,
			 struct lfp_reader_errors *errs);

/* The values in force, as a configuration file that lfpd_config_read() accepts. */
void lfpd_config_print(const struct lfpd_config *config, FILE *out);

/* WINDOW_SIZE in force: rounded up to a multiple of 4096, as IBM's status shows (65535 is 65536).
 */
unsigned int lfpd_window_bytes(const struct lfpd_config *config);

/* The bytes that WINDOW_THRESHOLD percent of the window are: 25 % of 65536 is 16384. */
unsigned int lfpd_window_threshold_bytes(const struct lfpd_config *config);

/* Returns the NN of the LFP instance that runs in lfpd's process; NULL if there is none. */
const char *lfpd_config_hosted(const struct lfpd_config *config);

/* MAX_SOCKETS_USER and MAX_TASKS_USER in force. */
unsigned int lfpd_sockets_user(const struct lfpd_config *config);
unsigned int lfpd_tasks_user(const struct lfpd_config *config);

/* The table of keys: at most LFPD_KEYS_MAX, IUCV_SRC_APPNAME first. */
const struct lfp_field *lfpd_config_fields(size_t *nr);

struct arguments {
	bool foreground, check, verbose;
	const char *file, *rules;
	char **call; /* with @check: words for would_ask(); NULL: none */
	const char *vmid;
};

/* Texts point into argv. Return: -1 to go on, or an exit code after all output. */
int arguments_parse(struct arguments *args, int argc, char **argv);

#endif
