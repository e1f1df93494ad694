/* SPDX-License-Identifier: Apache-2.0 */
/* preset.c - every fitted number of the time model, each with the row that it is fitted to
 *
 * "Rows" are ids of published figures (docs/devices.md). A fitted number was chosen to reproduce a
 * row; docs/devices.md also lists the rows that follow without fitting. "assumed" marks numbers
 * without a published figure. Times in picoseconds.
 */
#include "devemu/fabric/preset.h"

#include <stddef.h>
#include <string.h>

/* Work for the data router of large zHPF transfers, by link speed: FX-290; FX-24E, -293, -297;
 * FX-240, -292, -296. */
#define ROUTER_32 2158
#define ROUTER_16 8420
#define ROUTER_8  10390

static const struct preset_generation generations[] = {
	{
		.name = "FEx32S",
		.speed = {{8, 0, 0x2B, ROUTER_8},
			  {16, 0, 0x2C, ROUTER_16},
			  {16, 1, 0x2D, ROUTER_16},
			  {32, 1, 0x2E, ROUTER_32}},
		.zhpf = 3311258,            /* FX-001 */
		.ficon_control = 6440000,   /* FX-002 and FX-016 */
		.ficon_data = 7550000,      /* FX-016 */
		.fcp = 1666667,             /* FX-041 */
		.fcp_write = 2173913,       /* FX-043 */
		.bus = 6100,                /* bus column of FX-290, -296, -297 */
		.card = {6300, 5480, 9000}, /* FX-061, -062, -063 */
		.fcp_card = {0, 0, 9700},   /* FX-050 */
		.credits = 90,
		.open_ficon = 64, /* assumed: channels of the EC12 class */
		.open_zhpf = 750, /* assumed */
		.pacing = 16,
		.first_burst = 65536, /* assumed */
		.rows = "FX-001 FX-002 FX-016 FX-041 FX-043 FX-050 FX-061..063 FX-290 FX-296 "
			"FX-297",
	},
	{
		/* The same channel as Figure 2 of the paper has it: less in a mix of large reads
		   and writes. */
		.name = "FEx32S-fig2",
		.speed = {{8, 0, 0x2B, ROUTER_8},
			  {16, 0, 0x2C, ROUTER_16},
			  {16, 1, 0x2D, ROUTER_16},
			  {32, 1, 0x2E, ROUTER_32}},
		.zhpf = 3311258,
		.ficon_control = 6440000,
		.ficon_data = 7550000,
		.fcp = 1666667,
		.fcp_write = 2173913,
		.bus = 5400, /* FX-003 */
		.card = {6300, 5480, 9000},
		.fcp_card = {0, 0, 9700},
		.credits = 90,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "FX-003; else as FEx32S",
	},
	{
		.name = "FEx16SA",
		.speed = {{8, 0, 0x26, ROUTER_8},
			  {16, 0, 0x27, ROUTER_16},
			  {16, 1, 0x28, ROUTER_16}},
		.zhpf = 3311258,
		.ficon_control = 6440000,
		.ficon_data = 7550000,
		.fcp = 1666667, /* the link is the limit: FX-045 */
		.fcp_write = 2173913,
		.bus = 3200, /* bus column of FX-292, -293 */
		.fcp_bus = 3200,
		.fcp_card = {0, 0, 6300}, /* FX-050: FEx32S has 54 % more */
		.credits = 90,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "FX-001 FX-016 FX-050 FX-292 FX-293",
	},
	{
		.name = "FEx16S+",
		.speed = {{4, 0, 0x1F, ROUTER_8},
			  {8, 0, 0x20, ROUTER_8},
			  {16, 0, 0x21, ROUTER_16},
			  {16, 1, 0x22, ROUTER_16}},
		.zhpf = 3311258,
		.ficon_control = 6440000,
		.ficon_data = 7550000,
		.fcp = 2632000, /* assumed */
		.fcp_write = 2632000,
		.bus = 3200, /* bus column of FX-240, -24E */
		.fcp_bus = 3200,
		.credits = 90,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "FX-001 FX-016 FX-240 FX-24E",
	},
	/* Earlier generations: published maxima of 92,000, 52,000 and 31,000 zHPF I/Os a second,
	 * 2,560 and 1,600 MB/s; their codes in column G are not known (0). */
	{
		.name = "FEx16S",
		.speed = {{4, 0, 0, ROUTER_8}, {8, 0, 0, ROUTER_8}, {16, 0, 0, ROUTER_16}},
		.zhpf = 10869565, /* assumed: as FEx8S */
		.ficon_control = 7050000,
		.ficon_data = 8260000,
		.fcp = 8696000, /* assumed */
		.fcp_write = 8696000,
		.bus = 2560,
		.fcp_bus = 2560,
		.credits = 90,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "2,560 MB/s",
	},
	{
		.name = "FEx8S",
		.speed = {{4, 0, 0, ROUTER_8}, {8, 0, 0, ROUTER_8}},
		.zhpf = 10869565,         /* 92,000/s */
		.ficon_control = 7050000, /* assumed: 23,000/s */
		.ficon_data = 8260000,
		.fcp = 10869565, /* assumed */
		.fcp_write = 10869565,
		.bus = 1600,
		.fcp_bus = 1600,
		.credits = 40,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "92,000/s; 1,600 MB/s",
	},
	{
		.name = "FEx8",
		.speed = {{4, 0, 0, ROUTER_8}, {8, 0, 0, ROUTER_8}},
		.zhpf = 19230769,         /* 52,000/s */
		.ficon_control = 8100000, /* assumed: 20,000/s */
		.ficon_data = 9500000,
		.fcp = 19230769, /* assumed */
		.fcp_write = 19230769,
		.bus = 770, /* assumed */
		.fcp_bus = 770,
		.credits = 40,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "52,000/s",
	},
	{
		.name = "FEx4",
		.speed = {{4, 0, 0, ROUTER_8}},
		.zhpf = 32258065,          /* 31,000/s */
		.ficon_control = 11510000, /* 31,000/s is 2.2 times FICON */
		.ficon_data = 13500000,
		.fcp = 32258065, /* assumed */
		.fcp_write = 32258065,
		.bus = 520, /* assumed */
		.fcp_bus = 520,
		.credits = 200,
		.open_ficon = 64,
		.open_zhpf = 750,
		.pacing = 16,
		.first_burst = 65536,
		.rows = "31,000/s and the 2.2 times",
	},
};

static const struct preset_storage storages[] = {
	{
		.name = "DS8950",
		.ficon = 208000000, /* FX-006, FX-007: 250 us in all, unloaded */
		.zhpf = 155000000,  /* FX-006, FX-009: 160 us in all */
		.fcp = 579000000,   /* FX-048: 0.65 ms in all at 200,000 I/Os a second */
		.fcp_lanes = 30,
		.fcp_lane = 45455000, /* FX-048: 0.05 ms more at 400,000; with 30 places they do
				       660,000, assumed: somewhat more than a channel */
		.read_fs = 1472722,   /* FX-018: 187 us more for 128 KB */
		.write_fs = 4804058,  /* FX-019: 610 us more for 128 KB */
		.rows = "FX-006 FX-007 FX-009 FX-018 FX-019 FX-048",
	},
	{
		/* The same storage as the paper's synchronous I/O report has it: directly
		   connected, most of the time pending before the command is accepted. */
		.name = "DS8950-direct",
		.ficon = 97000000, /* assumed: as much more than zHPF as DS8950 has it */
		.zhpf = 43850000,
		.accept = 40120000,
		.fcp = 579000000,
		.fcp_lanes = 30,
		.fcp_lane = 45455000,
		.read_fs = 1472722,
		.write_fs = 4804058,
		.rows = "FX-37800 to FX-37B83, their mean; else as DS8950",
	},
	{
		/* A control unit that takes no time: for tests of the other parts. */
		.name = "ideal",
		.rows = "none",
	},
};

static const struct preset_subsystem subsystem = {
	.domain = {12000, 13200,
		   19000},   /* FX-065; writes: within its rounding, half of what two do */
	.fanout = {0, 0, 0}, /* none of its own: its domains are the limit */
	.alternate = {12000, 12000, 12000}, /* FX-067 */
	.cards_per_domain = 8,
	.domains_per_fanout = 2,
	.rows = "FX-065 FX-067",
};

const struct preset_zhyperlink preset_zhyperlink = {
	.read = 26000000,  /* the response of FX-47800 to FX-47B83 */
	.write = 33000000, /* FX-040, between its bounds */
	.held = 10800000,  /* the share of busy links in FX-47800 to FX-47B83, all eight together */
	.busy = 1000000,   /* assumed */
	.rows = "FX-47800 to FX-47B83, FX-040",
};

const struct preset_line preset_line = {
	.control = 82, /* FX-032..034: two frames of 164 bytes in all */
	.fill = 92,    /* FX-052: full frames then carry 100 MB/s of data per Gbps */
	.fill_kept = 5888,
	.rows = "FX-032 FX-033 FX-034 FX-052",
};

const struct preset_mq preset_mq[2] = {
	{1.48, 8.46, 39.92, 0.63, 33.2, {0.71, 0.86, 4.2, 33.3}}, /* MQ-101H..106H, MQ-201H..204H */
	{1.99, 52.5, 81.43, 0.72, 47.5, {0.85, 1.03, 5.0, 55.1}}, /* MQ-101O..106O, MQ-201O..204O */
};

const struct preset_lfp preset_lfp[PRESET_LFP] = {
	{1, 431.2, 15.26}, /* LFP-01, -04 */
	{2, 113.8, 2.78},  /* LFP-02, -05 */
	{7, 390.1, 26.19}, /* LFP-07, -10 */
	{8, 117.0, 2.86},  /* LFP-08, -11 */
	{13, 1780.9, 0},   /* LFP-13: one of three jobs, as the following */
	{14, 844.5, 0},    /* LFP-14 */
	{15, 561.1, 0},    /* LFP-15 */
	{16, 505.7, 0},    /* LFP-16 */
};

const struct preset_telnet preset_telnet[PRESET_TELNET] = {
	{52251, 37.8}, /* TN-53v4-10..200 */
	{54639, 45.0}, /* TN-54v4-10..200 */
	{62829, 44.5}, /* TN-54v6-10..200 */
};

const struct preset_ziip preset_ziip = {
	.capture = 95.13, /* ZI-10 */
	.units = 283700,  /* ZI-05 */
};

const struct preset_generation *preset_generation(const char *name)
{
	for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++)
		if (!strcmp(generations[i].name, name))
			return &generations[i];
	return NULL;
}

const struct preset_storage *preset_storage(const char *name)
{
	for (size_t i = 0; i < sizeof(storages) / sizeof(storages[0]); i++)
		if (!strcmp(storages[i].name, name))
			return &storages[i];
	return NULL;
}

const struct preset_subsystem *preset_subsystem(void)
{
	return &subsystem;
}
