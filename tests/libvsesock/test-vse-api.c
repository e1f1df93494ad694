/* SPDX-License-Identifier: Apache-2.0 */
/* test-vse-api.c - the z/VSE interfaces in threads: end of use, fork */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/vsesock.h"
#include "libvsesock/eza/functions.h"
#include "libvsesock/vse/api.h"
#include "libvsesock/vse/async.h"
#include "libvsesock/vse/select.h"
#include "libvsesock/vse/socket.h"
#include "libvsesock/vse/task.h"

#define FORKS 200

static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void *end_use(void *unused)
{
	vse_api_end(MUX_EZA);
	return unused;
}

static void let_other_end(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, end_use, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static int never(struct async_job *job)
{
	(void)job;
	return -EAGAIN;
}

static int result;

static void note(struct async_job *job, int rc)
{
	(void)job;
	result = rc;
}

/* State of the interface when the call goes on. */
static void ended_within_a_call(void **state)
{
	struct vse_api *api, *next;
	struct async_job *job = calloc(1, sizeof(*job));
	_Alignas(uint32_t) char ecb[ASYNC_ECB] = {0};
	int fd = open_null(), more = open_null();
	bool given;

	(void)state;
	assert_int_equal(vse_api_get(&api, MUX_EZA, NULL), 0);
	assert_int_equal(vse_add(api, fd, -1), 0);
	assert_int_equal(vse_fd(api, 0), fd);
	let_other_end();
	assert_false(is_open(fd));
	assert_int_equal(vse_fd(api, 0), -EBADF);
	assert_int_equal(vse_fd_given(api, 0, &given), -EBADF);
	assert_int_equal(vse_add(api, more, -1), -EBADF);
	assert_false(is_open(more));
	assert_int_equal(vse_move(api, 0, 1), -EBADF);
	assert_string_equal(api->nn, "01");
	/* A call that would become asynchronous ends as those do that are. */
	*job = (struct async_job){.api = api,
				  .interface = MUX_EZA,
				  .s = -1,
				  .fd = -1,
				  .until = -1,
				  .ecb = ecb,
				  .attempt = never,
				  .done = note};
	assert_int_equal(async_start(job), 0);
	assert_int_equal(vse_ecb_wait((void *[]){ecb}, 1, 60000), 0);
	assert_int_equal(result, -ECANCELED);
	/* It is another one from now on. */
	assert_null(vse_api_find(MUX_EZA));
	assert_int_equal(vse_api_get(&next, MUX_EZA, NULL), 0);
	fd = open_null();
	assert_int_equal(vse_add(next, fd, -1), 0);
	let_other_end();
	let_other_end();
	assert_false(is_open(fd));
	vse_api_end(MUX_EZA);
}

/* A descriptor that is closed while it is waited for, which ends with the next look at the ECB. */
static void ended_within_a_select(void **state)
{
	static const uint32_t ecb;
	const volatile uint32_t *posts[1] = {&ecb};
	const struct vse_ecbs ecbs = {posts, 1};
	struct vse_sets sets = {.bits = {[VSE_READ] = {1}}};
	struct vse_api *waits;
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(vse_api_get(&waits, MUX_EZA, NULL), 0);
	assert_int_equal(vse_add(waits, ends[0], -1), 0);
	assert_int_equal(pthread_create(&thread, NULL, end_use, NULL), 0);
	assert_int_equal(vse_select(waits, 1, &sets, NULL, &ecbs), -EBADF);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(ends[1]);
}

static struct vse_api *api;
static bool over;

int lec_aio_error(const void *cb);

/* Each lock of theirs is taken. */
static void take_locks(void)
{
	void *pointer = NULL;
	struct eza_call call = {.args = {{.data = &pointer}}};
	uint32_t ecb = 0;

	(void)vse_fd(api, 0);
	(void)vse_task_switch(0);
	(void)async_count(api, 0, NULL);
	(void)eza_freeaddrinfo(&call);
	(void)lec_aio_error(&call);
	vse_ecb_post(&ecb);
}

static void *take_and_take(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		take_locks();
	return unused;
}

static void forked_within_a_call(void **state)
{
	pthread_t threads[2];
	int status;

	(void)state;
	assert_int_equal(vse_api_get(&api, MUX_LEC, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_take, NULL), 0);
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			/* No thread can unlock the lock that the call hangs in. */
			alarm(100);
			take_locks();
			_exit(0);
		}
		assert_true(pid > 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	vse_api_end(MUX_LEC);
}

static sem_t tried, let_go;
static int tries;

/* The first try is its maker's, the second the library's thread's. */
static int held(struct async_job *job)
{
	char c;

	if (tries++ == 1) {
		assert_int_equal(read(job->fd, &c, 1), 1);
		assert_int_equal(sem_post(&tried), 0);
		assert_int_equal(sem_wait(&let_go), 0);
	}
	return -EAGAIN;
}

static bool is_held(const struct async_job *job, const struct async_job *like)
{
	(void)like;
	return job->attempt == held;
}

static void *let_it_go(void *unused)
{
	usleep(50000);
	sem_post(&let_go);
	return unused;
}

static void found_within_a_try(void **state)
{
	struct vse_api *used;
	struct async_job *job = calloc(1, sizeof(*job)), like, other;
	_Alignas(uint32_t) char ecb[ASYNC_ECB] = {0};
	pthread_t thread;
	int fds[2], copy;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(sem_init(&tried, 0, 0), 0);
	assert_int_equal(sem_init(&let_go, 0, 0), 0);
	assert_int_equal(vse_api_get(&used, MUX_EZA, NULL), 0);
	*job = (struct async_job){.api = used,
				  .interface = MUX_EZA,
				  .s = -1,
				  .fd = fds[0],
				  .events = POLLIN,
				  .until = -1,
				  .ecb = ecb,
				  .attempt = held,
				  .done = note};
	like = other = *job;
	other.nn[0] = 'X';
	assert_int_equal(async_start(job), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(sem_wait(&tried), 0);
	/* A call about another instance is not waited for. */
	assert_int_equal(async_copy(&other, is_held), -ENOENT);
	assert_int_equal(pthread_create(&thread, NULL, let_it_go, NULL), 0);
	copy = async_copy(&like, is_held);
	assert_true(copy >= 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(copy);
	vse_api_end(MUX_EZA);
	assert_int_equal(vse_ecb_wait((void *[]){ecb}, 1, 60000), 0);
	assert_int_equal(result, -ECANCELED);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_within_a_try),
		cmocka_unit_test(ended_within_a_call),
		cmocka_unit_test(ended_within_a_select),
		cmocka_unit_test(forked_within_a_call),
	};

	setenv("LFP_ID", "01", 1);
	setenv("LFP_SETPARM", "LFP$ID=01", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
