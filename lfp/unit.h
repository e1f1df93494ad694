/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h - services of systemd: their names, their state, and why they are not running */
#ifndef LFP_UNIT_H
#define LFP_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#define LFP_UNIT_MAX 64

/* Returns true if systemd manages the instances: only where it is process 1, and only in the
 * system's own tree (LFP_ROOT is not set, or is "/"). */
bool lfp_unit_manages(void);

/* Writes "KIND@NAME.service". Characters of NAME that systemd does not allow there are escaped. */
void lfp_unit_name(char buf[static LFP_UNIT_MAX], const char *kind, const char *name);

/* Runs systemctl VERB UNIT, and waits for the job. Returns systemctl's wait status, or a negative
 * errno if it cannot be run. */
int lfp_unit_do(const char *verb, const char *unit);

enum lfp_unit_state {
	LFP_UNIT_STOPPED,
	LFP_UNIT_STARTING,
	LFP_UNIT_RUNNING,
	LFP_UNIT_AGAIN,  /* it has failed, and systemd is about to start it again */
	LFP_UNIT_FAILED, /* and systemd does not start it again */
};

struct lfp_unit {
	enum lfp_unit_state state;
	bool exists;     /* systemd has its file */
	char result[32]; /* systemd's word, such as "success", "exit-code", "watchdog" */
	int code;        /* exit code or signal of the last process */
	bool by_signal;
	char said[1024]; /* "ID text", the error with which the program ended; "" if it left none */
};

/* Asks systemd for the state of a unit. While a further start is under way, waits for its result,
 * at most some seconds. Returns 0 or a negative errno. */
int lfp_unit_look(struct lfp_unit *unit, const char *name);

/* Fills @unit from the lines of systemctl show. */
void lfp_unit_parse(struct lfp_unit *unit, const char *text);

/* Writes why the last process of @program ended, a clause without a full stop. */
void lfp_unit_reason(const struct lfp_unit *unit, const char *program, char *buf, size_t size);

#endif
