/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.h - channels, links, control units and devices, their connections, and how to run them */
#ifndef DEVEMU_FABRIC_H
#define DEVEMU_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/clock/sim.h"
#include "devemu/fabric/cap.h"
#include "devemu/fabric/config.h"
#include "devemu/fabric/counters.h"
#include "devemu/fabric/link.h"
#include "devemu/fabric/preset.h"
#include "devemu/fabric/processor.h"
#include "devemu/fabric/server.h"
#include "devemu/zhyperlink/limits.h"

struct fces_connection;
struct fces_login;
struct io;
struct volume;

/* Error of a configuration or a run. */
struct fabric_error {
	int line; /* of the scenario; 0: none */
	char text[200];
};

struct io_queue {
	struct io *head, *tail;
	uint64_t length;
};

struct fabric_domain {
	unsigned int number;
	struct cap cap;       /* its own interconnect */
	struct cap alternate; /* that of its partner, used when its own has failed */
	struct fabric_fanout *fanout;
	bool up;
};

struct fabric_fanout {
	unsigned int number; /* domain / 2 */
	struct cap cap;
};

struct fabric_card {
	unsigned int number;
	struct cap cap;
	struct fabric_domain *domain;
};

struct fabric_channel {
	const struct channel_config *config;
	const struct preset_generation *generation;
	const struct preset_speed *speed; /* negotiated with its link */
	struct processor processor;
	struct server bus;
	struct server fcp_write;
	struct fabric_card *card;
	bool up;
	unsigned int active[OPERATIONS];
	unsigned int limit[OPERATIONS]; /* open exchanges */
	struct io_queue deferred[OPERATIONS];
	struct channel_counters counters; /* busy times: fabric_channel_counters() */
};

/* The zHyperLink of one port. */
struct zhyperlink {
	unsigned int adapter, port, functions;
	unsigned long metres;
	int64_t propagation; /* ps, one way */
	int64_t held_until;  /* ps */
};

struct fabric_control_unit {
	const struct control_unit_config *config;
	const struct preset_storage *storage;
	struct server *port; /* config->ports of them */
	struct server *lane; /* storage->fcp_lanes of each port */
	unsigned int lcu;
	unsigned int zhyperlinks, next_zhyperlink;
	struct zhyperlink *zhyperlink[ZHYPERLINK_ADAPTERS * ZHYPERLINK_PORTS]; /* in turn */
};

/* Protection of the connection between a channel and a control unit, as displays show it. */
enum path_security { SECURITY_NONE, SECURITY_AUTHENTICATED, SECURITY_ENCRYPTED };

/* A fault or a SETIOS at a given time. */
struct fabric_action {
	struct sim_node node; /* first */
	struct fabric *fabric;
	const struct fault_config *fault; /* or NULL: */
	const struct setios_config *setios;
};

/* A hop is a trunk of equal links; an I/O keeps to one of them. */
struct fabric_hop {
	struct link *link; /* first of @count */
	unsigned int count;
};

struct fabric_path {
	const struct path_config *config; /* NULL never */
	struct fabric_channel *channel;
	struct fabric_control_unit *control_unit;
	struct server *port;
	unsigned int hops;
	struct fabric_hop hop[CONFIG_VIA_MAX];
	enum path_security security;  /* none until fces_login() */
	uint32_t frame_extra;         /* bytes that endpoint security adds to each of its frames */
	struct fces_connection *fces; /* that its frames pass; NULL: in the clear */
	bool barred;                  /* unusable: an end requires encryption, which failed */
	uint32_t epoch;               /* grows when the path fails */
};

struct fabric_device {
	const struct device_config *config;
	unsigned int number;
	struct fabric_control_unit *control_unit;
	unsigned int paths, next_path;
	struct fabric_path *path[CONFIG_PATHS_MAX];
	unsigned int active, limit;
	int64_t active_since;    /* ps: when @active last changed, or counting began */
	struct io_queue waiting; /* IOSQ */
	unsigned int cylinders;
	struct volume *volume; /* NULL: only time is simulated */
	struct device_counters counters;
	struct sync_counters sync;
};

struct fabric_load {
	struct sim_node node; /* the next arrival of an open load */
	const struct load_config *config;
	struct fabric *fabric;
	struct fabric_device *first;
	unsigned int next;
	int64_t arrival_left; /* remainder of a second divided by the rate */
	struct random places; /* its own sequence, so that places do not depend on time */
	uint64_t serial;      /* I/Os to volumes so far */
	uint64_t started, ended;
	uint64_t failed;   /* without a path */
	uint64_t errors;   /* whose program ended with an error */
	uint64_t response; /* sum over ended ones in the interval, ps */
};

struct fabric {
	struct sim sim;
	const struct config *config;
	bool zhpf;              /* the system's switch: IECIOSxx ZHPF=, SETIOS ZHPF= */
	int64_t interval_start; /* ps: when counters began */
	struct link *link;      /* a trunk's one after the other */
	struct fabric_channel *channel;
	struct fabric_control_unit *control_unit;
	struct fabric_device *device;
	struct fabric_path *path;
	struct fabric_card *card;
	struct fabric_domain *domain;
	struct fabric_fanout *fanout;
	struct fabric_load *load;
	struct zhyperlink *zhyperlink;
	struct fces_login *login;         /* NULL until fces_login() */
	struct fabric_action *action;     /* faults and SETIOS, at their times */
	struct fabric_device **by_number; /* 65,536 of them */
	size_t configured_links;          /* the rest are direct ones */
	size_t links, channels, control_units, devices, paths, cards, domains, fanouts, loads,
		actions, zhyperlinks;
	struct io *idle;         /* free list */
	struct io_block *blocks; /* memory of all I/Os */
	uint64_t ios, io_numbers;
};

/* ps since the counters began. */
static inline int64_t fabric_interval(const struct fabric *fabric)
{
	return fabric->sim.now - fabric->interval_start;
}

/* Copies with the busy times of processor and bus filled in. */
struct channel_counters fabric_channel_counters(const struct fabric *fabric,
						const struct fabric_channel *channel);

struct fabric_device *fabric_device(struct fabric *fabric, unsigned int number);  /* or NULL */
struct fabric_channel *fabric_channel(struct fabric *fabric, unsigned int chpid); /* or NULL */

/* Returns whether channel and links are up and the path is not barred. */
bool path_usable(const struct fabric_path *path);

/*
 * Builds a fabric from @config, which must outlive it, and checks the parts against each other
 * (run.c). Return: 0, -ENOMEM, or -EINVAL with @error filled.
 */
int fabric_create(struct fabric **fabric, const struct config *config, struct fabric_error *error);
void fabric_destroy(struct fabric *fabric);

/* Starts the loads, runs the warm-up, starts counting, and runs the time of the configuration.
 * fabric_begin() and fabric_run_until() are its parts, for callers that look at the fabric in
 * between. Return: 0 or a negative errno. */
int fabric_run(struct fabric *fabric);
int fabric_begin(struct fabric *fabric);
int fabric_run_until(struct fabric *fabric, int64_t at);

/* Sets all counters to 0. */
void fabric_reset_counters(struct fabric *fabric);

#endif
