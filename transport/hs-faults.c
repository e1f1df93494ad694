/* SPDX-License-Identifier: Apache-2.0 */
/* hs-faults.c - the transport hipersockets: injected faults of the emulated machine */
#include "transport/hs-inner.h"

#define EVERY 64 /* looks at the device between two faults */
#define CODE  17 /* of a transfer that is not delivered: the target cannot be reached */

void hs_plant(struct hs_conn *conn)
{
	struct qdio_faults *faults = &conn->port.faults;
	enum hs_faults kind = hs_settings(&conn->meet.where)->faults;
	bool all = kind == HS_FAULTS_ALL;

	if (kind == HS_FAULTS_NONE || conn->meet.state != MEET_OPEN || ++conn->looks % EVERY)
		return;
	if (all || kind == HS_FAULTS_HOLD)
		faults->hold = 8;
	if (all || kind == HS_FAULTS_LATE)
		faults->late = 8;
	if (all || kind == HS_FAULTS_DUPLICATE)
		faults->duplicate = 1;
	if (all || kind == HS_FAULTS_RACE)
		faults->race = 1;
	if (all || kind == HS_FAULTS_BUSY)
		faults->busy = 2;
	if (kind == HS_FAULTS_CODE) {
		faults->fail = 1;
		faults->aorc = CODE;
	}
}
