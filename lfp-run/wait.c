/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c - calls that wait long, and the events that end the wait */
#include "lfp-run/wait.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lfp-run/pool.h"
#include "lfp-run/target.h"

#define KICK SIGUSR1

/* Time between two looks of the watcher, in ms. It is longer when many calls wait. It is shorter
 * after a kick, because the kick may have come just before the wait. The watcher goes on for a
 * while after the last wait. A program that waits again and again then does not wake it each
 * time. */
#define LOOK_MS      40
#define MORE_MS_EACH 2
#define KICKED_MS    4
#define IDLE_LOOKS   25

/* Number of looks during which a signal that may be for another thread is left to that thread. */
#define DOUBTFUL_LOOKS 3

static struct {
	pthread_mutex_t lock;
	struct wait *first;
	unsigned int count;
	bool asleep; /* the watcher sleeps until a call waits */
	int set;     /* epoll set: the listener, the event, programs whose calls wait */
	int event;
	int listener;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .set = -1, .event = -1};

static void on_kick(int sig)
{
	(void)sig;
}

static int add(int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(watch.set, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int wait_init(int listener)
{
	struct sigaction action = {.sa_handler = on_kick}; /* without SA_RESTART */
	int rc;

	watch.listener = listener;
	watch.asleep = true;
	watch.set = epoll_create1(EPOLL_CLOEXEC);
	watch.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch.set < 0 || watch.event < 0 || sigaction(KICK, &action, NULL) < 0)
		return -errno;
	rc = add(watch.event, EPOLLIN | EPOLLET);
	return rc ? rc : add(listener, 0); /* POLLHUP: the last program has ended */
}

int wait_begin(struct wait *wait, struct trap *trap)
{
	const uint64_t one = 1;
	int rc = pool_wait_begin();
	bool wake;

	if (rc)
		return rc;
	*wait = (struct wait){.thread = pthread_self(), .trap = trap};
	/* Readable at the end of the program; from Linux 6.9 on, of the thread (PIDFD_THREAD). */
	if (target_open(trap) == 0)
		(void)add(trap->pidfd, EPOLLIN | EPOLLET);
	pthread_mutex_lock(&watch.lock);
	wait->next = watch.first;
	if (watch.first)
		watch.first->prev = wait;
	watch.first = wait;
	watch.count++;
	wake = watch.asleep;
	watch.asleep = false;
	pthread_mutex_unlock(&watch.lock);
	if (wake)
		(void)!write(watch.event, &one, sizeof(one));
	return 0;
}

bool wait_again(const struct wait *wait, long rc)
{
	bool again;

	if (rc != -EINTR)
		return false;
	pthread_mutex_lock(&watch.lock);
	again = wait->reason == WAIT_QUIET;
	pthread_mutex_unlock(&watch.lock);
	return again;
}

long wait_end(struct wait *wait, long rc, bool limited)
{
	pthread_mutex_lock(&watch.lock);
	if (wait->prev)
		wait->prev->next = wait->next;
	else
		watch.first = wait->next;
	if (wait->next)
		wait->next->prev = wait->prev;
	watch.count--;
	pthread_mutex_unlock(&watch.lock);
	pool_wait_end();
	if (wait->trap->pidfd >= 0)
		(void)epoll_ctl(watch.set, EPOLL_CTL_DEL, wait->trap->pidfd, NULL);
	if (rc == -EINTR && wait->reason == WAIT_RESTART && !limited)
		return TRAP_RESTART;
	return rc;
}

/* Sets the reason to end this wait, if there is one. The caller holds the lock. */
static void look(struct wait *wait)
{
	if (wait->reason != WAIT_QUIET)
		return;
	if (!trap_is_valid(wait->trap)) {
		wait->reason = WAIT_GONE;
		return;
	}
	switch (target_signal(wait->trap)) {
	case TARGET_NO_SIGNAL:
		wait->doubtful = 0;
		break;
	case TARGET_SIGNAL:
		wait->reason = WAIT_RESTART;
		break;
	case TARGET_SIGNAL_MAYBE:
		/* TRAP_RESTART is only for the thread that the kernel has chosen for the signal;
		 * every thread understands EINTR. */
		if (++wait->doubtful > DOUBTFUL_LOOKS)
			wait->reason = WAIT_INTERRUPT;
		break;
	}
}

/* Looks at all waits. Returns the time until the next look in ms, -1 for none. */
static int look_at_all(void)
{
	static unsigned int idle;
	bool kicked = false;
	int next;

	pthread_mutex_lock(&watch.lock);
	for (struct wait *wait = watch.first; wait; wait = wait->next) {
		look(wait);
		if (wait->reason == WAIT_QUIET)
			continue;
		pthread_kill(wait->thread, KICK);
		kicked = true;
	}
	idle = watch.count ? 0 : idle + 1;
	next = LOOK_MS + (int)watch.count * MORE_MS_EACH;
	if (idle > IDLE_LOOKS) {
		watch.asleep = true;
		next = -1;
	}
	pthread_mutex_unlock(&watch.lock);
	return kicked ? KICKED_MS : next;
}

void wait_watch(void)
{
	struct epoll_event events[16];
	int timeout = -1;

	for (;;) {
		int n = epoll_wait(watch.set, events, 16, timeout);

		for (int i = 0; i < n; i++)
			if (events[i].data.fd == watch.listener)
				return;
		timeout = look_at_all();
	}
}
