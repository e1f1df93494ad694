/* SPDX-License-Identifier: Apache-2.0 */
/* misuse.c - programs that do random things with their sockets, the host that they meet, and a
 * bystander
 *
 *	misuse host HOST PORT SEED		a server on PORT that makes trouble; it also calls
 * the listeners of the programs, on the ports after PORT + 1 misuse bystander HOST PORT FILE
 * sends bytes to an echo until there is FILE misuse plain|raw HOST PORT SEED SECONDS MAX_MS DIR NR
 * CTL a program: the NRth whose mailbox is in DIR. CTL is the control channel, which only a raw one
 * uses
 *
 * A plain program makes socket calls alone, from two threads and from processes that it forks. A
 * raw one also makes system calls on near ends, past the library, and sends requests on the control
 * channel. A program fails if a call takes longer than MAX_MS milliseconds. No program waits in a
 * call on purpose.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#include "tests/system/misuse/misuse.h"
#include "tests/system/tool.h"

enum { HUNG_MS = 30000 };

static bool is_raw;
static int64_t end_at, max_ms;
static atomic_int slow;

static void act(struct actor *actor);

/* A child that has all sockets, uses them and ends. */
static void split(struct actor *actor)
{
	pid_t child;

	actor->doing = "fork";
	child = fork();

	result(child);
	if (child < 0)
		return;
	if (child == 0) {
		is_child = true;
		for (int i = 0; i < 10; i++)
			act(actor);
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void with_fd(struct actor *actor, int fd)
{
	int fresh;

	if (is_raw && pick(actor, 3) == 0)
		fresh = pick(actor, 2) ? raw_call(actor, fd) : request(actor, fd);
	else
		fresh = plain_call(actor, fd);
	if (fresh < 0)
		return;
	if (is_raw)
		be_quick(bare, fresh);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
	close_slot(some_slot(actor), fresh);
	if (!is_child)
		pthread_rwlock_rdlock(&in_use);
}

static void act(struct actor *actor)
{
	atomic_int *slot = some_slot(actor);
	int fd = atomic_load(slot);

	if (fd < 0) {
		fd = pick(actor, 4) ? make(actor) : get_mail();
		if (fd >= 0)
			close_slot(slot, fd);
		return;
	}
	if (pick(actor, 40) == 0) {
		close_slot(slot, -1);
		return;
	}
	if (!is_child && pick(actor, 200) == 0) {
		split(actor);
		return;
	}
	if (!is_child)
		pthread_rwlock_rdlock(&in_use);
	fd = atomic_load(slot);
	if (fd >= 0)
		with_fd(actor, fd);
	if (!is_child)
		pthread_rwlock_unlock(&in_use);
}

static void *perform(void *arg)
{
	struct actor *actor = arg;

	actor->doing = "nothing";
	while (now_ms() < end_at) {
		int64_t begun = now_ms(), took;
		uint64_t before = actor->random;

		atomic_store(&actor->since, begun);
		act(actor);
		atomic_store(&actor->since, 0);
		took = now_ms() - begun;
		if (took > max_ms) {
			printf("%ld ms at %016lx, after %s\n", (long)took, (unsigned long)before,
			       atomic_load(&actor->doing));
			atomic_fetch_add(&slow, 1);
		}
	}
	return NULL;
}

static int program(uint64_t seed)
{
	static struct actor actors[2];
	struct sockaddr_un addr = mailbox_addr(number_of_ours);
	pthread_t threads[2];

	mailbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (mailbox < 0 || bind(mailbox, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die("mailbox");
	bare = (long (*)(long, ...))dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "syscall");
	if (!bare)
		die("libc's syscall()");
	for (int i = 0; i < SLOTS; i++)
		slots[i] = -1;
	for (int i = 0; i < 2; i++) {
		uint64_t nr = number_of_ours * 2 + (unsigned int)i + 1;

		actors[i].random = (seed + 1) * 0x9E3779B97F4A7C15u ^ nr << 32;
		if (pthread_create(&threads[i], NULL, perform, &actors[i]))
			die("thread");
	}
	while (now_ms() < end_at + HUNG_MS) {
		bool ended = true;

		for (int i = 0; i < 2; i++)
			ended &= now_ms() > end_at && !atomic_load(&actors[i].since);
		if (ended)
			break;
		poll(NULL, 0, 50);
	}
	for (int i = 0; i < 2; i++)
		if (atomic_load(&actors[i].since)) {
			printf("a call does not end after %s\n", atomic_load(&actors[i].doing));
			fflush(stdout);
			_exit(1);
		}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	unlink(addr.sun_path);
	printf("%lu calls, %lu of them good, %d slow\n", atomic_load(&nr_calls),
	       atomic_load(&nr_good), atomic_load(&slow));
	return atomic_load(&slow) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 64;
	target = host_addr(argv[2], number(argv[3]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(argv[1], "bystander"))
		return bystander(argv[4]);
	if (!strcmp(argv[1], "host"))
		host(number(argv[4]) + 1);
	if (argc < 10)
		return 64;
	is_raw = !strcmp(argv[1], "raw");
	end_at = now_ms() + (int64_t)number(argv[5]) * 1000;
	max_ms = (int64_t)number(argv[6]);
	directory = argv[7];
	number_of_ours = (unsigned int)number(argv[8]);
	ctl_path = argv[9];
	return program(number(argv[4]));
}
