/* SPDX-License-Identifier: Apache-2.0 */
/* uring.c - io_uring is refused: its calls would go past the shim */
#include <stddef.h>

#include "libvsesock/preload/hooks.h"

/*
 * io_uring would use the near end's own accept, connect and options, which differ. ENOSYS, as from
 * a kernel without io_uring, makes programs use other calls. The functions of liburing return a
 * negative errno; syscall() is handled in syscall.c.
 */
struct io_uring;
struct io_uring_params;

int io_uring_setup(unsigned int entries, struct io_uring_params *params);
int io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags);
int io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
			       struct io_uring_params *params);
int io_uring_queue_init_mem(unsigned int entries, struct io_uring *ring,
			    struct io_uring_params *params, void *buf, size_t size);

EXPORT int io_uring_setup(unsigned int entries, struct io_uring_params *params)
{
	(void)entries;
	(void)params;
	return -ENOSYS;
}

EXPORT int io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags)
{
	(void)entries;
	(void)ring;
	(void)flags;
	return -ENOSYS;
}

EXPORT int io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params)
{
	(void)entries;
	(void)ring;
	(void)params;
	return -ENOSYS;
}

EXPORT int io_uring_queue_init_mem(unsigned int entries, struct io_uring *ring,
				   struct io_uring_params *params, void *buf, size_t size)
{
	(void)entries;
	(void)ring;
	(void)params;
	(void)buf;
	(void)size;
	return -ENOSYS;
}
