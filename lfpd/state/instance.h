/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - one lfpd instance: its places, its session, what its sockets share */
#ifndef LFPD_STATE_INSTANCE_H
#define LFPD_STATE_INSTANCE_H

#include <limits.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

#include "lfp/codepage.h"
#include "lfp/list.h"
#include "lfp/places.h"
#include "lfp/publish.h"
#include "lfp/share.h"
#include "lfp/ratelimit.h"
#include "lfp/table.h"
#include "lfpd/base/buffers.h"
#include "lfpd/base/counters.h"
#include "lfpd/conf/config.h"
#include "lfpd/policy/decision.h"
#include "lfpd/policy/known-names.h"
#include "lfpd/policy/name-servers.h"
#include "lfpd/policy/policy.h"
#include "transport/path.h"
#include "transport/transport.h"

struct admin;
struct connection_log;
struct history;
struct resume;
struct rules;
struct session;
struct suspended;
struct share;
struct socket;
struct socket_ops;
struct host_name_job;
struct metrics;
struct metrics_ops;
struct trace;

struct instance;
typedef void (*suspend_done)(struct instance *inst, int error, struct suspended *what);

/* Kinds of refusals that are logged at a limited rate: users/refusal.c. */
enum refusal {
	REFUSAL_SOCKET,    /* MAX_SOCKETS, or no descriptor */
	REFUSAL_INTERFACE, /* no HOST_INTERFACE */
	REFUSAL_TASK,      /* MAX_VSE_TASKS */
	REFUSAL_NAME,      /* not in the code page */
	REFUSAL_FRAME,     /* see sock/disagree.c */
	REFUSAL_UPSTREAM,  /* a proxy in POLICY_FILE */
	REFUSAL_KINDS,
};

#define REFUSAL_REASONS 8u       /* that are told in ten seconds */
#define REFUSAL_HOSTID  UINT_MAX /* less an enum rules_act: the key of RESTRICT_TO_HOSTID */

#define STRANGERS_TOLD 10u /* connections in ten seconds */

/* All zero at first. */
struct refusals {
	struct lfp_ratelimit of[REFUSAL_KINDS]; /* uv_now() */
	struct refusals_reason {
		unsigned int key; /* a line of POLICY_FILE; 0: PRIVILEGED_PORTS, a name server */
		struct lfp_ratelimit limit;
	} reasons[REFUSAL_REASONS];
	struct lfp_ratelimit strangers[STRANGERS_TOLD]; /* a ring: stranger.h */
	unsigned int next_stranger;
	uint64_t shares_since;    /* lines about users: when the first was told, uv_now(), */
	unsigned int shares_told; /* and how many since then */
};

/*
 * Everything that an instance has hangs off this struct, so that a test can host several in one
 * process. It lives on one loop and is owned by the caller, who keeps it until the loop has closed
 * its handles after instance_stop().
 */
struct instance {
	uv_loop_t *loop;
	struct lfpd_config config;
	char vmid[9];            /* our own z/VM user id */
	bool foreground;         /* shown in the status */
	bool verbose;            /* shows all messages, whatever LOG_LEVEL is */
	const char *config_path; /* absolute path, owned by the caller; NULL: no reload */
	gid_t admin_gid;         /* ADMIN_GROUP; (gid_t)-1: lfpd's own group */

	struct policy policy;
	struct rules *rules;     /* of POLICY_FILE; NULL: none */
	uint64_t rules_serial;   /* another one for other rules */
	struct lfp_table meters; /* struct meter, of rules with limits; by a serial number */
	uint64_t meters_made;
	struct lfp_list slow_meters; /* those that sockets wait for */
	struct lfp_list owing;       /* those whose users have nothing any more */
	unsigned int nr_owing;
	uv_timer_t meter_timer; /* runs while there are such */
	struct known_names known;
	struct name_servers servers;
	struct lfp_publish_list publish; /* PUBLISH */
	struct decision decision;        /* about the last call that was checked */
	struct connection_log *log;      /* NULL without CONNECTION_LOG */
	struct history *history;         /* NULL without HISTORY */
	struct lfp_codepage *codepage;
	struct buffer_pool pool;
	unsigned int wmem_max, rmem_max; /* the kernel's limits */
	uint32_t window, threshold;      /* ours, bytes */

	struct transport_listener *listener;
	struct admin *admin;
	struct metrics *metrics;               /* NULL without METRICS_LISTEN */
	const struct metrics_ops *metrics_ops; /* functions of a higher room for reload.c */
	struct lfp_list reloads; /* struct reload: the one under way, and later ones */
	struct trace *trace;     /* NULL if there has been none */
	/* While a trace runs that wants the names of sockets: called when one has got its own. */
	void (*on_named)(struct socket *sock);
	struct path_tap tap; /* of all paths; its function is NULL while no trace runs */

	struct session *session;    /* the one that was admitted, or NULL */
	struct lfp_list candidates; /* struct session: connections that are not (yet) */
	unsigned int nr_candidates;

	const struct socket_ops *sock_ops; /* functions of higher files that host-socket.c calls */
	unsigned int nr_sockets;           /* with those that only flush */
	unsigned int nr_spares;            /* of these, no program may ever need: sock/life.c */
	unsigned int nr_listening;
	struct lfp_table unjoined;    /* connections that may join: sock/joined.h */
	struct lfp_list held;         /* sockets with data for another one that does not read */
	uv_timer_t held_timer;        /* runs while there are such */
	unsigned int nr_associations; /* of datagram sockets with proxies: relay.h */
	struct lfp_list orphans;      /* struct socket */
	struct lfp_list paused;       /* listeners that wait for a descriptor or for MAX_SOCKETS */
	bool pause_told;              /* and a message said so */
	uint64_t last_pause;          /* uv_now() */
	bool is_short;                /* of descriptors, when the last connection was accepted */
	struct refusals refusals;
	struct lfp_shares shares; /* counts of things by user: share.h */
	/* Called when a user has one socket less and one of its listeners waits. */
	void (*share_freed)(struct instance *inst, struct share *share);
	struct lfp_list turns;     /* struct share: users with look-ups that wait for a thread */
	unsigned int nr_looked_up; /* threads that look something up */
	struct counters counters;
	time_t start_time;
	uv_timer_t tick; /* looks after the two lists while there is something in them */

	bool rests;                /* the instance is being suspended: see suspend.h */
	suspend_done suspend_done; /* called at its end; NULL: not being suspended */
	struct resume *resume;     /* state left by the previous lfpd, or NULL */

	char host_name[NI_MAXHOST];
	struct host_name_job *host_name_job; /* looks it up, or NULL */

	/* For the owner: a line that says how things are, when it changes. May be NULL. */
	void (*on_status)(struct instance *inst, const char *text);
	bool stopping;
};

/* Returns whether the LFP instance is in the same process. */
static inline bool instance_hosts(const struct instance *inst)
{
	return lfpd_config_hosted(&inst->config);
}

/* Call on_status() with a line for people. */
void instance_tell_status(struct instance *inst);

#endif
