/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what an instance needs of this system, line by line */
#include "lfpd-ctl/commands.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfp/netns.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfp/system.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"
#include "transport/needs.h"
#include "transport/settings.h"
#include "transport/transport.h"
#include "transport/vm.h"

struct check {
	const char *name;
	char values[SERVICE_VALUES_MAX]; /* of the configuration, lines "KEY = VALUE" */
	unsigned int missing;
	bool all;      /* also what is not needed */
	bool restarts; /* before a restart: only what is missing is reported, as errors */
};

static void ok(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void missing(struct check *check, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define LINE_MAX_BYTES 1024

static void print_line(const char *word, const char *what, const char *fmt, va_list args)
{
	printf("%-8s %-18s ", word, what);
	vprintf(fmt, args);
	putchar('\n');
}

static void tell_missing(const struct check *check, const char *what, const char *fmt, va_list args)
{
	char text[LINE_MAX_BYTES];

	vsnprintf(text, sizeof(text), fmt, args);
	lfp_msg("VLFD868E", "%s goes on as it is, because it could not start again (%s): %s.",
		check->name, what, text);
}

static void ok(const char *what, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line("ok", what, fmt, args);
	va_end(args);
}

static void missing(struct check *check, const char *what, const char *fmt, ...)
{
	va_list args;

	check->missing++;
	va_start(args, fmt);
	if (check->restarts)
		tell_missing(check, what, fmt, args);
	else
		print_line("missing", what, fmt, args);
	va_end(args);
}

static void not_needed(const struct check *check, const char *what, const char *why)
{
	if (check->all)
		printf("%-8s %-18s not needed: %s\n", "-", what, why);
}

/* The value of a key of the configuration; false, and "", if it is not set. */
static bool value(const struct check *check, const char *key, char out[static LFP_SYSTEM_NAME])
{
	return service_value(check->values, key, out, LFP_SYSTEM_NAME);
}

static void on_need(void *data, enum transport_need need, const char *what, const char *text)
{
	struct check *check = data;

	if (need == TRANSPORT_NEED_MET)
		ok(what, "%s", text);
	else if (need == TRANSPORT_NEED_NONE)
		not_needed(check, what, text);
	else if (need == TRANSPORT_NEED_MISSING || !check->restarts)
		missing(check, what, "%s", text);
}

/* Sets a transport's value from the configuration, which lfpd has checked already. */
static void read_setting(const struct check *check, const struct lfp_field *field,
			 struct transport_settings *settings)
{
	char text[LFP_SYSTEM_NAME], reason[LFP_SYSTEM_NAME];

	if (value(check, field->key, text))
		(void)lfp_field_set(field, settings, text, reason, sizeof(reason));
}

static void check_path(struct check *check)
{
	const struct transport_report report = {.line = on_need, .data = check};
	const struct lfp_field choice = transport_choice_field(TRANSPORT_LFPD, 0);
	struct lfp_field keys[TRANSPORT_KEYS_MAX];
	size_t nr = transport_fields(TRANSPORT_LFPD, 0, keys, TRANSPORT_KEYS_MAX);
	struct transport_settings settings;
	char mtu[LFP_SYSTEM_NAME];

	transport_settings_init(&settings, TRANSPORT_LFPD);
	read_setting(check, &choice, &settings);
	for (size_t i = 0; i < nr; i++)
		read_setting(check, &keys[i], &settings);
	printf("%s: %s = %s\n", check->name, choice.key, transport_chosen(&settings)->name);
	(void)value(check, "MTU_SIZE", mtu);
	transport_check_needs(&settings, (uint32_t)strtoul(mtu, NULL, 10), &report);
}

static void unknown(const char *what, const char *why)
{
	printf("%-8s %-18s not checked: %s\n", "-", what, why);
}

/* Enters the namespace, so that all that follows is looked up there. Returns false if it cannot be
 * seen from here. */
static bool check_netns(struct check *check)
{
	char netns[LFP_FIELD_PLACE_MAX];
	int fd, rc;

	if (!service_value(check->values, "HOST_NETNS", netns, sizeof(netns))) {
		not_needed(check, "host netns", "HOST_NETNS is not set");
		return true;
	}
	fd = lfp_netns_open(netns);
	if (fd < 0) {
		missing(check, "host netns", "HOST_NETNS = %s: %s: ip netns add NAME", netns,
			lfp_netns_strerror(fd));
		return false;
	}
	close(fd);
	ok("host netns", "the network namespace HOST_NETNS = %s exists", netns);
	rc = lfp_netns_enter(netns);
	return rc == 0;
}

static void check_interface(struct check *check)
{
	char name[LFP_SYSTEM_NAME];
	bool needs = lfp_interface_needs_capability();
	const char *state;
	pid_t pid = 0;
	bool runs = instance_query(check->name, &pid) == LFP_PIDFILE_HELD;

	if (!value(check, "HOST_INTERFACE", name)) {
		not_needed(check, "host interface", "HOST_INTERFACE is not set");
		return;
	}
	state = lfp_interface_state(name);
	if (!strcmp(state, "missing"))
		missing(check, "host interface", "HOST_INTERFACE = %s: there is no such interface",
			name);
	else
		ok("host interface", "the interface HOST_INTERFACE = %s is %s", name, state);
	if (check->restarts) /* the right stays with the process, or comes from its unit */
		return;
	if (!needs)
		ok("interface right", "any user may bind a socket to an interface here");
	else if (lfp_system_has_capability(runs ? pid : 0, CAP_NET_RAW))
		ok("interface right", "%s has CAP_NET_RAW",
		   runs ? "lfpd" : "the user that starts it");
	else
		missing(check, "interface right",
			"%s lacks CAP_NET_RAW, which Linux before 5.7 requires: start "
			"it as root, or lfpd-ctl enable %s",
			runs ? "lfpd" : "the caller", check->name);
}

/* Returns true if a socket can be bound to the address: a route of type local, too, makes that
 * possible, without an interface that has the address. */
static bool can_bind(int family, const char *text)
{
	struct sockaddr_in6 addr6 = {.sin6_family = AF_INET6};
	struct sockaddr_in addr = {.sin_family = AF_INET};
	bool ipv6 = family == AF_INET6;
	int fd, rc;

	if (inet_pton(family, text, ipv6 ? (void *)&addr6.sin6_addr : (void *)&addr.sin_addr) != 1)
		return false;
	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	rc = ipv6 ? bind(fd, (struct sockaddr *)&addr6, sizeof(addr6))
		  : bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	close(fd);
	return !rc;
}

static void check_host_id(struct check *check, const char *key, int family)
{
	char addr[LFP_SYSTEM_NAME], restricts[LFP_SYSTEM_NAME];
	bool confined = value(check, "RESTRICT_TO_HOSTID", restricts) && !strcmp(restricts, "yes");

	if (!value(check, key, addr))
		not_needed(check, "host id",
			   family == AF_INET ? "VSE_HOSTID is not set" : "VSE_HOSTID6 is not set");
	else if (lfp_system_has_address(family, addr))
		ok("host id", "an interface has %s = %s", key, addr);
	else if (can_bind(family, addr))
		ok("host id", "no interface has it, but sockets can be bound to %s = %s", key,
		   addr);
	else if (confined)
		missing(check, "host id",
			"no interface has %s = %s: ip address add %s dev INTERFACE", key, addr,
			addr);
	else
		not_needed(check, "host id", "no interface has it, but RESTRICT_TO_HOSTID is no");
}

/* lfpd binds for servers on z/VSE. A running one tells by itself; else it gets what we have. */
static void check_ports(struct check *check)
{
	char text[LFP_SYSTEM_NAME];
	pid_t pid = 0;
	bool runs = instance_query(check->name, &pid) == LFP_PIDFILE_HELD;

	if (lfp_system_line(text, "/proc/sys/net/ipv4/ip_unprivileged_port_start") &&
	    !strcmp(text, "0"))
		ok("port capability", "any user may bind ports below 1024 here");
	else if (lfp_system_has_capability(runs ? pid : 0, CAP_NET_BIND_SERVICE))
		ok("port capability", "%s has CAP_NET_BIND_SERVICE",
		   runs ? "lfpd" : "the user that starts it");
	else if (!runs && instance_by_systemd())
		ok("port capability", "the service gets CAP_NET_BIND_SERVICE from systemd");
	else
		missing(check, "port capability",
			"%s lacks CAP_NET_BIND_SERVICE, for ports below 1024: start it as root or "
			"by "
			"systemd",
			runs ? "lfpd" : "the caller");
}

/* Where lfpd may bind ports that its programs' users must not bind. */
static void check_privileged(struct check *check)
{
	char text[LFP_SYSTEM_NAME];
	pid_t pid = 0;
	bool runs = instance_query(check->name, &pid) == LFP_PIDFILE_HELD;

	if (lfp_system_line(text, "/proc/sys/net/ipv4/ip_unprivileged_port_start") &&
	    !strcmp(text, "0"))
		not_needed(check, "privileged ports", "this host has none");
	else if (value(check, "POLICY_FILE", text))
		ok("privileged ports", "users other than root need a rule of POLICY_FILE");
	else if (value(check, "PRIVILEGED_PORTS", text) && !strcmp(text, "root"))
		ok("privileged ports", "PRIVILEGED_PORTS = root");
	else if (!lfp_system_has_capability(runs ? pid : 0, CAP_NET_BIND_SERVICE) &&
		 (runs || !instance_by_systemd()))
		not_needed(check, "privileged ports", "lfpd lacks CAP_NET_BIND_SERVICE");
	else
		printf("%-8s %-18s any local user of the instance may bind ports such as 80: set "
		       "PRIVILEGED_PORTS = root, or POLICY_FILE\n",
		       "warning", "privileged ports");
}

static void on_finding(void *data, enum machine_finding finding, const char *what, const char *text)
{
	struct check *check = data;

	if (finding == MACHINE_OK)
		ok(what, "%s", text);
	else if (finding == MACHINE_MISSING)
		missing(check, what, "%s", text);
	else
		printf("%-8s %-18s %s\n", "advice", what, text);
}

/* The machine that @file declares, or the directory if it is NULL. Returns 1 if one is declared, 0,
 * or a negative errno, which is reported. */
static int check_machine(struct check *check, const char *file)
{
	const struct machine_report report = {.line = on_finding, .data = check};
	struct machine machine;
	char why[LFP_PLACE_MAX + 256];
	int rc = vm_machine(file, &machine, why, sizeof(why));

	if (rc < 0)
		lfp_msg("VLFD851E", "The declared machine cannot be checked: %s.", why);
	if (rc > 0)
		machine_check(&machine, &report);
	return rc;
}

int check_declared(const char *file)
{
	struct check check = {.name = file};
	int rc = check_machine(&check, file);

	if (!rc)
		lfp_msg("VLFD852E", "%s declares no machine: it has no MACHINE, LEVEL or MODE.",
			file);
	if (check.missing)
		lfp_msg("VLFD850E", "%s: %u prerequisites are missing.", file, check.missing);
	return rc <= 0 || check.missing ? LSB_FAILURE : LSB_OK;
}

/* All that makes lfpd's start fail. Enters HOST_NETNS. */
static void check_start(struct check *check)
{
	check_path(check);
	if (check_netns(check)) {
		check_interface(check);
		check_host_id(check, "VSE_HOSTID", AF_INET);
		check_host_id(check, "VSE_HOSTID6", AF_INET6);
	} else {
		unknown("host interface", "only root can look into the network namespace");
		unknown("host id", "only root can look into the network namespace");
	}
}

/* Also that with which it starts, and does not do all of its work. */
static void check_all(struct check *check)
{
	check_start(check);
	check_ports(check);
	check_privileged(check);
	if (check_machine(check, NULL) < 0)
		check->missing++;
	if (check->missing)
		lfp_msg("VLFD850E", "%s: %u prerequisites are missing.", check->name,
			check->missing);
}

/* Only what is missing has a message. */
static void check_silently(struct check *check)
{
	if (!freopen("/dev/null", "w", stdout))
		return;
	check_start(check);
}

/* Checks in a process of its own, because the network namespace that it enters is not for the next
 * instance. Returns an enum lsb_exit. */
static int run_apart(struct check *check, void (*work)(struct check *))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		lfp_msg("VLFD853E", "%s cannot be checked: %s.", check->name, strerror(errno));
		return LSB_FAILURE;
	}
	if (!pid) {
		work(check);
		fflush(stdout);
		_exit(check->missing ? LSB_FAILURE : LSB_OK);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : LSB_FAILURE;
}

/* When to check, and what to tell. */
enum check_how { CHECK_NEEDED, CHECK_ALL, CHECK_RESTART };

static int check_conf(const char *name, const char *conf, enum check_how how)
{
	struct check *check = calloc(1, sizeof(*check));
	int rc = check ? service_values(name, conf, check->values, sizeof(check->values))
		       : LSB_FAILURE;

	if (!rc) {
		check->name = name;
		check->all = how == CHECK_ALL;
		check->restarts = how == CHECK_RESTART;
		rc = run_apart(check, check->restarts ? check_silently : check_all);
	}
	free(check);
	return rc;
}

static int check_named(const char *name, enum check_how how)
{
	char conf[LFP_PLACE_MAX];
	int rc = service_any_conf(conf, name);

	return rc ? rc : check_conf(name, conf, how);
}

int check_instance(const char *name)
{
	return check_named(name, CHECK_NEEDED);
}

int check_instance_all(const char *name)
{
	return check_named(name, CHECK_ALL);
}

int check_before_restart(const char *name, const char *conf)
{
	return check_conf(name, conf, CHECK_RESTART);
}
