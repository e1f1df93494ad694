/* SPDX-License-Identifier: Apache-2.0 */
/* test-memory.c - a look-up that runs out of memory at any step reports the lack of memory, not an
 * unknown name */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "lfp/log.h"
#include "tests/lfpd/one-path.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_MALLOC 1
#else
#define HAS_OWN_MALLOC 0
#endif

#define STEPS_MOST 2000

static pthread_t loop_thread;
static atomic_int steps_left = -1; /* that still get memory; -1: all do */
static atomic_bool failed;

#if !HAS_OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool fails(void)
{
	if (atomic_load(&steps_left) < 0 || pthread_equal(pthread_self(), loop_thread))
		return false;
	if (atomic_load(&steps_left) > 0) {
		atomic_fetch_sub(&steps_left, 1);
		return false;
	}
	atomic_store(&failed, true);
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
#endif

/* Ask with memory for so many allocations and no more, until it is enough. */
static void each_step(bool (*ask)(void))
{
	int step;

	loop_thread = pthread_self();
	atomic_store(&steps_left, -1);
	one_path_start();
	if (HAS_OWN_MALLOC)
		skip();
	/* As resolver_prepare() does for lfpd: libc (2.36) crashes if its first look-up has no
	 * memory. */
	assert_true(ask());
	for (step = 0; step < STEPS_MOST; step++) {
		bool found;

		atomic_store(&failed, false);
		atomic_store(&steps_left, step);
		found = ask();
		atomic_store(&steps_left, -1);
		if (!atomic_load(&failed)) {
			assert_true(found);
			break;
		}
	}
	assert_in_range(step, 1, STEPS_MOST - 1);
	/* Later look-ups work. */
	assert_true(ask());
}

/* An address as text, in the code page of the path: needs no /etc/hosts. The task is vse_open()'s.
 */
static struct lfp_text loopback(void)
{
	static char name[32];
	int n = lfp_codepage_to_path(host.inst.codepage, "127.0.0.1", 9, name, sizeof(name));

	assert_true(n > 0);
	return (struct lfp_text){(const uint8_t *)name, (uint16_t)n};
}

static void check_error(int error, int status)
{
	if (error != EAI_MEMORY && error != EAI_AGAIN && !(error == EAI_SYSTEM && status == ENOMEM))
		fail_msg("a lack of memory is %d (%s), errno %d", error, gai_strerror(error),
			 status);
}

static bool ask_addrinfo(void)
{
	struct lfp_frame reply = vse_ask(
		&vse, (struct lfp_frame){
			      .code = LFP_GETADDRINFO,
			      .task = 1,
			      .getaddrinfo = {.given = 1, .kind = SOCK_STREAM, .node = loopback()},
		      });
	int error = (int)reply.getaddrinfo_reply.error;

	if (error)
		check_error(error, reply.status);
	return !error;
}

static bool ask_nameinfo(void)
{
	struct lfp_frame reply = vse_ask(
		&vse, (struct lfp_frame){.code = LFP_GETNAMEINFO,
					 .task = 1,
					 .getnameinfo = {.addr = vse_addr("127.0.0.1", 80)}});
	int error = (int)reply.getnameinfo_reply.error;

	if (error)
		check_error(error, reply.status);
	return !error;
}

static bool ask_hostent(void)
{
	struct lfp_frame reply =
		vse_ask(&vse, (struct lfp_frame){
				      .code = LFP_GETHOSTBYNAME,
				      .task = 1,
				      .gethostbyname = {.family = LFP_AF_INET, .name = loopback()},
			      });
	int error = (int)reply.hostent.h_errno_;

	if (error && error != TRY_AGAIN)
		fail_msg("a lack of memory is h_errno %d", error);
	return !error;
}

static void addrinfo(void **state)
{
	(void)state;
	each_step(ask_addrinfo);
}

static void nameinfo(void **state)
{
	(void)state;
	each_step(ask_nameinfo);
}

static void hostent(void **state)
{
	(void)state;
	each_step(ask_hostent);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addrinfo),
		TEST(nameinfo),
		TEST(hostent),
	};

	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
