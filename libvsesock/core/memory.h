/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - may memory of the program be read or written? As the kernel: EFAULT, no SIGSEGV */
#ifndef VSESOCK_MEMORY_H
#define VSESOCK_MEMORY_H

#include <stddef.h>

/*
 * For what a system call would read or write, at most two pages of it: the first and the last byte
 * are tried. 0 or -EFAULT. One or two system calls that every seccomp filter lets through.
 */
int memory_check_read(const void *at, size_t len);

/* What is tried is overwritten, so the caller must be about to do that. Less than 8 bytes are not
 * tried. */
int memory_check_write(void *at, size_t len);

/* As memory_check_read(), for what may be longer: a byte of each page is tried. */
int memory_check_pages(const void *at, size_t len);

/* For results of the z/VSE interfaces, of any length: may they be written? A byte of each page is
 * tried, and stays what it is. By futex(), which the filters of some programs do not let through:
 * not for the shim. */
int memory_check_result(const void *at, size_t len);

/* Two results of four bytes, which the caller is about to write: they are overwritten. One system
 * call, and a cheap one. */
int memory_check_words(void *one, void *other);

#endif
