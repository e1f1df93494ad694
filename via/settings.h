/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - via.conf: what the appliance as a whole needs */
#ifndef VIA_SETTINGS_H
#define VIA_SETTINGS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/reader.h"
#include "via/archive.h"

#define VIA_SETTINGS_FILE "via.conf"

#define VIA_ADDRESSES_MAX   32
#define VIA_DEVICES_MAX     8
#define VIA_DEVICE_MAX      18 /* bytes of a device's name or MAC address, with the NUL */
#define VIA_GATEWAYS_MAX    2  /* one for IPv4, one for IPv6 */
#define VIA_SERVERS_MAX     3  /* name servers; resolv.conf(5) knows no more */
#define VIA_CONTROLLERS_MAX 4

/* An address in network byte order; IPv4 uses the first 4 bytes. */
struct via_ip {
	int family; /* AF_INET or AF_INET6 */
	uint8_t bytes[16];
};

struct via_address {
	struct via_ip ip;
	unsigned int prefix;         /* bits of its network */
	char device[VIA_DEVICE_MAX]; /* "": the first one that is no loopback */
};

/* A network device that is used, with or without an address. */
struct via_device {
	char name[VIA_DEVICE_MAX];
	unsigned int mtu; /* bytes; 0: as it is */
};

/* Who may give commands. The kernel vouches for each of these names. */
enum via_controller_kind {
	VIA_CONTROLLER_VSOCK, /* the CID of a system; 2 is the host of a virtual machine */
	VIA_CONTROLLER_IUCV,  /* a z/VM user id */
	VIA_CONTROLLER_USER,  /* a user of the kernel that runs the appliance, for containers */
};

struct via_controller {
	enum via_controller_kind kind;
	uint32_t number; /* CID or user */
	bool privileged; /* VSOCK: only from a port below 1024, which not every user of that system
			    has */
	char vmid[9];
};

struct via_settings {
	char host_name[64]; /* "": via */
	char time_server[INET6_ADDRSTRLEN];
	char name_servers[VIA_SERVERS_MAX][INET6_ADDRSTRLEN];
	char hsuid[9]; /* of the HiperSockets device for controllers; "": z/VM IUCV */
	size_t nr_name_servers;
	struct via_device devices[VIA_DEVICES_MAX];
	size_t nr_devices;
	struct via_address addresses[VIA_ADDRESSES_MAX];
	size_t nr_addresses;
	struct via_ip gateways[VIA_GATEWAYS_MAX];
	size_t nr_gateways;
	struct via_controller controllers[VIA_CONTROLLERS_MAX];
	size_t nr_controllers;
};

/* Reads via.conf. Returns 0, or -EINVAL with all errors, "via.conf:LINE: KEY: reason". Without any
 * CONTROLLER nobody may give commands. */
int via_settings_read(const struct via_file *file, struct via_settings *settings,
		      struct lfp_reader_errors *errs);

#endif
