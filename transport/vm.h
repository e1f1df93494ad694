/* SPDX-License-Identifier: Apache-2.0 */
/* vm.h - the emulated CP of z/VM: may one guest connect to another by IUCV? */
#ifndef TRANSPORT_VM_H
#define TRANSPORT_VM_H

#include <stddef.h>
#include <stdint.h>

#include "transport/machine.h"

/*
 * Transports that are not the real AF_IUCV ask here before they connect. The answer comes from the
 * directory, the file ETC/vselfp/vm-directory (vm-directory(5)); without one everything is allowed.
 *
 * The paths of a guest are counted over all processes of the machine: each holds a lock on a file
 * of its own, RUN/vselfp/vm/USERID/N with N from 1 to MAXCONN, so that the kernel gives the place
 * back however the process ends.
 */
struct vm_path {
	int slot[2];       /* descriptors of the places at the two guests, -1: none */
	uint32_t msglimit; /* most that the directory allows */
};

/**
 * vm_connect() - ask for a path from guest @from to guest @to
 * @path:	filled; released with vm_disconnect()
 * @why:	on failure the reason, a half-sentence that names file, entry and statement
 *
 * Return: 0; or as AF_IUCV maps CP's codes: -ENETUNREACH (guest not there), -EACCES (not
 * authorised), -EAGAIN (MAXCONN reached at either side); -EINVAL (the directory is faulty) or what
 * the files gave.
 */
int vm_connect(struct vm_path *path, const char *from, const char *to, char *why, size_t size);
void vm_disconnect(struct vm_path *path);

/**
 * vm_machine() - read the machine that a directory declares
 * @file:	the file, or NULL for the directory
 * @why:	on failure the reason, a half-sentence that names the file
 *
 * Return: 1; 0 if it declares none, or there is no directory; -EINVAL if it is faulty, or what the
 * file gave.
 */
int vm_machine(const char *file, struct machine *machine, char *why, size_t size);

#endif
