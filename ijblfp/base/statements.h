/* SPDX-License-Identifier: Apache-2.0 */
/* statements.h - the statements that START reads */
#ifndef IJBLFP_BASE_STATEMENTS_H
#define IJBLFP_BASE_STATEMENTS_H

#include <stddef.h>
#include <stdio.h>

#include "lfp/field.h"
#include "lfp/reader.h"
#include "transport/transport.h"

/*
 * The syntax is that of IBM's sample: one "Keyword = value" a line. Features that the sample does
 * not show are our choice: keywords in either case, blank lines, and comment lines that start with
 * '#' or '*'. A line that starts with slash and asterisk ends the statements, as it ends SYSIPT of
 * a job.
 *
 * Members are named after their keywords; the table in statements.c gives ranges and defaults.
 */
enum statements_network {
	NEAR_NETWORK_PRIVATE,
	NEAR_NETWORK_HOST,
};

struct ijblfp_statements {
	char id[3];
	unsigned int mtu;
	unsigned int iucv_msg_limit;
	unsigned int initial_buffer_space; /* bytes */
	unsigned int max_buffer_space;
	char iucv_src_appname[9];
	char iucv_dest_appname[9];
	char iucv_dest_vmid[9];
	unsigned int window_size;
	unsigned int window_threshold; /* percent */
	struct transport_settings transport;
	unsigned int hold_time;    /* seconds */
	unsigned int near_network; /* enum statements_network */
	unsigned int near_credit;  /* sockets that a process may make ahead of its calls */
};

/**
 * ijblfp_statements_read() - read and check the statements
 * @st:		filled; not to be used after an error
 * @in:		read up to the end of the statements; a pipe or a terminal is fine
 * @name:	what errors call @in
 * @err:	the first error
 *
 * Return: 0; -EINVAL if a statement is wrong, or the negative errno of reading, with @err filled.
 */
int ijblfp_statements_read(struct ijblfp_statements *st, FILE *in, const char *name,
			   struct lfp_reader_error *err);

/* The same, with all wrong lines in @errs. */
int ijblfp_statements_read_all(struct ijblfp_statements *st, FILE *in, const char *name,
			       struct lfp_reader_errors *errs);

/* Report @errs, a message each. */
void ijblfp_statements_report(const struct lfp_reader_errors *errs);

/* Returns the values in force, as statements that ijblfp_statements_read() accepts. */
void ijblfp_statements_print(const struct ijblfp_statements *st, FILE *out);

#endif
