/* SPDX-License-Identifier: Apache-2.0 */
/* test-interfaces.c - getifaddrs, if_*, ioctls for interfaces, gethostname, gethostid */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

/* An address as text; "" for none. */
static const char *text_of(const struct sockaddr *addr)
{
	static char buf[4][INET6_ADDRSTRLEN];
	static int next;
	char *text = buf[next++ % 4];

	if (!addr)
		return "";
	if (addr->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)addr)->sin_addr,
			  text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)addr)->sin6_addr,
			  text, INET6_ADDRSTRLEN);
	return text;
}

static void check_packet(const struct ifaddrs *at, const char *name, int index, int kind)
{
	const struct sockaddr_ll *ll = (const struct sockaddr_ll *)(const void *)at->ifa_addr;

	assert_string_equal(at->ifa_name, name);
	assert_int_equal(ll->sll_family, AF_PACKET);
	assert_int_equal(ll->sll_ifindex, index);
	assert_int_equal(ll->sll_hatype, kind);
	assert_int_equal(ll->sll_halen, 6);
	assert_int_equal(ll->sll_addr[5], index == 1 ? 0 : 7);
	assert_non_null(at->ifa_data);
	assert_null(at->ifa_netmask);
}

static void test_list(void **state)
{
	static const struct {
		const char *name, *addr, *mask, *other;
	} want[] = {
		{"lo", "127.0.0.1", "255.0.0.0", "127.0.0.1"},
		{"fake0", FAKE_LOCAL, "255.255.255.0", "192.0.2.255"},
		{"lo", "::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
		{"fake0", "2001:db8::1", "ffff:ffff:ffff:ffff::", ""},
	};
	struct ifaddrs *list, *at;

	(void)state;
	errno = 12345;
	assert_int_equal(getifaddrs(&list), 0);
	assert_int_equal(errno, 12345);
	at = list;
	assert_int_equal(at->ifa_flags, IFF_UP | IFF_LOOPBACK | IFF_RUNNING);
	check_packet(at, "lo", 1, ARPHRD_LOOPBACK);
	at = at->ifa_next;
	check_packet(at, "fake0", 7, ARPHRD_ETHER);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		at = at->ifa_next;
		assert_non_null(at);
		assert_string_equal(at->ifa_name, want[i].name);
		assert_string_equal(text_of(at->ifa_addr), want[i].addr);
		assert_string_equal(text_of(at->ifa_netmask), want[i].mask);
		assert_string_equal(text_of(at->ifa_broadaddr), want[i].other);
	}
	assert_null(at->ifa_next);
	/* libc's own function must accept its own result */
	freeifaddrs(list);
}

static void test_names(void **state)
{
	struct if_nameindex *names = if_nameindex();
	char name[IF_NAMESIZE];

	(void)state;
	assert_non_null(names);
	assert_int_equal(names[0].if_index, 1);
	assert_string_equal(names[0].if_name, "lo");
	assert_int_equal(names[1].if_index, 7);
	assert_string_equal(names[1].if_name, "fake0");
	assert_int_equal(names[2].if_index, 0);
	assert_null(names[2].if_name);
	if_freenameindex(names);

	errno = 12345;
	assert_int_equal(if_nametoindex("fake0"), 7);
	assert_string_equal(if_indextoname(7, name), "fake0");
	assert_int_equal(errno, 12345);
	assert_int_equal(if_nametoindex("eth0"), 0);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(if_nametoindex(""), 0);
	assert_null(if_indextoname(2, name));
	assert_int_equal(errno, ENXIO);
}

static struct ifreq req_of(const char *name)
{
	struct ifreq req;

	memset(&req, 0xee, sizeof(req));
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	return req;
}

static const char *ask_addr(int fd, unsigned long request, const char *name)
{
	struct ifreq req = req_of(name);

	assert_int_equal(ioctl(fd, request, &req), 0);
	assert_int_equal(req.ifr_addr.sa_family, AF_INET);
	return text_of(&req.ifr_addr);
}

static void test_ioctls(void **state)
{
	struct ifreq req = req_of("fake0");
	int fd = near_new();

	(void)state;
	assert_string_equal(ask_addr(fd, SIOCGIFADDR, "fake0"), FAKE_LOCAL);
	assert_string_equal(ask_addr(fd, SIOCGIFADDR, "fake0:1"), FAKE_LOCAL);
	assert_string_equal(ask_addr(fd, SIOCGIFNETMASK, "fake0"), "255.255.255.0");
	assert_string_equal(ask_addr(fd, SIOCGIFBRDADDR, "fake0"), "192.0.2.255");
	assert_string_equal(ask_addr(fd, SIOCGIFDSTADDR, "fake0"), FAKE_LOCAL);
	assert_string_equal(ask_addr(fd, SIOCGIFBRDADDR, "lo"), "0.0.0.0");
	assert_string_equal(ask_addr(fd, SIOCGIFDSTADDR, "lo"), "127.0.0.1");
	assert_int_equal(ioctl(fd, SIOCGIFINDEX, &req), 0);
	assert_int_equal(req.ifr_ifindex, 7);
	memset(req.ifr_name, 0xee, sizeof(req.ifr_name));
	assert_int_equal(ioctl(fd, SIOCGIFNAME, &req), 0);
	assert_string_equal(req.ifr_name, "fake0");
	assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &req), 0);
	assert_int_equal(req.ifr_flags, IFF_UP | IFF_BROADCAST | IFF_RUNNING | IFF_MULTICAST);
	assert_int_equal(ioctl(fd, SIOCGIFMTU, &req), 0);
	assert_int_equal(req.ifr_mtu, 1492);
	assert_int_equal(ioctl(fd, SIOCGIFMETRIC, &req), 0);
	assert_int_equal(req.ifr_metric, 0);
	assert_int_equal(ioctl(fd, SIOCGIFHWADDR, &req), 0);
	assert_int_equal(req.ifr_hwaddr.sa_family, ARPHRD_ETHER);
	assert_memory_equal(req.ifr_hwaddr.sa_data, "\2\0\0\0\0\7", 6);
	/* by number */
	assert_int_equal(syscall(SYS_ioctl, fd, SIOCGIFMTU, &req), 0);
	close(fd);
}

static void test_ioctl_errors(void **state)
{
	struct ifreq req = req_of("eth0");
	struct ifconf conf = {.ifc_len = sizeof(req), .ifc_buf = (char *)16};
	int fd = near_new(), plain = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	QEMU_USER_LACKS("ENOTTY of ioctl()");
	assert_fails(ioctl(fd, SIOCGIFMTU, &req), ENODEV);
	assert_fails(ioctl(fd, SIOCGIFADDR, &req), ENODEV);
	assert_fails(ioctl(fd, SIOCGIFADDR, NULL), EFAULT);
	assert_fails(ioctl(fd, SIOCGIFADDR, 16), EFAULT);
	assert_fails(ioctl(fd, SIOCGIFCONF, &conf), EFAULT);
	req.ifr_ifindex = 2;
	assert_fails(ioctl(fd, SIOCGIFNAME, &req), ENODEV);
	req = req_of("fake0");
	assert_fails(ioctl(fd, SIOCSIFFLAGS, &req), EPERM);
	assert_fails(ioctl(fd, SIOCSIFADDR, &req), EPERM);
	/* other interfaces of the program's own network stay hidden */
	assert_fails(ioctl(fd, 0x8946, &req), ENOTTY); /* SIOCETHTOOL */
	/* sockets that are not LFP's ask the kernel */
	assert_fails(ioctl(plain, SIOCGIFMTU, &req), ENODEV);
	close(plain);
	close(fd);
}

static void test_conf(void **state)
{
	struct ifreq reqs[4];
	struct ifconf conf = {.ifc_len = 0, .ifc_buf = NULL};
	int fd = near_new();

	(void)state;
	assert_int_equal(ioctl(fd, SIOCGIFCONF, &conf), 0);
	assert_int_equal(conf.ifc_len, 2 * sizeof(struct ifreq));
	conf = (struct ifconf){.ifc_len = sizeof(reqs), .ifc_req = reqs};
	assert_int_equal(ioctl(fd, SIOCGIFCONF, &conf), 0);
	assert_int_equal(conf.ifc_len, 2 * sizeof(struct ifreq));
	assert_string_equal(reqs[0].ifr_name, "lo");
	assert_string_equal(text_of(&reqs[0].ifr_addr), "127.0.0.1");
	assert_string_equal(reqs[1].ifr_name, "fake0");
	assert_string_equal(text_of(&reqs[1].ifr_addr), FAKE_LOCAL);
	/* only whole entries */
	conf.ifc_len = 2 * (int)sizeof(struct ifreq) - 1;
	assert_int_equal(ioctl(fd, SIOCGIFCONF, &conf), 0);
	assert_int_equal(conf.ifc_len, sizeof(struct ifreq));
	close(fd);
}

static void test_hostname(void **state)
{
	char name[128];
	struct utsname machine;

	(void)state;
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(name, FAKE_SHORT);
	assert_int_equal(gethostname(name, sizeof(FAKE_SHORT)), 0);
	name[3] = '#';
	assert_fails(gethostname(name, 3), ENAMETOOLONG);
	assert_memory_equal(name, "lin#", 4);
	assert_int_equal(gethostid(), (long)(int)inet_addr(FAKE_LOCAL));
	/* the machine's own */
	assert_int_equal(uname(&machine), 0);
	assert_string_not_equal(machine.nodename, FAKE_SHORT);
}

/* As Java reads it. */
static void test_if_inet6(void **state)
{
	unsigned int index, prefix, scope, flags;
	char line[128], addr[33], name[17];
	FILE *file = fopen("/proc/net/if_inet6", "r");
	const char *volatile missing = NULL;

	(void)missing;
	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "00000000000000000000000000000001 01 80 10 80       lo\n");
	assert_int_equal(
		fscanf(file, "%32s %x %x %x %x %16s", addr, &index, &prefix, &scope, &flags, name),
		6);
	assert_string_equal(addr, "20010db8000000000000000000000001");
	assert_int_equal(index, 7);
	assert_int_equal(prefix, 64);
	assert_int_equal(scope, 0);
	assert_string_equal(name, "fake0");
	assert_int_equal(fscanf(file, "%16s", name), EOF);
	fclose(file);
	/* other files are what they are */
	assert_fails(fopen("/proc/net/no such file", "r") ? 0 : -1, ENOENT);
/* Sanitizers read the name themselves. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_null(fopen(missing, "r"));
	assert_null(fopen(missing + 16, "r"));
#endif
	file = fopen("/dev/null", "re");
	assert_int_equal(fcntl(fileno(file), F_GETFD), FD_CLOEXEC);
	fclose(file);
}

static void test_no_instance(void **state)
{
	struct utsname machine;
	struct ifaddrs *list;
	char name[128];

	(void)state;
	fake_stop();
	assert_fails(getifaddrs(&list), ENETDOWN);
	assert_null(if_nameindex());
	assert_int_equal(if_nametoindex("lo"), 0);
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_int_equal(uname(&machine), 0);
	assert_string_equal(name, machine.nodename);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ioctls),
		cmocka_unit_test(test_ioctl_errors),
		cmocka_unit_test(test_conf),
		cmocka_unit_test(test_hostname),
		cmocka_unit_test(test_if_inet6),
		cmocka_unit_test(test_no_instance), /* the last one: it ends the fake */
	};

	(void)argc;
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
