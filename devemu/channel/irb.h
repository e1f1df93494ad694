/* SPDX-License-Identifier: Apache-2.0 */
/* irb.h - the blocks that TSCH and STSCH store: interruption-response block and
 * subchannel-information block
 *
 * z/Architecture Principles of Operation, "Interruption-Response Block" and "Subchannel-Information
 * Block"; Linux, arch/s390/include/asm/scsw.h and cio.h. Big-endian.
 */
#ifndef DEVEMU_CHANNEL_IRB_H
#define DEVEMU_CHANNEL_IRB_H

#include <stdbool.h>
#include <stdint.h>

#define SCSW_LEN  12
#define IRB_LEN   96 /* SCSW 12, ESW 20, ECW 32, EMW 32 */
#define IRB_ESW   12
#define IRB_ECW   32
#define SCHIB_LEN 52 /* PMCW 28, SCSW 12, and 12 that depend on the model */

/* Of ERW, the second word of the ESW */
#define ERW_CONCURRENT_SENSE 0x01000000u

struct scsw {
	uint8_t key; /* 0x10 is key 1 */
	bool suspend;
	bool logout;    /* L: the ESW is of format 0 */
	uint8_t cc;     /* deferred condition code */
	bool transport; /* X in a transport-mode SCSW */
	bool format1, prefetch, initial_status, address_limit, suppress_suspended;
	bool extended_control; /* E: the ECW has data */
	bool path_not_operational;
	uint8_t fctl, actl, stctl;
	uint32_t address; /* of the CCW + 8, or of the TCW */
	uint8_t unit_status, sch_status;
	uint16_t count;          /* command mode */
	uint8_t fcx_status;      /* transport mode */
	uint8_t extended_status; /* transport mode: SESQ */
};

void scsw_encode(const struct scsw *scsw, uint8_t bytes[SCSW_LEN]);
void scsw_decode(const uint8_t bytes[SCSW_LEN], struct scsw *scsw);

struct pmcw {
	uint32_t intparm;
	uint8_t isc; /* 0 to 7 */
	bool enabled;
	uint8_t limit_mode;  /* LM, 0 to 3 */
	uint8_t measurement; /* MM, 0 to 3 */
	bool multipath, timing, valid;
	uint16_t devno;
	uint8_t lpm, pnom, lpum, pim;
	uint16_t mbi;
	uint8_t pom, pam;
	uint8_t chpid[8];
	bool measurement_format1, extended_measurement, concurrent_sense;
};

void pmcw_encode(const struct pmcw *pmcw, uint8_t bytes[28]);
/* 0, or -EINVAL if a reserved bit is on (MSCH: operand exception). */
int pmcw_decode(const uint8_t bytes[28], struct pmcw *pmcw);

#endif
