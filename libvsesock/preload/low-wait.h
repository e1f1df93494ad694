/* SPDX-License-Identifier: Apache-2.0 */
/* low-wait.h - waits for more data in place of descriptors that are readable already */
#ifndef VSESOCK_LOW_WAIT_H
#define VSESOCK_LOW_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/*
 * The kernel calls a descriptor readable that holds less than its mark (core/low-water.h), so a
 * wait for it would return at once. An epoll set with EPOLLET is readable only after an event since
 * it was drained. So the call waits for such a set of our own, which watches the descriptor, or the
 * program's epoll set. Our set lasts for one call, is close-on-exec and has a high number, so that
 * the program gets the lowest free number as it expects. The program's sets are never changed.
 *
 * Lowering a mark and a full near end cause no event. So the call looks every LOW_WAIT_LOOK_MS.
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
/* From now on only later events make the set readable. */
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
