/* SPDX-License-Identifier: Apache-2.0 */
/* iucv-needs.c - what AF_IUCV needs of the system, for z/VM IUCV and for HiperSockets */
#include "transport/needs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lfp/system.h"
#include "transport/iucv-socket.h"
#include "transport/qeth.h"

#define HEADERS 118ul /* of Ethernet and of AF_IUCV, in each frame on HiperSockets */

struct need {
	const struct transport_report *report;
	const char *hsuid; /* "": z/VM IUCV */
	uint32_t mtu;
	bool has_device;      /* with that hsuid */
	unsigned int devices; /* of HiperSockets */
	struct qeth_device device;
};

const char *const iucv_needs[] = {
	"AF_IUCV", "environment", "hsuid", "layer 3", "completion queue", "MTU", NULL,
};

static void ok(const struct need *need, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void missing(const struct need *need, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void report(const struct need *need, enum transport_need is, const char *what,
		   const char *fmt, va_list args)
{
	char text[TRANSPORT_NEED_TEXT];

	vsnprintf(text, sizeof(text), fmt, args);
	need->report->line(need->report->data, is, what, text);
}

static void ok(const struct need *need, const char *what, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(need, TRANSPORT_NEED_MET, what, fmt, args);
	va_end(args);
}

static void missing(const struct need *need, const char *what, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(need, TRANSPORT_NEED_MISSING, what, fmt, args);
	va_end(args);
}

static void check_module(struct need *need)
{
	char cpu[LFP_SYSTEM_NAME];

	if (lfp_system_has("/sys/module/af_iucv"))
		ok(need, "AF_IUCV", "the kernel has af_iucv");
	else if (!lfp_system_value(cpu, "/proc/sysinfo", "Manufacturer"))
		missing(need, "AF_IUCV",
			"this is not Linux for IBM Z, which has it: use another TRANSPORT");
	else
		missing(need, "AF_IUCV", "load it: modprobe af_iucv");
}

static void check_environment(struct need *need)
{
	char program[LFP_SYSTEM_NAME], user[LFP_SYSTEM_NAME], lpar[LFP_SYSTEM_NAME];
	bool vm = lfp_system_value(program, "/proc/sysinfo", "VM00 Control Program");
	bool is_vm = vm && !strncmp(program, "z/VM", 4);

	(void)lfp_system_value(user, "/proc/sysinfo", "VM00 Name");
	if (!*need->hsuid && is_vm)
		ok(need, "environment", "%s, user id %s", program, user);
	else if (!*need->hsuid)
		missing(need, "environment",
			"z/VM IUCV needs a guest of z/VM: elsewhere set IUCV_HSUID, for "
			"HiperSockets");
	else if (vm && !is_vm)
		missing(need, "environment", "HiperSockets need an LPAR or z/VM, this is %s",
			program);
	else if (is_vm)
		ok(need, "environment", "%s, with a HiperSockets device", program);
	else if (lfp_system_value(lpar, "/proc/sysinfo", "LPAR Name"))
		ok(need, "environment", "LPAR %s", lpar);
	else
		missing(need, "environment", "HiperSockets need an LPAR or z/VM");
}

static void check_hsuid(struct need *need)
{
	const struct qeth_device *device = &need->device;

	if (need->has_device && device->online && device->up) {
		ok(need, "hsuid", "device %s, interface %s, has %s", device->id, device->interface,
		   need->hsuid);
		return;
	}
	if (need->has_device && device->online && *device->interface)
		missing(need, "hsuid", "interface %s is down: ip link set %s up", device->interface,
			device->interface);
	else if (need->has_device)
		missing(need, "hsuid", "device %s is offline: chzdev -e %s", device->id,
			device->id);
	else if (need->devices)
		missing(need, "hsuid",
			"no device has %s: chzdev qeth DEVICE hsuid=%s, while it is offline",
			need->hsuid, need->hsuid);
	else
		missing(need, "hsuid", "there is no HiperSockets device: chzdev qeth DEVICE -e");
}

static void check_layer(struct need *need)
{
	if (!need->has_device)
		missing(need, "layer 3", "no device with the hsuid %s", need->hsuid);
	else if (!need->device.hipersockets)
		missing(need, "layer 3", "device %s is not HiperSockets", need->device.id);
	else if (need->device.layer2)
		missing(need, "layer 3", "device %s is of layer 2: chzdev qeth %s layer2=0",
			need->device.id, need->device.id);
	else
		ok(need, "layer 3", "device %s", need->device.id);
}

/* The driver takes an hsuid only from a device that has one (EPERM), and turns it on then. */
static void check_completion_queue(struct need *need)
{
	if (need->has_device)
		ok(need, "completion queue", "device %s accepted an hsuid, which needs it",
		   need->device.id);
	else
		missing(need, "completion queue",
			"no device accepted the hsuid %s; the machine must have it (z196 or z114, "
			"driver level 93, or later)",
			need->hsuid);
}

static void check_mtu(struct need *need)
{
	unsigned long wanted = need->mtu, mtu = need->device.mtu;

	if (!need->has_device || !mtu)
		missing(need, "MTU", "no interface with the hsuid %s", need->hsuid);
	else if (mtu < wanted + HEADERS)
		missing(need, "MTU",
			"interface %s has %lu, MTU_SIZE %lu needs %lu: a larger frame size of the "
			"CHPID, "
			"or a smaller MTU_SIZE and MTU",
			need->device.interface, mtu, wanted, wanted + HEADERS);
	else
		ok(need, "MTU", "interface %s has %lu, MTU_SIZE is %lu", need->device.interface,
		   mtu, wanted);
}

/* Checks the needs of HiperSockets, from the hsuid on. */
static void check_hipersockets(struct need *need)
{
	need->has_device = qeth_find_hsuid(&need->device, need->hsuid, &need->devices);
	check_hsuid(need);
	check_layer(need);
	check_completion_queue(need);
	check_mtu(need);
}

void iucv_check_needs(const struct transport_settings *settings, uint32_t mtu,
		      const struct transport_report *report)
{
	struct need need = {.report = report, .hsuid = iucv_hsuid(settings), .mtu = mtu};

	check_module(&need);
	check_environment(&need);
	if (*need.hsuid)
		check_hipersockets(&need);
	else
		for (size_t i = 2; iucv_needs[i]; i++)
			report->line(report->data, TRANSPORT_NEED_NONE, iucv_needs[i],
				     "z/VM IUCV, no IUCV_HSUID");
}
