/* SPDX-License-Identifier: Apache-2.0 */
/* closers.c - threads that close descriptors whose last close() may wait */
#include "transport/closers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lfp/clock.h"

/*
 * Theory of operation
 *
 * CLOSERS_KEPT threads are started once and wait for descriptors. A thread that finds no other
 * thread waiting starts one more before it closes, up to CLOSERS_MAX. So the loop itself never
 * starts a thread, and closers that are stuck for as long as a peer likes do not hold up the
 * others. The queues are bounded by the number of descriptors that this process may have.
 *
 * There is a queue for the sockets of each user and one for each user's files. The threads take
 * from them in turn, and at most LANE_MAX are busy with one. When more users than LANES wait at
 * once, the last ones share the common queue.
 *
 * Another user may keep closers busy with lingering TCP sockets inside of UNIX sockets, where
 * SO_LINGER cannot be turned off. A signal ends the wait for such a socket (net/core/stream.c,
 * sk_stream_wait_close()), and the connection goes on without its owner. So while sockets wait and
 * no closer takes them, a watcher sends one to those that have closed for STUCK_MS.
 *
 * close() of a file of a file system that a program serves waits for that program, and no signal
 * ends the wait (fs/fuse/file.c, fuse_flush). At most FILES_MAX threads close files, LANE_FILES of
 * them those of one user. SPARED others are always left for sockets: a thread starts one more if
 * a file waits and they are too few. A file in a message that nobody has received does not wait:
 * only close() of a descriptor does.
 *
 * The queues need no memory of their own where it matters: they link the numbers of descriptors, of
 * which each is there once.
 */

#define CLOSERS_MAX 64u
#define FILES_MAX   16u /* threads that close files */
#define SPARED      2u  /* threads that close no files, however few there are */
#define LANE_MAX    16u /* threads that are busy with one queue of sockets */
#define LANE_FILES  4u  /* with one of files */
#define LANES       64u
#define READ_MOST   64 /* messages */
#define STACK       (256u * 1024u)
#define STUCK_MS    200
#define WAKE        SIGURG /* the daemons have no other use for it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t stuck = PTHREAD_COND_INITIALIZER;
static unsigned int closers, idle;
static int told = -1; /* eventfd to ring after each close, or -1 */
static bool watched;

/* Start of each thread's current close, in ms; 0: it closes nothing. */
static struct closing_thread {
	pthread_t thread;
	bool taken;
	uint64_t since;
	const struct lane *lane;
	uint64_t serial; /* of the descriptor */
} closings[CLOSERS_MAX];
/* The descriptor behind this one, or -1; untouched pages cost nothing. */
static int next_of[CLOSERS_NUMBERS];
static bool read_first[CLOSERS_NUMBERS];
/* The descriptors are numbered as they come. */
static uint64_t serial_of[CLOSERS_NUMBERS];
static atomic_uint_least64_t last_serial;

/* The queue of one user; unused if it is empty and no thread works on it. */
struct lane {
	uint32_t owner;  /* unused for the common lane */
	int first, last; /* good if any wait */
	unsigned int waiting, busy;
};

static struct queue {
	struct lane lanes[LANES]; /* the first is the common lane */
	unsigned int waiting, busy;
	unsigned int turn; /* the lane that comes next */
} sockets, files;

static atomic_uint nr_files; /* that wait or are being closed */

static void *run(void *arg);

/* Signals are the loop's, but for @also. */
static int start_thread(void *(*fn)(void *arg), int also)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t most, old;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&most);
	if (also)
		sigdelset(&most, also);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	rc = pthread_create(&thread, &attr, fn, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -rc;
}

/* The lock is held. 0 or a negative errno. */
static int start_one(void)
{
	int rc = start_thread(run, WAKE);

	/* The new thread waits for the lock first. */
	closers += !rc;
	return rc;
}

static void on_wake(int sig)
{
	(void)sig;
}

/* The lock is held. */
static void wake_stuck(void)
{
	uint64_t now = lfp_now_ms();

	for (unsigned int i = 0; i < CLOSERS_MAX; i++)
		if (closings[i].since && now - closings[i].since >= STUCK_MS)
			pthread_kill(closings[i].thread, WAKE);
}

static bool is_used(const struct lane *lane)
{
	return lane->waiting || lane->busy;
}

/* Returns the lane of a user: its own, else an unused one, else the common one. Caller holds the
 * lock. */
static struct lane *lane_for(struct queue *queue, uint32_t owner)
{
	struct lane *unused = &queue->lanes[0];

	for (unsigned int i = 1; owner != CLOSERS_NOBODY && i < LANES; i++) {
		struct lane *lane = &queue->lanes[i];

		if (is_used(lane) && lane->owner == owner)
			return lane;
		if (!is_used(lane))
			unused = lane;
	}
	return unused;
}

static void enqueue(struct queue *queue, uint32_t owner, int fd)
{
	struct lane *lane = lane_for(queue, owner);

	lane->owner = owner;
	serial_of[fd] = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
	next_of[fd] = -1;
	if (lane->waiting)
		next_of[lane->last] = fd;
	else
		lane->first = fd;
	lane->last = fd;
	lane->waiting++;
	queue->waiting++;
}

/* Returns the lane whose turn it is; NULL if none may have a thread now. Caller holds the lock. */
static struct lane *next_lane(struct queue *queue, unsigned int most)
{
	for (unsigned int i = 0; queue->waiting && i < LANES; i++) {
		struct lane *lane = &queue->lanes[(queue->turn + i) % LANES];

		if (lane->waiting && lane->busy < most)
			return lane;
	}
	return NULL;
}

static struct lane *next_sockets(void)
{
	return next_lane(&sockets, LANE_MAX);
}

static struct lane *next_files(void)
{
	if (files.busy >= FILES_MAX || files.busy + SPARED >= closers)
		return NULL;
	return next_lane(&files, LANE_FILES);
}

/* Returns true if only one more thread is missing to close the next file. The lock is held. */
static bool files_lack_thread(void)
{
	return closers < CLOSERS_MAX && files.busy < FILES_MAX && files.busy + SPARED >= closers &&
	       next_lane(&files, LANE_FILES);
}

static bool has_work(void)
{
	return next_sockets() || next_files();
}

/* Sockets wait that no thread takes. The lock is held. */
static bool is_stuck(void)
{
	return sockets.waiting && (!idle || !next_sockets());
}

static void *watch(void *arg)
{
	const struct timespec pause = {.tv_nsec = STUCK_MS * 1000000};

	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!is_stuck())
			pthread_cond_wait(&stuck, &lock);
		pthread_mutex_unlock(&lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		if (is_stuck())
			wake_stuck();
	}
	return NULL;
}

/* The lock is held. 0 or a negative errno. */
static int start_watcher(void)
{
	const struct sigaction action = {.sa_handler = on_wake}; /* without SA_RESTART */
	int rc;

	if (watched)
		return 0;
	if (sigaction(WAKE, &action, NULL))
		return -errno;
	rc = start_thread(watch, 0);
	watched = !rc;
	return rc;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* fork(2) copies only the calling thread, so a child starts closers of its own. */
static void in_child(void)
{
	closers = idle = 0;
	told = -1;
	sockets.busy = files.busy = 0;
	for (unsigned int i = 0; i < LANES; i++)
		sockets.lanes[i].busy = files.lanes[i].busy = 0;
	watched = false;
	memset(closings, 0, sizeof(closings));
	pthread_cond_init(&work, NULL);
	pthread_cond_init(&stuck, NULL);
	pthread_mutex_init(&lock, NULL);
}

static int start_kept(void)
{
	static bool knows_forks;
	int rc = 0;

	if (!knows_forks)
		rc = -pthread_atfork(before_fork, in_parent, in_child);
	knows_forks = !rc;
	if (!rc)
		rc = start_watcher();
	while (!rc && closers < CLOSERS_KEPT)
		rc = start_one();
	return rc;
}

static struct closing_thread *free_place(void)
{
	struct closing_thread *place = closings;

	while (place->taken)
		place++;
	return place;
}

/* The lock is held. An eventfd that is full is readable all the same. */
static void tell(void)
{
	const uint64_t one = 1;
	ssize_t n = told >= 0 ? write(told, &one, sizeof(one)) : 0;

	(void)n;
}

/* Unread data would reset the peer, which may not have read its answer yet. */
static void read_all(int fd)
{
	char c;

	for (int i = 0; i < READ_MOST && recv(fd, &c, 1, MSG_DONTWAIT) > 0; i++)
		;
}

/* Closes the next descriptor of @lane. Caller holds the lock; it is released during close(). */
static void close_next(struct queue *queue, struct lane *lane, struct closing_thread *own)
{
	int fd = lane->first;
	bool reads = read_first[fd];

	lane->first = next_of[fd];
	lane->waiting--;
	lane->busy++;
	queue->waiting--;
	queue->busy++;
	queue->turn = (unsigned int)(lane - queue->lanes) + 1;
	/* If this one waits, another thread closes the next. */
	if (!idle && closers < CLOSERS_MAX)
		(void)start_one();
	else if (has_work())
		pthread_cond_signal(&work);
	if (is_stuck())
		pthread_cond_signal(&stuck);
	own->since = lfp_now_ms();
	own->lane = lane;
	own->serial = serial_of[fd];
	pthread_mutex_unlock(&lock);
	if (reads)
		read_all(fd);
	close(fd);
	pthread_mutex_lock(&lock);
	own->since = 0;
	lane->busy--;
	queue->busy--;
	atomic_store(&nr_files, files.waiting + files.busy);
	tell();
}

static void *run(void *arg)
{
	struct closing_thread *own;

	(void)arg;
	pthread_mutex_lock(&lock);
	/* There are at most as many threads as places. */
	own = free_place();
	own->taken = true;
	own->thread = pthread_self();
	for (;;) {
		struct lane *socket_lane, *file_lane;

		if (files_lack_thread())
			(void)start_one();
		socket_lane = next_sockets();
		file_lane = next_files();
		if (socket_lane) {
			close_next(&sockets, socket_lane, own);
		} else if (file_lane) {
			close_next(&files, file_lane, own);
		} else if (idle < CLOSERS_KEPT) {
			idle++;
			pthread_cond_wait(&work, &lock);
			idle--;
		} else {
			break;
		}
	}
	own->taken = false;
	closers--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int closers_start(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = start_kept();
	pthread_mutex_unlock(&lock);
	return rc;
}

void closers_close(int fd, enum closing how, uint32_t owner)
{
	bool wakes, watches;

	if (fd < 0 || (unsigned int)fd >= CLOSERS_NUMBERS)
		return;
	pthread_mutex_lock(&lock);
	read_first[fd] = how == CLOSING_READ;
	enqueue(how == CLOSING_FILE ? &files : &sockets, owner, fd);
	atomic_store(&nr_files, files.waiting + files.busy);
	/* For programs that have not called closers_start(); else this finds all of them. */
	if (!closers)
		(void)start_kept();
	wakes = idle;
	watches = is_stuck();
	/* A thread that wakes while this one has the lock would wait for the lock at once. */
	pthread_mutex_unlock(&lock);
	if (wakes)
		pthread_cond_signal(&work);
	if (watches)
		pthread_cond_signal(&stuck);
}

unsigned int closers_files_of(uint32_t owner)
{
	const struct lane *lane;
	unsigned int nr;

	if (!atomic_load_explicit(&nr_files, memory_order_relaxed))
		return 0;
	pthread_mutex_lock(&lock);
	lane = lane_for(&files, owner);
	nr = lane->waiting + lane->busy;
	pthread_mutex_unlock(&lock);
	return nr;
}

/* Returns true if a closer will soon be done with its descriptor, or will soon take one. Caller
 * holds the lock. */
static bool is_at_work(uint64_t now)
{
	bool fresh = false;

	for (unsigned int i = 0; i < CLOSERS_MAX; i++)
		fresh |= closings[i].since && now - closings[i].since < CLOSERS_SETTLE_MS;
	return fresh || (idle && has_work());
}

bool closers_are_at_work(void)
{
	bool at_work;

	pthread_mutex_lock(&lock);
	at_work = is_at_work(lfp_now_ms());
	pthread_mutex_unlock(&lock);
	return at_work;
}

uint64_t closers_serial(void)
{
	return atomic_load_explicit(&last_serial, memory_order_relaxed);
}

/* The lock is held. */
static bool has_earlier(const struct lane *lane, uint64_t serial)
{
	uint64_t now = lfp_now_ms();
	bool found = lane->waiting && serial_of[lane->first] <= serial;

	for (unsigned int i = 0; i < CLOSERS_MAX; i++)
		found |= closings[i].since && now - closings[i].since < CLOSERS_STUCK_MS &&
			 closings[i].lane == lane && closings[i].serial <= serial;
	return found;
}

bool closers_are_done(uint32_t owner, uint64_t serial)
{
	const struct lane *lane;
	bool done;

	pthread_mutex_lock(&lock);
	lane = lane_for(&sockets, owner);
	/* The common lane has those of others, too. */
	done = lane == &sockets.lanes[0] || !has_earlier(lane, serial);
	pthread_mutex_unlock(&lock);
	return done;
}

void closers_tell(int event)
{
	pthread_mutex_lock(&lock);
	told = event;
	pthread_mutex_unlock(&lock);
}
