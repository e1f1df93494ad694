/* SPDX-License-Identifier: Apache-2.0 */
/* test-resolve.c - getaddrinfo, getnameinfo, gethostby*: layout of the results, errors */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"

static void test_list(void **state)
{
	struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM}, *list;
	struct sockaddr_in6 *in6;
	struct sockaddr_in *in;

	(void)state;
	errno = 12345;
	assert_int_equal(getaddrinfo("two", "80", &hints, &list), 0);
	assert_int_equal(errno, 12345);
	in = (struct sockaddr_in *)list->ai_addr;
	assert_int_equal(list->ai_family, AF_INET);
	assert_int_equal(list->ai_socktype, SOCK_STREAM);
	assert_int_equal(list->ai_protocol, IPPROTO_TCP);
	assert_int_equal(list->ai_flags, AI_CANONNAME);
	assert_int_equal(list->ai_addrlen, sizeof(*in));
	assert_string_equal(list->ai_canonname, "two.example.com");
	assert_int_equal(in->sin_addr.s_addr, inet_addr(FAKE_PEER));
	assert_int_equal(ntohs(in->sin_port), 80);
	in6 = (struct sockaddr_in6 *)list->ai_next->ai_addr;
	assert_int_equal(list->ai_next->ai_family, AF_INET6);
	assert_int_equal(list->ai_next->ai_addrlen, sizeof(*in6));
	assert_null(list->ai_next->ai_canonname);
	assert_int_equal(in6->sin6_addr.s6_addr[15], 7);
	assert_null(list->ai_next->ai_next);
	/* libc's own: it must find what it has made itself */
	freeaddrinfo(list);
	assert_int_equal(getaddrinfo("two", NULL, NULL, &list), 0);
	assert_null(list->ai_canonname);
	freeaddrinfo(list);
}

static void test_errors(void **state)
{
	struct addrinfo hints = {.ai_flags = AI_CANONNAME}, *list;
	char name[4000];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(getaddrinfo("nobody", "80", NULL, &list), EAI_NONAME);
	assert_int_equal(getaddrinfo(NULL, NULL, NULL, &list), EAI_NONAME);
	assert_int_equal(getaddrinfo(name, NULL, NULL, &list), EAI_NONAME);
	assert_int_equal(getaddrinfo(NULL, "80", &hints, &list), EAI_BADFLAGS);
	hints = (struct addrinfo){.ai_family = AF_UNIX};
	assert_int_equal(getaddrinfo("two", "80", &hints, &list), EAI_FAMILY);
	hints = (struct addrinfo){.ai_socktype = -1};
	assert_int_equal(getaddrinfo("two", "80", &hints, &list), EAI_SOCKTYPE);
}

static void test_nameinfo(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(80)};
	char host[64], service[16];

	(void)state;
	addr.sin_addr.s_addr = inet_addr(FAKE_PEER);
	assert_int_equal(getnameinfo((struct sockaddr *)&addr, sizeof(addr), host, sizeof(host),
				     service, sizeof(service), 0),
			 0);
	assert_string_equal(host, "two.example.com");
	assert_string_equal(service, "http");
	assert_int_equal(getnameinfo((struct sockaddr *)&addr, sizeof(addr), host, 4, NULL, 0, 0),
			 EAI_OVERFLOW);
	assert_int_equal(getnameinfo((struct sockaddr *)&addr, sizeof(addr), host, sizeof(host),
				     service, sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV),
			 0);
	assert_string_equal(host, FAKE_PEER);
	assert_string_equal(service, "80");
	assert_int_equal(getnameinfo((struct sockaddr *)&addr, 4, host, sizeof(host), NULL, 0, 0),
			 EAI_FAMILY);
}

static void check_host(const struct hostent *host)
{
	assert_non_null(host);
	assert_string_equal(host->h_name, "two.example.com");
	assert_string_equal(host->h_aliases[0], "alias");
	assert_null(host->h_aliases[1]);
	assert_int_equal(host->h_addrtype, AF_INET);
	assert_int_equal(host->h_length, 4);
	assert_int_equal(*(in_addr_t *)(void *)host->h_addr_list[0], inet_addr(FAKE_PEER));
	assert_int_equal(*(in_addr_t *)(void *)host->h_addr_list[1], inet_addr(FAKE_LOCAL));
	assert_null(host->h_addr_list[2]);
}

static void test_hosts(void **state)
{
	struct hostent host, *result;
	in_addr_t addr = inet_addr(FAKE_PEER);
	char buf[512];
	int herror;

	(void)state;
	check_host(gethostbyname("two"));
	check_host(gethostbyname2("two", AF_INET));
	check_host(gethostbyaddr(&addr, sizeof(addr), AF_INET));
	h_errno = 0;
	assert_null(gethostbyname("nobody"));
	assert_int_equal(h_errno, HOST_NOT_FOUND);

	/* at any alignment of the buffer */
	for (int i = 0; i < 8; i++) {
		assert_int_equal(
			gethostbyname_r("two", &host, buf + i, sizeof(buf) - 8, &result, &herror),
			0);
		assert_ptr_equal(result, &host);
		check_host(result);
	}
	assert_int_equal(
		gethostbyname2_r("two", AF_INET, &host, buf, sizeof(buf), &result, &herror), 0);
	check_host(result);
	assert_int_equal(gethostbyaddr_r(&addr, sizeof(addr), AF_INET, &host, buf, sizeof(buf),
					 &result, &herror),
			 0);
	check_host(result);
	for (size_t room = 0; room < 60; room++) {
		assert_int_equal(gethostbyname_r("two", &host, buf, room, &result, &herror),
				 ERANGE);
		assert_null(result);
		assert_int_equal(herror, NETDB_INTERNAL);
	}
	assert_int_equal(gethostbyname_r("nobody", &host, buf, sizeof(buf), &result, &herror), 0);
	assert_null(result);
	assert_int_equal(herror, HOST_NOT_FOUND);
}

/* The program's locale says what the letters of a name are. */
static void test_other_letters(void **state)
{
	struct addrinfo hints = {.ai_flags = AI_IDN | AI_CANONNAME}, *list;
	const char name[] = "m\xc3\xbcnchen.example";

	(void)state;
	if (!dlopen("libidn2.so.0", RTLD_LAZY) || !setlocale(LC_ALL, "C.UTF-8"))
		skip();
	assert_int_equal(getaddrinfo(name, NULL, &hints, &list), 0);
	assert_string_equal(list->ai_canonname, FAKE_IDN);
	freeaddrinfo(list);
	hints.ai_flags |= AI_CANONIDN;
	assert_int_equal(getaddrinfo(name, NULL, &hints, &list), 0);
	assert_string_equal(list->ai_canonname, name);
	freeaddrinfo(list);
	assert_int_equal(getaddrinfo("two", NULL, &hints, &list), 0);
	assert_string_equal(list->ai_canonname, "two.example.com");
	freeaddrinfo(list);
	assert_int_equal(getaddrinfo("m\xfcnchen", NULL, &hints, &list), EAI_IDN_ENCODE);
	hints.ai_flags = 0;
	assert_int_equal(getaddrinfo(name, NULL, &hints, &list), EAI_NONAME);
	setlocale(LC_ALL, "C");
}

static sem_t told;

static void on_told(union sigval value)
{
	if (value.sival_int == 4711)
		sem_post(&told);
}

static void test_several(void **state)
{
	struct gaicb good = {.ar_name = "two"}, bad = {.ar_name = "nobody"};
	struct gaicb *both[] = {&good, NULL, &bad};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD,
				 .sigev_notify_function = on_told,
				 .sigev_value.sival_int = 4711};

	(void)state;
	assert_int_equal(getaddrinfo_a(7, both, 3, NULL), EAI_SYSTEM);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(getaddrinfo_a(GAI_WAIT, both, 3, NULL), 0);
	assert_int_equal(gai_error(&good), 0);
	assert_int_equal(gai_error(&bad), EAI_NONAME);
	freeaddrinfo(good.ar_result);
	sem_init(&told, 0, 0);
	assert_int_equal(getaddrinfo_a(GAI_NOWAIT, both, 3, &event), 0);
	assert_int_equal(sem_wait(&told), 0);
	assert_int_equal(gai_suspend((const struct gaicb **)both, 3, NULL), EAI_ALLDONE);
	assert_int_equal(gai_cancel(&good), EAI_ALLDONE);
	assert_int_equal(gai_error(&good), 0);
	assert_int_equal(good.ar_result->ai_family, AF_INET);
	freeaddrinfo(good.ar_result);
}

/* CPython reads the error of the functions with _r in h_errno. */
static void test_h_errno(void **state)
{
	in_addr_t addr = inet_addr(FAKE_PEER);
	struct hostent host, *result;
	char buf[512];
	int herror;

	(void)state;
	h_errno = 0;
	assert_int_equal(gethostbyname_r("nobody", &host, buf, sizeof(buf), &result, &herror), 0);
	assert_int_equal(herror, HOST_NOT_FOUND);
	assert_int_equal(h_errno, HOST_NOT_FOUND);
	assert_int_equal(gethostbyname_r("two", &host, buf, 8, &result, &herror), ERANGE);
	assert_int_equal(herror, NETDB_INTERNAL);
	assert_int_equal(h_errno, NETDB_INTERNAL);
	h_errno = 0;
	assert_int_equal(
		gethostbyname2_r("two", AF_UNIX, &host, buf, sizeof(buf), &result, &herror),
		EAFNOSUPPORT);
	assert_int_equal(h_errno, NETDB_INTERNAL);
	h_errno = 0;
	assert_int_equal(
		gethostbyaddr_r(&addr, 3, AF_INET, &host, buf, sizeof(buf), &result, &herror),
		EINVAL);
	assert_int_equal(h_errno, NETDB_INTERNAL);
	h_errno = TRY_AGAIN;
	assert_int_equal(gethostbyname_r("two", &host, buf, sizeof(buf), &result, &herror), 0);
	assert_int_equal(herror, NETDB_SUCCESS);
	assert_int_equal(h_errno, TRY_AGAIN);
}

static void test_no_instance(void **state)
{
	struct hostent host, *result;
	struct addrinfo *list;
	char buf[512];
	int herror;

	(void)state;
	fake_stop();
	assert_int_equal(getaddrinfo("two", "80", NULL, &list), EAI_AGAIN);
	assert_null(gethostbyname("two"));
	assert_int_equal(h_errno, TRY_AGAIN);
	h_errno = 0;
	assert_int_equal(gethostbyname_r("two", &host, buf, sizeof(buf), &result, &herror), EAGAIN);
	assert_int_equal(herror, TRY_AGAIN);
	assert_int_equal(h_errno, TRY_AGAIN);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_nameinfo),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_h_errno),
		cmocka_unit_test(test_other_letters),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_no_instance), /* the last one: it ends the fake */
	};

	(void)argc;
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
