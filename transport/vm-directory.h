/* SPDX-License-Identifier: Apache-2.0 */
/* vm-directory.h - the user directory of the pretend z/VM: who may connect to whom by IUCV */
#ifndef TRANSPORT_VM_DIRECTORY_H
#define TRANSPORT_VM_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfp/reader.h"
#include "transport/machine.h"

/*
 * The directory has an entry for each guest:
 *
 *	USER name			begins the entry of that z/VM user id
 *	IUCV ALLOW [MSGLIMIT n]		every guest may connect to this one
 *	IUCV ANY [MSGLIMIT n]		this guest may connect to every other
 *	IUCV name [MSGLIMIT n]		this guest may connect to that one
 *	OPTION MAXCONN n		paths that it may have at once, 64 without
 *
 *	MACHINE, LEVEL, MODE		the machine, of no entry; see transport/machine.h
 *
 * Keywords and names count in either case; a line that begins with an asterisk is a comment. The
 * statements are z/VM's (af_iucv(7)); the file is this project's choice.
 */
struct vm_directory;

#define VM_MSGLIMIT_MAX 65535u /* also the default of a statement */
#define VM_MAXCONN      64u    /* without OPTION MAXCONN */
#define VM_USERS_MAX    4096u  /* entries of one directory */

/**
 * vm_directory_read() - read a directory
 * @in:		the file, @name its name for messages
 * @out:	the directory, to be freed with vm_directory_free()
 * @err:	the first error, if the result is -EINVAL
 *
 * Return: 0; -EINVAL; -ENOMEM; or the error of reading the file.
 */
int vm_directory_read(FILE *in, const char *name, struct vm_directory **out,
		      struct lfp_reader_error *err);
void vm_directory_free(struct vm_directory *dir);

/* The machine that it declares; machine->declared is false if it declares none. */
const struct machine *vm_directory_machine(const struct vm_directory *dir);

/* The directory's rule for a connection. */
struct vm_verdict {
	int error;             /* 0, or the negative errno to which AF_IUCV maps CP's return code:
				* -ENETUNREACH (no such guest), -EACCES (not authorised) */
	uint32_t msglimit;     /* of the path, if it may be made */
	uint32_t from_maxconn; /* paths that each of the two may have */
	uint32_t to_maxconn;
	char why[200]; /* which statement is missing in which entry; a half-sentence */
};

/* Looks up whether @from may connect to @to. */
void vm_directory_ask(const struct vm_directory *dir, const char *from, const char *to,
		      struct vm_verdict *verdict);

#endif
