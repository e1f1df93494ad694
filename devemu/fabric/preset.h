/* SPDX-License-Identifier: Apache-2.0 */
/* preset.h - channel generations, cards, domains and storage: the fitted numbers, all in preset.c
 */
#ifndef DEVEMU_FABRIC_PRESET_H
#define DEVEMU_FABRIC_PRESET_H

#include <stdint.h>
#include <stdbool.h>

/* A link speed as a generation shows it in column G of the channel report. */
struct preset_speed {
	unsigned int gbps; /* 0 ends the list */
	int fec;
	unsigned int g;    /* the code */
	int64_t router_fs; /* channel processor time per byte of a zHPF transfer beyond 4 KB,
			      femtoseconds */
};

/* Bytes a microsecond = MB/s; read, write: each direction alone, total: both together. 0: no limit.
 */
struct preset_cap {
	uint32_t read, write, total;
};

enum { PRESET_SPEEDS = 5 };

struct preset_generation {
	const char *name;
	struct preset_speed speed[PRESET_SPEEDS];
	int64_t zhpf;          /* channel processor, ps an I/O */
	int64_t ficon_control; /* ps an information unit that carries no data */
	int64_t ficon_data;    /* ps an information unit of up to 8 KB of data */
	int64_t fcp;           /* ps an I/O */
	int64_t fcp_write;     /* ps of the write path an FCP write */
	uint32_t bus;          /* MB/s of the channel's bus, both directions together */
	uint32_t fcp_bus;      /* the same for FCP; 0: no limit is known */
	struct preset_cap card, fcp_card;
	unsigned int credits;    /* buffer-to-buffer credits of the port */
	unsigned int open_ficon; /* open exchanges */
	unsigned int open_zhpf;
	unsigned int pacing;      /* information units that a FICON write sends before it waits */
	unsigned int first_burst; /* bytes of a zHPF write sent without transfer ready */
	const char *rows;         /* rows of the facts that the numbers are fitted to */
};

struct preset_storage {
	const char *name;
	int64_t ficon, zhpf,
		fcp;    /* ps from the command at the port to the first data or the response */
	int64_t accept; /* ps that it takes before; counted as pending */
	int64_t read_fs, write_fs; /* ps/1000 per byte of a transfer beyond 4 KB */
	/* A host adapter port does the rest of an FCP I/O in one of so many places, chosen at
	   random, in a random time with this mean (ps); 0: there is no rest. */
	unsigned int fcp_lanes;
	int64_t fcp_lane;
	uint32_t port_io; /* I/Os a second of one host adapter port; 0: no limit */
	const char *rows;
};

/* A PCIe domain, a fan-out (two domains) and the alternate path of a domain that has failed. */
struct preset_subsystem {
	struct preset_cap domain, fanout, alternate;
	unsigned int cards_per_domain, domains_per_fanout;
	const char *rows;
};

/* zHyperLink: ps from the instruction to the last byte of a read or write of up to 4 KB, without
 * distance; how long the link is held; how long it takes to find it held. */
struct preset_zhyperlink {
	int64_t read, write, held, busy;
	const char *rows;
};

extern const struct preset_zhyperlink preset_zhyperlink;

/* Bytes that pass on a line besides data. */
struct preset_line {
	uint32_t control;   /* frame of a command, a response, a status, with its overhead */
	uint32_t fill;      /* ready and fill words after a data frame */
	uint32_t fill_kept; /* fill behind, in which control frames may still go */
	const char *rows;
};

extern const struct preset_line preset_line;

/* Replays of measurements of parts that are not simulated (figures/): round trips of MQ
 * messages, the same through LFP, z/VM's Telnet server, IPSec with zIIPs. */
enum { PRESET_MQ_SIZES = 4, PRESET_LFP = 8, PRESET_TELNET = 3 };

struct preset_mq {
	double first;        /* ms, the least round trip */
	double each;         /* ns a byte beside it */
	double bulk;         /* ns a byte where the medium is the limit */
	double demand_first; /* ms of the bottleneck in a round trip, and ns a byte, for sizes */
	double demand_each;  /* that were not measured */
	double demand[PRESET_MQ_SIZES]; /* ms at 1,000, 10,000, 100,000 and 1,000,000 bytes */
};

struct preset_lfp {
	unsigned int row; /* LFP-nn */
	double message;   /* us between messages of 8,192 bytes */
	double cpu;       /* ms of CPU time per MB; 0: not published */
};

struct preset_telnet {
	double most; /* bytes a second */
	double half; /* connections at half of it */
};

struct preset_ziip {
	double capture; /* percent of a zIIP that the class gets */
	double units;   /* service units a second of CPU time */
};

extern const struct preset_mq preset_mq[2]; /* HiperSockets, OSA */
extern const struct preset_lfp preset_lfp[PRESET_LFP];
extern const struct preset_telnet preset_telnet[PRESET_TELNET]; /* 5.3 IPv4, 5.4 IPv4, 5.4 IPv6 */
extern const struct preset_ziip preset_ziip;

const struct preset_generation *preset_generation(const char *name); /* NULL: unknown */
const struct preset_storage *preset_storage(const char *name);
const struct preset_subsystem *preset_subsystem(void);

/*
 * The fastest speed of @generation up to @gbps, the other end's best, with error correction if both
 * ends have it and the generation knows that speed with it. NULL: no common speed. A speed that
 * exists with error correction only (32 Gbps) is not agreed on without it.
 */
const struct preset_speed *speed_negotiate(const struct preset_generation *generation,
					   unsigned int gbps, bool fec);

#endif
