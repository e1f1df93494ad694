/* SPDX-License-Identifier: Apache-2.0 */
/* irb.c - the blocks that TSCH and STSCH store */
#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/irb.h"

static uint32_t bit(bool on, unsigned int shift)
{
	return on ? 1u << shift : 0;
}

void scsw_encode(const struct scsw *scsw, uint8_t bytes[SCSW_LEN])
{
	uint32_t w0 = (uint32_t)(scsw->key & 0xf0) << 24;

	w0 |= bit(scsw->logout, 26) | (uint32_t)(scsw->cc & 3) << 24 |
	      bit(scsw->extended_control, 17) | bit(scsw->path_not_operational, 16);
	if (scsw->transport)
		w0 |= bit(true, 20);
	else
		w0 |= bit(scsw->suspend, 27) | bit(scsw->format1, 23) | bit(scsw->prefetch, 22) |
		      bit(scsw->initial_status, 21) | bit(scsw->address_limit, 20) |
		      bit(scsw->suppress_suspended, 19);
	w0 |= (uint32_t)(scsw->fctl & 7) << 12 | (uint32_t)(scsw->actl & 0x7f) << 5 |
	      (scsw->stctl & 0x1fu);
	be32_put(bytes, w0);
	be32_put(bytes + 4, scsw->address);
	bytes[8] = scsw->unit_status;
	bytes[9] = scsw->sch_status;
	if (scsw->transport) {
		bytes[10] = scsw->fcx_status;
		bytes[11] = scsw->extended_status;
	} else {
		be16_put(bytes + 10, scsw->count);
	}
}

/* Bit 20 is address-limit checking in one mode and X in the other: format bits tell, as transport
 * mode has them zero. */
void scsw_decode(const uint8_t bytes[SCSW_LEN], struct scsw *scsw)
{
	uint32_t w0 = be32_get(bytes);

	*scsw = (struct scsw){
		.key = bytes[0] & 0xf0,
		.logout = w0 >> 26 & 1,
		.cc = w0 >> 24 & 3,
		.extended_control = w0 >> 17 & 1,
		.path_not_operational = w0 >> 16 & 1,
		.fctl = w0 >> 12 & 7,
		.actl = w0 >> 5 & 0x7f,
		.stctl = w0 & 0x1f,
		.address = be32_get(bytes + 4),
		.unit_status = bytes[8],
		.sch_status = bytes[9],
		.transport = w0 >> 20 & 1,
	};
	if (scsw->transport) {
		scsw->fcx_status = bytes[10];
		scsw->extended_status = bytes[11];
		return;
	}
	scsw->suspend = w0 >> 27 & 1;
	scsw->format1 = w0 >> 23 & 1;
	scsw->prefetch = w0 >> 22 & 1;
	scsw->initial_status = w0 >> 21 & 1;
	scsw->suppress_suspended = w0 >> 19 & 1;
	scsw->count = be16_get(bytes + 10);
}

void pmcw_encode(const struct pmcw *pmcw, uint8_t bytes[28])
{
	uint32_t w1;

	w1 = (uint32_t)(pmcw->isc & 7) << 27 | bit(pmcw->enabled, 23) |
	     (uint32_t)(pmcw->limit_mode & 3) << 21 | (uint32_t)(pmcw->measurement & 3) << 19 |
	     bit(pmcw->multipath, 18) | bit(pmcw->timing, 17) | bit(pmcw->valid, 16) | pmcw->devno;
	be32_put(bytes, pmcw->intparm);
	be32_put(bytes + 4, w1);
	bytes[8] = pmcw->lpm;
	bytes[9] = pmcw->pnom;
	bytes[10] = pmcw->lpum;
	bytes[11] = pmcw->pim;
	be16_put(bytes + 12, pmcw->mbi);
	bytes[14] = pmcw->pom;
	bytes[15] = pmcw->pam;
	memcpy(bytes + 16, pmcw->chpid, 8);
	be32_put(bytes + 24, bit(pmcw->measurement_format1, 2) |
				     bit(pmcw->extended_measurement, 1) |
				     bit(pmcw->concurrent_sense, 0));
}

int pmcw_decode(const uint8_t bytes[28], struct pmcw *pmcw)
{
	uint32_t w1 = be32_get(bytes + 4), w6 = be32_get(bytes + 24);

	if (w1 & 0xc7000000u || w6 & ~7u)
		return -EINVAL;
	*pmcw = (struct pmcw){
		.intparm = be32_get(bytes),
		.isc = w1 >> 27 & 7,
		.enabled = w1 >> 23 & 1,
		.limit_mode = w1 >> 21 & 3,
		.measurement = w1 >> 19 & 3,
		.multipath = w1 >> 18 & 1,
		.timing = w1 >> 17 & 1,
		.valid = w1 >> 16 & 1,
		.devno = w1 & 0xffff,
		.lpm = bytes[8],
		.pnom = bytes[9],
		.lpum = bytes[10],
		.pim = bytes[11],
		.mbi = be16_get(bytes + 12),
		.pom = bytes[14],
		.pam = bytes[15],
		.measurement_format1 = w6 >> 2 & 1,
		.extended_measurement = w6 >> 1 & 1,
		.concurrent_sense = w6 & 1,
	};
	memcpy(pmcw->chpid, bytes + 16, 8);
	return 0;
}
