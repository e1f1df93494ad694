/* SPDX-License-Identifier: Apache-2.0 */
/* subch.c - a subchannel */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/channel/subch.h"

static void on_pci(void *ctx, struct ccw_run *run);

struct subch *subch_create(struct storage *storage, struct device *device)
{
	struct subch *subch = calloc(1, sizeof(*subch));

	if (!subch)
		return NULL;
	subch->device = device;
	subch->pmcw = (struct pmcw){
		.enabled = true,
		.valid = true,
		.devno = device->number,
		.lpm = 0x80,
		.pim = 0x80,
		.pom = 0xff,
		.pam = 0x80,
		.concurrent_sense = true,
	};
	subch->ccw.storage = subch->tcw.storage = storage;
	subch->ccw.device = subch->tcw.device = device;
	subch->ccw.pci = on_pci;
	subch->ccw.pci_ctx = subch;
	subch->tcw.path = true;
	return subch;
}

void subch_destroy(struct subch *subch)
{
	free(subch);
}

void subch_set_trace(struct subch *subch, const struct io_trace *trace)
{
	subch->ccw.trace = subch->tcw.trace = trace;
}

static bool operational(const struct subch *subch)
{
	return subch->pmcw.valid && subch->pmcw.enabled;
}

static bool pending(const struct subch *subch)
{
	return subch->scsw.stctl & STCTL_PENDING;
}

static void interrupt(struct subch *subch)
{
	if (subch->interrupt)
		subch->interrupt(subch->ctx, subch);
}

static void make_pending(struct subch *subch, uint8_t stctl)
{
	subch->scsw.stctl |= stctl | STCTL_PENDING;
	interrupt(subch);
}

static void on_pci(void *ctx, struct ccw_run *run)
{
	struct subch *subch = ctx;

	subch->pci = true;
	if (subch->hold)
		return;
	subch->scsw.address = run->address;
	subch->scsw.sch_status |= SCH_PCI;
	make_pending(subch, STCTL_INTERMEDIATE);
}

/* Sense data go with the status if the program has asked for that; else the device keeps them for a
 * Sense command. */
static void take_sense(struct subch *subch)
{
	struct device *device = subch->device;

	if (!subch->pmcw.concurrent_sense)
		return;
	memcpy(subch->sense, device->sense, sizeof(subch->sense));
	subch->sense_len = device->sense_len ? device->sense_len : DEVICE_SENSE;
	memset(device->sense, 0, sizeof(device->sense));
	subch->scsw.extended_control = true;
}

static void present_end(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;
	uint8_t stctl = STCTL_PRIMARY | STCTL_SECONDARY;

	subch->held = false;
	scsw->actl = 0;
	if (scsw->transport) {
		const struct tcw_run *run = &subch->tcw;

		scsw->unit_status = run->unit_status;
		scsw->sch_status = run->sch_status;
		scsw->fcx_status = run->fcx_status;
		scsw->extended_status = run->extended_status;
		if (scsw->unit_status & UNIT_CHECK)
			memset(subch->device->sense, 0, sizeof(subch->device->sense));
	} else {
		const struct ccw_run *run = &subch->ccw;

		scsw->unit_status = run->unit_status;
		scsw->sch_status = run->sch_status | (subch->pci ? SCH_PCI : 0);
		scsw->address = run->address;
		scsw->count = run->residual;
		if (subch->pci)
			stctl |= STCTL_INTERMEDIATE;
		if (scsw->unit_status & UNIT_CHECK)
			take_sense(subch);
	}
	if (scsw->unit_status & (UNIT_CHECK | UNIT_ATTENTION) ||
	    scsw->sch_status & ~(SCH_PCI | SCH_INCORRECT_LENGTH))
		stctl |= STCTL_ALERT;
	subch->pci = false;
	make_pending(subch, stctl);
}

static void after_run(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;

	if (!scsw->transport && subch->ccw.state == CCW_RUN_SUSPENDED) {
		scsw->actl = ACTL_SUSPENDED;
		scsw->address = subch->ccw.address;
		if (!subch->ccw.orb.suppress_suspended)
			make_pending(subch, STCTL_INTERMEDIATE);
		return;
	}
	if (subch_waits(subch))
		return;
	if (subch->hold)
		subch->held = true;
	else
		present_end(subch);
}

bool subch_waits(const struct subch *subch)
{
	if (!(subch->scsw.fctl & FCTL_START) || !(subch->scsw.actl & ACTL_DEVICE) || subch->held)
		return false;
	return subch->scsw.transport ? subch->tcw.state == TCW_RUN_WAITING
				     : subch->ccw.state == CCW_RUN_WAITING;
}

void subch_continue(struct subch *subch)
{
	if (!subch_waits(subch))
		return;
	if (subch->scsw.transport)
		tcw_run_go(&subch->tcw);
	else
		ccw_run_go(&subch->ccw);
	after_run(subch);
}

void subch_release(struct subch *subch)
{
	if (subch->held)
		present_end(subch);
}

void subch_attention(struct subch *subch, uint8_t unit_status)
{
	if (subch->scsw.fctl || pending(subch)) {
		subch->attention |= unit_status;
		return;
	}
	subch->scsw = (struct scsw){.unit_status = unit_status};
	make_pending(subch, STCTL_ALERT);
}

int subch_start(struct subch *subch, const uint8_t bytes[ORB_LEN])
{
	struct scsw *scsw = &subch->scsw;
	struct orb orb;
	uint8_t paths;
	int rc;

	rc = orb_decode(bytes, &orb);
	if (rc)
		return rc;
	if (!operational(subch))
		return 3;
	if (pending(subch))
		return 1;
	if (scsw->fctl)
		return 2;
	paths = orb.lpm & subch->pmcw.lpm & subch->pmcw.pam & subch->pmcw.pim;
	if (!paths)
		return 3;
	/* The first path of those that are there. */
	subch->pmcw.lpum = 0x80;
	while (!(subch->pmcw.lpum & paths))
		subch->pmcw.lpum >>= 1;
	subch->pmcw.intparm = orb.intparm;
	*scsw = (struct scsw){
		.key = orb.key,
		.transport = orb.transport,
		.suspend = orb.suspend,
		.format1 = orb.format1,
		.prefetch = orb.prefetch,
		.initial_status = orb.initial_status,
		.address_limit = orb.address_limit,
		.suppress_suspended = orb.suppress_suspended,
		.fctl = FCTL_START,
		.actl = ACTL_SUBCHANNEL | ACTL_DEVICE,
		.address = orb.program,
	};
	subch->sense_len = 0;
	subch->pci = false;
	subch->held = false;
	if (orb.transport) {
		tcw_run_begin(&subch->tcw, &orb);
		tcw_run_go(&subch->tcw);
	} else {
		ccw_run_begin(&subch->ccw, &orb);
		ccw_run_go(&subch->ccw);
	}
	after_run(subch);
	return 0;
}

/* Clears the status that TSCH took (Principles of Operation, TSCH, "Condition Code 0"). */
static void taken(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;
	bool running = scsw->actl & (ACTL_SUBCHANNEL | ACTL_DEVICE | ACTL_SUSPENDED);

	if (scsw->stctl & (STCTL_PRIMARY | STCTL_SECONDARY | STCTL_ALERT) ||
	    !(scsw->stctl & STCTL_INTERMEDIATE)) {
		scsw->fctl = 0;
		scsw->actl = 0;
	} else if (!running) {
		scsw->fctl = 0;
	}
	scsw->stctl = 0;
	scsw->unit_status = 0;
	scsw->sch_status = 0;
	scsw->extended_control = false;
	subch->sense_len = 0;
	subch->pci = false;
	if (!scsw->fctl && subch->attention) {
		uint8_t unit_status = subch->attention;

		subch->attention = 0;
		subch_attention(subch, unit_status);
	}
}

int subch_test(struct subch *subch, uint8_t irb[IRB_LEN])
{
	uint32_t erw = 0;

	if (!operational(subch))
		return 3;
	memset(irb, 0, IRB_LEN);
	scsw_encode(&subch->scsw, irb);
	irb[IRB_ESW + 1] = subch->pmcw.lpum;
	if (!pending(subch))
		return 1;
	if (subch->sense_len) {
		erw = ERW_CONCURRENT_SENSE | (uint32_t)subch->sense_len << 16;
		memcpy(irb + IRB_ECW, subch->sense, subch->sense_len);
	}
	irb[IRB_ESW + 4] = (uint8_t)(erw >> 24);
	irb[IRB_ESW + 5] = (uint8_t)(erw >> 16);
	taken(subch);
	return 0;
}

/* Cancels the function that runs at the device. Returns whether one was running. */
static bool give_up(struct subch *subch)
{
	bool waited = subch_waits(subch) || subch->held;

	if (subch->device->ops->reset)
		subch->device->ops->reset(subch->device);
	if (waited && subch->device->ops->end)
		subch->device->ops->end(subch->device);
	subch->ccw.state = CCW_RUN_ENDED;
	subch->tcw.state = TCW_RUN_ENDED;
	subch->held = false;
	subch->pci = false;
	return waited;
}

int subch_halt(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;

	if (!operational(subch))
		return 3;
	/* Intermediate status alone does not keep a program from being halted. */
	if (pending(subch) && (scsw->stctl & (STCTL_PRIMARY | STCTL_SECONDARY | STCTL_ALERT) ||
			       !(scsw->stctl & STCTL_INTERMEDIATE)))
		return 1;
	if (scsw->fctl & (FCTL_HALT | FCTL_CLEAR))
		return 2;
	scsw->stctl = 0;
	scsw->sch_status = 0;
	if (give_up(subch)) {
		scsw->unit_status = UNIT_END;
		scsw->fctl |= FCTL_HALT;
		scsw->actl = 0;
		if (!scsw->transport) {
			scsw->address = subch->ccw.address;
			scsw->count = (uint16_t)subch->ccw.left;
		}
		make_pending(subch, STCTL_PRIMARY | STCTL_SECONDARY);
		return 0;
	}
	scsw->fctl |= FCTL_HALT;
	scsw->actl = 0;
	make_pending(subch, 0);
	return 0;
}

int subch_clear(struct subch *subch)
{
	if (!operational(subch))
		return 3;
	give_up(subch);
	subch->attention = 0;
	subch->sense_len = 0;
	subch->scsw = (struct scsw){.fctl = FCTL_CLEAR};
	make_pending(subch, 0);
	return 0;
}

int subch_resume(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;

	if (!operational(subch))
		return 3;
	if (pending(subch))
		return 1;
	if (scsw->fctl != FCTL_START || !(scsw->actl & ACTL_SUSPENDED) || !scsw->suspend)
		return 2;
	scsw->actl = ACTL_SUBCHANNEL | ACTL_DEVICE;
	ccw_run_resume(&subch->ccw);
	ccw_run_go(&subch->ccw);
	after_run(subch);
	return 0;
}

int subch_cancel(struct subch *subch)
{
	struct scsw *scsw = &subch->scsw;

	if (!operational(subch))
		return 3;
	if (pending(subch))
		return 1;
	if (scsw->fctl != FCTL_START || !(scsw->actl & ACTL_SUSPENDED))
		return 2;
	give_up(subch);
	*scsw = (struct scsw){0};
	return 0;
}

int subch_store(const struct subch *subch, uint8_t schib[SCHIB_LEN])
{
	memset(schib, 0, SCHIB_LEN);
	pmcw_encode(&subch->pmcw, schib);
	scsw_encode(&subch->scsw, schib + 28);
	return subch->pmcw.valid ? 0 : 3;
}

int subch_modify(struct subch *subch, const uint8_t schib[SCHIB_LEN])
{
	struct pmcw *pmcw = &subch->pmcw, new;

	if (pmcw_decode(schib, &new))
		return -EINVAL;
	if (!pmcw->valid)
		return 3;
	if (pending(subch))
		return 1;
	if (subch->scsw.fctl)
		return 2;
	pmcw->intparm = new.intparm;
	pmcw->isc = new.isc;
	pmcw->enabled = new.enabled;
	pmcw->limit_mode = new.limit_mode;
	pmcw->measurement = new.measurement;
	pmcw->multipath = new.multipath;
	pmcw->lpm = new.lpm;
	pmcw->mbi = new.mbi;
	pmcw->pom = new.pom;
	pmcw->measurement_format1 = new.measurement_format1;
	pmcw->extended_measurement = new.extended_measurement;
	pmcw->concurrent_sense = new.concurrent_sense;
	return 0;
}
