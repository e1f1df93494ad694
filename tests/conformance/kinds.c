/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - socket() of each family, type and protocol, by root and by another user */
#include "tests/conformance/conform.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define TYPE_LAST 11

/* Protocols that the kernel may not have are left out: SCTP, DCCP, MPTCP. */
static const int protocols[] = {
	0,
	IPPROTO_ICMP,
	IPPROTO_IGMP,
	IPPROTO_TCP,
	IPPROTO_EGP,
	IPPROTO_UDP,
	IPPROTO_DCCP + 1,
	IPPROTO_IPV6,
	IPPROTO_GRE,
	IPPROTO_ICMPV6,
	IPPROTO_UDPLITE,
	IPPROTO_RAW,
	256,
	261,
	263,
	1000,
	-1,
};

static void table(void)
{
	int af;

	EACH_FAMILY(af)
	{
		for (int type = -1; type <= TYPE_LAST; type++) {
			for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
				char text[64];
				int fd;

				/* DCCP's type depends on the kernel's modules. */
				if (type == 6)
					continue;
				fd = socket(af, type, protocols[i]);
				snprintf(text, sizeof(text), "%d type %d protocol %d", digit(af),
					 type, protocols[i]);
				say(text, "%s", fd < 0 ? error_name(errno) : "fd");
				leak_check(fd);
				close(fd);
			}
		}
	}
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}, {0}};

	if (syscall(SYS_capset, &header, none))
		die("capset");
}

int main(void)
{
	int status = 0;
	pid_t pid;

	begin();
	about("as started");
	table();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
				       setresuid(65534, 65534, 65534)))
			die("another user");
		/* A user has them in a user namespace of the tests. */
		drop_capabilities();
		about("as nobody");
		table();
		fflush(stdout);
		_exit(0);
	}
	MUST(waitpid(pid, &status, 0));
	say("the other user", "%d", status);
	return 0;
}
