/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what an instance needs of this system, line by line */
#include "lfpd-ctl/check.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfp/system.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"
#include "transport/qeth.h"

#define HEADERS    118ul /* of Ethernet and of AF_IUCV, in each frame on HiperSockets */
#define VALUES_MAX 16384

struct check {
	const char *name;
	char values[VALUES_MAX]; /* of the configuration, lines "KEY = VALUE" */
	unsigned int missing;
	bool iucv;                   /* TRANSPORT = iucv */
	char hsuid[LFP_SYSTEM_NAME]; /* "": z/VM IUCV */
	bool has_device;             /* with that hsuid */
	unsigned int devices;        /* of HiperSockets */
	struct qeth_device device;
};

static void ok(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void missing(struct check *check, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void print_line(const char *word, const char *what, const char *fmt, va_list args)
{
	printf("%-8s %-18s ", word, what);
	vprintf(fmt, args);
	putchar('\n');
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
	print_line("missing", what, fmt, args);
	va_end(args);
}

static void not_needed(const char *what, const char *why)
{
	printf("%-8s %-18s not needed: %s\n", "-", what, why);
}

/* The value of a key of the configuration; false, and "", if it is not set. */
static bool value(const struct check *check, const char *key, char out[static LFP_SYSTEM_NAME])
{
	size_t len = strlen(key);
	const char *at = check->values;

	*out = '\0';
	for (; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, key, len) && !strncmp(at + len, " = ", 3))
			return sscanf(at + len + 3, "\"%63[^\"]", out) == 1 ||
			       sscanf(at + len + 3, "%63s", out) == 1;
	}
	return false;
}

static void check_module(struct check *check)
{
	char cpu[LFP_SYSTEM_NAME];

	if (lfp_system_has("/sys/module/af_iucv"))
		ok("AF_IUCV", "the kernel has af_iucv");
	else if (!lfp_system_value(cpu, "/proc/sysinfo", "Manufacturer"))
		missing(check, "AF_IUCV",
			"this is not Linux for IBM Z, which has it: use another TRANSPORT");
	else
		missing(check, "AF_IUCV", "load it: modprobe af_iucv");
}

static void check_environment(struct check *check)
{
	char program[LFP_SYSTEM_NAME], user[LFP_SYSTEM_NAME], lpar[LFP_SYSTEM_NAME];
	bool vm = lfp_system_value(program, "/proc/sysinfo", "VM00 Control Program");
	bool is_vm = vm && !strncmp(program, "z/VM", 4);

	(void)lfp_system_value(user, "/proc/sysinfo", "VM00 Name");
	if (!*check->hsuid && is_vm)
		ok("environment", "%s, user id %s", program, user);
	else if (!*check->hsuid)
		missing(check, "environment",
			"z/VM IUCV needs a guest of z/VM: elsewhere set IUCV_HSUID, for "
			"HiperSockets");
	else if (vm && !is_vm)
		missing(check, "environment", "HiperSockets need an LPAR or z/VM, this is %s",
			program);
	else if (is_vm)
		ok("environment", "%s, with a HiperSockets device", program);
	else if (lfp_system_value(lpar, "/proc/sysinfo", "LPAR Name"))
		ok("environment", "LPAR %s", lpar);
	else
		missing(check, "environment", "HiperSockets need an LPAR or z/VM");
}

static void check_hsuid(struct check *check)
{
	const struct qeth_device *device = &check->device;

	if (check->has_device && device->online && device->up) {
		ok("hsuid", "device %s, interface %s, has %s", device->id, device->interface,
		   check->hsuid);
		return;
	}
	if (check->has_device && device->online && *device->interface)
		missing(check, "hsuid", "interface %s is down: ip link set %s up",
			device->interface, device->interface);
	else if (check->has_device)
		missing(check, "hsuid", "device %s is offline: chzdev -e %s", device->id,
			device->id);
	else if (check->devices)
		missing(check, "hsuid",
			"no device has %s: chzdev qeth DEVICE hsuid=%s, while it is offline",
			check->hsuid, check->hsuid);
	else
		missing(check, "hsuid", "there is no HiperSockets device: chzdev qeth DEVICE -e");
}

static void check_layer(struct check *check)
{
	if (!check->has_device)
		missing(check, "layer 3", "no device with the hsuid %s", check->hsuid);
	else if (!check->device.hipersockets)
		missing(check, "layer 3", "device %s is not HiperSockets", check->device.id);
	else if (check->device.layer2)
		missing(check, "layer 3", "device %s is of layer 2: chzdev qeth %s layer2=0",
			check->device.id, check->device.id);
	else
		ok("layer 3", "device %s", check->device.id);
}

/* The driver takes an hsuid only from a device that has one (EPERM), and turns it on then. */
static void check_completion_queue(struct check *check)
{
	if (check->has_device)
		ok("completion queue", "device %s accepted an hsuid, which needs it",
		   check->device.id);
	else
		missing(check, "completion queue",
			"no device accepted the hsuid %s; the machine must have it (z196 or z114, "
			"driver level 93, or later)",
			check->hsuid);
}

static void check_mtu(struct check *check)
{
	char text[LFP_SYSTEM_NAME];
	unsigned long wanted, mtu = check->device.mtu;

	(void)value(check, "MTU_SIZE", text);
	wanted = strtoul(text, NULL, 10);
	if (!check->has_device || !mtu)
		missing(check, "MTU", "no interface with the hsuid %s", check->hsuid);
	else if (mtu < wanted + HEADERS)
		missing(check, "MTU",
			"interface %s has %lu, MTU_SIZE %lu needs %lu: a larger frame size of the "
			"CHPID, "
			"or a smaller MTU_SIZE and MTU",
			check->device.interface, mtu, wanted, wanted + HEADERS);
	else
		ok("MTU", "interface %s has %lu, MTU_SIZE is %lu", check->device.interface, mtu,
		   wanted);
}

static void check_path(struct check *check)
{
	static const char other[] = "TRANSPORT is not iucv", in_vm[] = "z/VM IUCV, no IUCV_HSUID";
	const char *why = check->iucv ? in_vm : other;

	if (check->iucv) {
		check_module(check);
		check_environment(check);
	} else {
		not_needed("AF_IUCV", other);
		not_needed("environment", other);
	}
	if (check->iucv && *check->hsuid) {
		check->has_device = qeth_find_hsuid(&check->device, check->hsuid, &check->devices);
		check_hsuid(check);
		check_layer(check);
		check_completion_queue(check);
		check_mtu(check);
	} else {
		not_needed("hsuid", why);
		not_needed("layer 3", why);
		not_needed("completion queue", why);
		not_needed("MTU", why);
	}
}

static void check_host_id(struct check *check, const char *key, int family)
{
	char addr[LFP_SYSTEM_NAME], restricts[LFP_SYSTEM_NAME];
	bool confined = value(check, "RESTRICT_TO_HOSTID", restricts) && !strcmp(restricts, "yes");

	if (!value(check, key, addr))
		not_needed("host id",
			   family == AF_INET ? "VSE_HOSTID is not set" : "VSE_HOSTID6 is not set");
	else if (lfp_system_has_address(family, addr))
		ok("host id", "an interface has %s = %s", key, addr);
	else if (confined)
		missing(check, "host id",
			"no interface has %s = %s: ip address add %s dev INTERFACE", key, addr,
			addr);
	else
		not_needed("host id", "no interface has it, but RESTRICT_TO_HOSTID is no");
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

/* The configuration that is enabled, or else the one that is only available. */
static int find_conf(char conf[static LFP_PLACE_MAX], const char *name)
{
	if (!lfp_place_conf(conf, "enabled", name) && access(conf, R_OK) == 0)
		return LSB_OK;
	if (!lfp_place_conf(conf, "available", name) && access(conf, R_OK) == 0)
		return LSB_OK;
	return service_find_conf(conf, name);
}

int check_instance(const char *name)
{
	char conf[LFP_PLACE_MAX], text[LFP_SYSTEM_NAME];
	struct check *check = calloc(1, sizeof(*check));
	int rc = check ? find_conf(conf, name) : LSB_FAILURE;

	if (!rc)
		rc = service_values(name, conf, check->values, sizeof(check->values));
	if (rc) {
		free(check);
		return rc;
	}
	check->name = name;
	check->iucv = value(check, "TRANSPORT", text) && !strcmp(text, "iucv");
	(void)value(check, "IUCV_HSUID", check->hsuid);
	printf("%s: TRANSPORT = %s\n", name, text);
	check_path(check);
	check_host_id(check, "VSE_HOSTID", AF_INET);
	check_host_id(check, "VSE_HOSTID6", AF_INET6);
	check_ports(check);
	if (check->missing)
		lfp_msg("VLFD850E", "%s: %u prerequisites are missing.", name, check->missing);
	rc = check->missing ? LSB_FAILURE : LSB_OK;
	free(check);
	return rc;
}
