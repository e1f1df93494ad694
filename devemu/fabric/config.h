/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - the parts of a fabric as a scenario defines them (scenario/); fabric_create() checks
 * them against each other */
#ifndef DEVEMU_FABRIC_CONFIG_H
#define DEVEMU_FABRIC_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_NAME_MAX = 32, CONFIG_VIA_MAX = 4, CONFIG_PATHS_MAX = 8 };

/* How the channel processor divides its time (processor.h). */
enum discipline {
	DISCIPLINE_FCFS, /* an exchange's information units one after the other */
	DISCIPLINE_RR,   /* one information unit of each exchange in turn */
	DISCIPLINE_PS,   /* a quantum of each exchange in turn */
};

/* Protocol of a channel. */
enum channel_type {
	CHANNEL_FC,  /* FICON and, where all agree, zHPF */
	CHANNEL_FCP, /* SCSI */
};

/* Policy of one end of a connection on endpoint security. */
enum fces_policy {
	FCES_NO,       /* not capable */
	FCES_YES,      /* encrypts if the other end is capable and keys agree, else in the clear */
	FCES_REQUIRED, /* never in the clear */
};

/* A link, or a trunk of equal ones, between two ports. Distances in metres of fibre. */
struct link_config {
	char name[CONFIG_NAME_MAX];
	int line;          /* of the scenario; 0: implied by a path without "via" */
	unsigned int gbps; /* maximum: 4, 8, 16 or 32 */
	bool fec;
	unsigned long metres;
	unsigned int credits;           /* buffer-to-buffer, each direction */
	unsigned int credit_efficiency; /* percent of them that work; 100 unless fitted */
	unsigned int count;             /* links in the trunk (ISLs) */
};

struct channel_config {
	unsigned int chpid; /* 0x00 to 0xFF */
	int line;
	enum channel_type type;
	char preset[CONFIG_NAME_MAX]; /* generation, preset.h */
	unsigned int gbps;            /* 0: the generation's best */
	bool no_fec;
	enum discipline discipline;
	int64_t quantum; /* ps, DISCIPLINE_PS */
	bool no_zhpf;
	bool no_first_transfer_ready; /* zHPF write data follow the command at once */
	unsigned int card, domain;    /* numbers of the scenario's own; a card has two channels, a
					 domain 8 cards */
	enum fces_policy fces;
	char key_server[CONFIG_NAME_MAX]; /* ""; the first one */
};

struct control_unit_config {
	unsigned int number; /* 0x0000 to 0xFFFF */
	int line;
	unsigned int ports;   /* host adapter ports */
	unsigned int lcu;     /* as reports show it; UINT_MAX: counted from 0 on */
	unsigned int address; /* logical address in the storage system */
	uint64_t wwnn;
	char serial[13];              /* of the storage system */
	char preset[CONFIG_NAME_MAX]; /* storage preset, preset.h */
	bool no_zhpf;
	enum fces_policy fces;
	char key_server[CONFIG_NAME_MAX];
};

struct device_config {
	unsigned int number; /* first of @count */
	unsigned int count;
	int line;
	unsigned int cu;
	unsigned int aliases; /* parallel I/Os besides the first; UINT_MAX: no limit */
	unsigned int hit;     /* percent of reads found in the cache */
	int64_t miss_time;    /* ps that a miss takes (DISC) */
	bool no_zhpf;
	char volser[8];         /* two characters: the device number comes behind them */
	char file[256];         /* image; "": only time is simulated */
	unsigned int cylinders; /* as reports show it */
};

/* One channel reaches one control unit, through one port of it. */
struct path_config {
	unsigned int chpid, cu, port;
	int line;
	unsigned int via_count; /* 0: a direct link */
	char via[CONFIG_VIA_MAX][CONFIG_NAME_MAX];
	unsigned int entry, dest; /* link addresses, as displays show them; 0: no switch */
	unsigned int corrupt;     /* every so many sealed frames one is changed; 0: none */
};

enum load_program {
	PROGRAM_AUTO, /* transport mode where the switch, the channel and the device allow it */
	PROGRAM_CCW,  /* a channel program that cannot be in transport mode */
};

/* A load drives devices: either @streams that start their next I/O @think after the end of the last
 * one (closed), or @rate arrivals a second (open). */
struct load_config {
	char name[CONFIG_NAME_MAX];
	int line;
	unsigned int device, devices; /* first and how many, used in turn */
	enum load_program program;
	unsigned int streams;
	int64_t think;       /* ps */
	uint64_t rate_micro; /* arrivals in a million seconds (so 0.1/s is a whole number); 0:
				closed */
	bool fixed;          /* arrivals evenly, not at random (Poisson) */
	unsigned int bytes;
	unsigned int read;  /* percent reads */
	bool sync;          /* tries zHyperLink first */
	unsigned int align; /* alignment of the addresses of its data */
};

/* The system in reports and displays. */
struct system_config {
	char id[9];
	unsigned int year, month, day;
	int64_t clock; /* ps since midnight at the start of the run */
	unsigned int cpus, ziips;
	char machine[5], model[4], capacity[4]; /* 3931 A01 701 */
	char serial[6];
	char cpc[9], lpar[9];
	unsigned int lpar_id, css, mif;
};

/* A zHyperLink from a port of an adapter to a control unit; several of one port are one link. */
struct zhyperlink_config {
	unsigned int cu, adapter, port;
	int line;
	unsigned int functions; /* virtual functions that the system has of it */
	unsigned long metres;
};

/* A key server, from which ends of connections get their shared keys. */
struct key_server_config {
	char name[CONFIG_NAME_MAX];
	int line;
	char address[128]; /* "": one of the run's own */
	char keys[256];    /* file with the secrets of ends */
};

/* An operator's command while the scenario runs. */
struct command_config {
	int64_t at; /* ps */
	int line;
	char text[80];
};

enum fault_target { FAULT_CHANNEL, FAULT_DOMAIN, FAULT_LINK };

/* A part fails or comes back at a time. */
struct fault_config {
	int64_t at; /* ps */
	int line;
	enum fault_target target;
	unsigned int number;
	char name[CONFIG_NAME_MAX];
	bool up;
};

/* SETIOS ZHPF=... at a time; @at 0: the member's ZHPF=. */
struct setios_config {
	int64_t at;
	bool zhpf;
	int line;
};

struct tcpip_profile;

/* Lists are heap memory of their own; config_finish() frees them. */
struct config {
	char title[128];
	uint64_t seed;
	int64_t warmup, time; /* ps: counters begin at @warmup and end at @warmup + @time */
	bool zhpf;            /* the switch at the start; default NO */
	int zhpf_line;        /* its line in the scenario; 0: none */
	char iecios[256];     /* member with the switch; the caller reads it (zhpf.h) */
	char tcpip[256];      /* member with definitions of HiperSockets; the caller reads it */
	uint32_t hipersockets_frame;   /* bytes of a frame of their channel path */
	struct tcpip_profile *profile; /* out of that member, or NULL; heap memory */
	uint32_t fces_frame_bytes;     /* added by encryption to each frame */
	uint32_t fces_key_frames;      /* in one direction until the keys change */
	struct system_config system;

	struct link_config *link;
	struct channel_config *channel;
	struct control_unit_config *control_unit;
	struct device_config *device;
	struct path_config *path;
	struct load_config *load;
	struct fault_config *fault;
	struct setios_config *setios;
	struct zhyperlink_config *zhyperlink;
	struct command_config *command;
	struct key_server_config *key_server;
	size_t links, channels, control_units, devices, paths, loads, faults, setioses;
	size_t zhyperlinks, commands, key_servers;
};

void config_init(struct config *config);
void config_finish(struct config *config);

/* A zeroed element at the end of a list: config_add(&config->link, &config->links, sizeof(...)).
 * Return: it, or NULL without memory. It is valid until the next one is added. */
void *config_add(void *list, size_t *count, size_t size);

#endif
