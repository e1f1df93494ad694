/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - reports the used heap of a program with a sanitizer
 *
 * Loaded before a daemon (LD_PRELOAD), whose heap is the sanitizer's: at the signal SIGRTMIN + 7
 * the file HEAP_DIR/PID gets the number of bytes that are allocated. A program without a sanitizer
 * is left as it is. The test asks only idle programs, because the sanitizer counts under a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static char dir[4096]; /* its name, as a daemon closes what it has not opened */

static void tell(int number)
{
	char name[sizeof(dir) + 16], text[24];
	int len = snprintf(text, sizeof(text), "%zu\n", __sanitizer_get_current_allocated_bytes());
	int fd, error = errno;

	(void)number;
	snprintf(name, sizeof(name), "%s/%d", dir, (int)getpid());
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd >= 0) {
		(void)!write(fd, text, (size_t)len);
		close(fd);
	}
	errno = error;
}

static __attribute__((constructor)) void begin(void)
{
	struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
	const char *path = getenv("HEAP_DIR");

	if (!__sanitizer_get_current_allocated_bytes || !path)
		return;
	snprintf(dir, sizeof(dir), "%s", path);
	sigaction(SIGRTMIN + 7, &action, NULL);
}
