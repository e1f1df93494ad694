/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - tests access to the program's memory, as the kernel does: EFAULT, no SIGSEGV */
#ifndef VSESOCK_MEMORY_H
#define VSESOCK_MEMORY_H

#include <stddef.h>

/*
 * For memory that a system call would read or write, at most two pages: tries the first and the
 * last byte. Returns 0 or -EFAULT. One system call a page, which every seccomp filter lets through;
 * none for the callers' frames on the stack of the first thread.
 */
int memory_check_read(const void *at, size_t len);

/* Overwrites the bytes that it tries, so the caller must be about to do that. Less than 8 bytes are
 * not tried. */
int memory_check_write(void *at, size_t len);

/* As memory_check_read(), for memory of any length: tries a byte of each page. */
int memory_check_pages(const void *at, size_t len);

/* For results of the z/VSE interfaces, of any length: tests whether they are writable. Tries a byte
 * of each page, which keeps its value. Uses futex(), which some seccomp filters refuse: not for the
 * shim.
 */
int memory_check_result(const void *at, size_t len);

/* Tries two results of four bytes, which the caller is about to write, and overwrites them. One
 * cheap system call. */
int memory_check_words(void *one, void *other);

#endif
