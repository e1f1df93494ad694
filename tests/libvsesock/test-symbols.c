/* SPDX-License-Identifier: Apache-2.0 */
/* test-symbols.c - the shim exports only the functions that it interposes, without versions */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define MAX_NAME 256

/* In the order of strcmp() */
static const char *const interposed[] = {
	"__gethostname_chk",
	"__poll_chk",
	"__ppoll_chk",
	"__read_chk",
	"__recv_chk",
	"__recvfrom_chk",
	"accept",
	"accept4",
	"bind",
	"chroot",
	"connect",
	"dup",
	"dup2",
	"dup3",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"fcntl",
	"fcntl64",
	"fopen",
	"fopen64",
	"getaddrinfo",
	"getaddrinfo_a",
	"gethostbyaddr",
	"gethostbyaddr_r",
	"gethostbyname",
	"gethostbyname2",
	"gethostbyname2_r",
	"gethostbyname_r",
	"gethostid",
	"gethostname",
	"getifaddrs",
	"getnameinfo",
	"getpeername",
	"getsockname",
	"getsockopt",
	"if_indextoname",
	"if_nameindex",
	"if_nametoindex",
	"io_uring_queue_init",
	"io_uring_queue_init_mem",
	"io_uring_queue_init_params",
	"io_uring_setup",
	"ioctl",
	"listen",
	"poll",
	"ppoll",
	"prctl",
	"preadv2",
	"preadv64v2",
	"pselect",
	"read",
	"readv",
	"recv",
	"recvfrom",
	"recvmmsg",
	"recvmsg",
	"select",
	"send",
	"sendfile",
	"sendfile64",
	"sendmmsg",
	"sendmsg",
	"sendto",
	"setns",
	"setsockopt",
	"shutdown",
	"sockatmark",
	"socket",
	"splice",
	"syscall",
	"unshare",
	"write",
	"writev",
};
#define NR_INTERPOSED (sizeof(interposed) / sizeof(interposed[0]))

/* Symbols that a sanitizer or gcov adds to any library. */
static int is_instrumentation(const char *name)
{
	return strncmp(name, "__asan", 6) == 0 || strncmp(name, "__gcov", 6) == 0 ||
	       strncmp(name, "__odr_asan", 10) == 0 || strncmp(name, "mangle_path", 11) == 0;
}

static void test_list(void **state)
{
	char exe[PATH_MAX], command[PATH_MAX + 128], name[MAX_NAME];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t found = 0;
	FILE *nm;

	(void)state;
	assert_true(n > 0);
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(command, sizeof(command),
		 "LC_ALL=C nm -D --defined-only '%s/../../lib/libvsesock-preload.so' | "
		 "awk '{ print $3 }' | LC_ALL=C sort",
		 exe);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(name, sizeof(name), nm)) {
		name[strcspn(name, "\n")] = '\0';
		if (is_instrumentation(name))
			continue;
		assert_true(found < NR_INTERPOSED);
		assert_string_equal(name, interposed[found]);
		found++;
	}
	assert_int_equal(pclose(nm), 0);
	assert_int_equal(found, NR_INTERPOSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
