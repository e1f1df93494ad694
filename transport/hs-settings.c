/* SPDX-License-Identifier: Apache-2.0 */
/* hs-settings.c - the transport hipersockets: its keys, and what fits a device */
#include <errno.h>
#include <stdio.h>

#include "transport/hs-inner.h"
#include "transport/needs.h"

#define MTU_DEFAULT 16384u /* bytes, of the device, where no settings say it */

#define FIELD(kind, member) LFP_FIELD_##kind, offsetof(struct hs_settings, member)

/* The keys of a side, the first of which is that of the MTU. */
#define KEYS(mtu_key, cq_key, test_key, faults_key, with)                                          \
	{mtu_key,                                                                                  \
	 FIELD(NUMBER, mtu),                                                                       \
	 8192,                                                                                     \
	 57344,                                                                                    \
	 "16384",                                                                                  \
	 false,                                                                                    \
	 with " = hipersockets: MTU of the device, in bytes",                                      \
	 LFP_FIELD_OURS,                                                                           \
	 NULL,                                                                                     \
	 NULL},                                                                                    \
		{cq_key,                                                                           \
		 FIELD(YESNO, cq),                                                                 \
		 0,                                                                                \
		 0,                                                                                \
		 "yes",                                                                            \
		 false,                                                                            \
		 with " = hipersockets: whether the device has a completion queue",                \
		 LFP_FIELD_OURS,                                                                   \
		 NULL,                                                                             \
		 NULL},                                                                            \
		{test_key,                                                                         \
		 FIELD(YESNO, cq_test),                                                            \
		 0,                                                                                \
		 0,                                                                                \
		 "no",                                                                             \
		 false,                                                                            \
		 with " = hipersockets: allow a device without completion queue, for tests",       \
		 LFP_FIELD_OURS,                                                                   \
		 NULL,                                                                             \
		 NULL},                                                                            \
	{                                                                                          \
		faults_key, FIELD(CHOICE, faults), 0, 0, "none", false,                            \
			with " = hipersockets: faults of the emulated machine, for tests",         \
			LFP_FIELD_OURS, "none hold late duplicate race busy code all", NULL        \
	}

const struct lfp_field hs_lfpd_keys[HS_KEYS] = {
	KEYS("HS_MTU", "HS_CQ", "HS_CQ_TEST", "HS_FAULTS", "with TRANSPORT")};

const struct lfp_field hs_vse_keys[HS_KEYS] = {
	KEYS("HsMTU", "HsCQ", "HsCQTest", "HsFaults", "with Transport")};

uint32_t hs_packet_max(uint32_t device_mtu)
{
	return qdio_mtu(qdio_frame_for(device_mtu)) == device_mtu ? device_mtu - HS_HEAD : 0;
}

static uint32_t device_mtu(const struct transport_where *where)
{
	uint32_t mtu = hs_settings(where)->mtu;

	return mtu ? mtu : MTU_DEFAULT;
}

uint32_t hs_frame_size(const struct transport_where *where)
{
	return qdio_frame_for(device_mtu(where));
}

/* Returns 0 if packets of @mtu bytes fit the frames of a device with MTU @device. */
static int check_mtu(uint32_t device, uint32_t mtu, uint32_t *most)
{
	*most = hs_packet_max(device);
	if (!*most)
		return -EINVAL;
	return mtu > *most ? -EMSGSIZE : 0;
}

int hs_check_mtu(const struct transport_where *where)
{
	uint32_t most;

	return check_mtu(device_mtu(where), where->mtu, &most);
}

int hs_check(const struct transport_settings *settings, enum transport_side side, uint32_t mtu,
	     struct transport_fault *fault)
{
	const struct hs_settings *hs = transport_settings_of(settings, &transport_hipersockets);
	const char *key = transport_hipersockets.keys[side].fields[0].key;
	uint32_t most;
	int rc = check_mtu(hs->mtu, mtu, &most);

	if (!hs->cq && !hs->cq_test) {
		fault->key = transport_hipersockets.keys[side].fields[1].key;
		snprintf(fault->text, sizeof(fault->text),
			 "LFP requires the completion queue; no is for tests, with %s = yes",
			 transport_hipersockets.keys[side].fields[2].key);
		return -EINVAL;
	}
	fault->key = rc == -EINVAL ? key : NULL;
	if (rc == -EINVAL)
		snprintf(fault->text, sizeof(fault->text), "%u is not 8192, 16384, 32768 or 57344",
			 hs->mtu);
	else if (rc)
		snprintf(fault->text, sizeof(fault->text),
			 "%u is more than %u, the most with %s %u", mtu, most, key, hs->mtu);
	return rc ? -EINVAL : 0;
}

bool hs_warns(const struct transport_settings *settings, enum transport_side side,
	      struct transport_fault *warning)
{
	const struct hs_settings *hs = transport_settings_of(settings, &transport_hipersockets);

	warning->key = transport_hipersockets.keys[side].fields[1].key;
	snprintf(warning->text, sizeof(warning->text),
		 "LFP requires the completion queue; without it a lost frame ends the path");
	return !hs->cq;
}

const char *const hs_needs[] = {"completion queue", NULL};

void hs_check_needs(const struct transport_settings *settings, uint32_t mtu,
		    const struct transport_report *report)
{
	const struct hs_settings *hs = transport_settings_of(settings, &transport_hipersockets);

	(void)mtu;
	if (hs->cq)
		report->line(report->data, TRANSPORT_NEED_MET, hs_needs[0],
			     "the emulated device has one");
	else
		report->line(report->data, TRANSPORT_NEED_REQUIRED, hs_needs[0],
			     "required, off: set HS_CQ = yes");
}
