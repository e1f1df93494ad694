/* SPDX-License-Identifier: Apache-2.0 */
/* low-wait.h - waiting for more than is there, in place of descriptors that are readable already */
#ifndef VSESOCK_LOW_WAIT_H
#define VSESOCK_LOW_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/*
 * A descriptor that holds less than its mark (core/low-water.h) is readable for the kernel, so a
 * call that waits for it would not wait. An epoll set with EPOLLET is readable only when something
 * has happened since it was drained. So one of our own is waited for instead, which watches the
 * descriptor, or the program's epoll set. It lasts for one call, is close-on-exec and has a high
 * number, so that the lowest free one stays what the program expects. The program's sets are never
 * changed.
 *
 * A mark that is lowered and a near end that is full tell nothing: every LOW_WAIT_LOOK_MS the call
 * looks by itself.
 */
#define LOW_WAIT_LOOK_MS 100

struct low_wait {
	int set; /* -1: none */
};

/* 0 or a negative errno. errno is untouched by all of these. */
int low_wait_begin(struct low_wait *wait);
/* Frees what low_wait_begin() has made, if it has; for pthread_cleanup_push(). */
void low_wait_end(void *wait);
/* Watch @fd, too; 0 or a negative errno. */
int low_wait_watch(const struct low_wait *wait, int fd);
/* From now on only what happens later makes the set readable. */
void low_wait_drain(const struct low_wait *wait);

/* The end of a call in ns, of the clock that does not jump; LOW_WAIT_NEVER. */
#define LOW_WAIT_NEVER INT64_MAX

int64_t low_wait_until_ms(int ms); /* negative: never */
int64_t low_wait_until(const struct timespec *timeout);
int64_t low_wait_until_tv(const struct timeval *timeout);
/* Time until @end, not negative; false if it never comes. */
bool low_wait_left(int64_t end, struct timespec *left);
bool low_wait_over(int64_t end);
/* Until the next look, at most until @end. */
struct timespec low_wait_look(int64_t end);

#endif
