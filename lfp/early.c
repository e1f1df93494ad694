/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - options of a stream that a program sets without a call on the control channel */
#include "lfp/early.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/ctl.h"

#define CONTROL_SHIFT 8
#define CONTROL_MASK  (UINT64_C(0xff) << CONTROL_SHIFT)

static const struct lfp_early_option options[LFP_EARLY_NR] = {
	[LFP_EARLY_NODELAY] = {IPPROTO_TCP, TCP_NODELAY, SO_DONTROUTE},
	[LFP_EARLY_KEEPALIVE] = {SOL_SOCKET, SO_KEEPALIVE, SO_KEEPALIVE},
	[LFP_EARLY_CONGESTION] = {IPPROTO_TCP, TCP_CONGESTION, SO_MAX_PACING_RATE},
};

/* Those of Linux (net/ipv4/Kconfig). Numbers are between a program and its instance, which may be
 * of another version: add new names at the end. */
static const char *const controls[] = {
	"reno",     "cubic", "bbr",      "dctcp", "htcp",      "vegas", "westwood", "bic", "hybla",
	"scalable", "veno",  "illinois", "yeah",  "highspeed", "lp",    "nv",       "cdg",
};

#define NR_CONTROLS ((int)(sizeof(controls) / sizeof(controls[0])))

const struct lfp_early_option *lfp_early_at(int option)
{
	return &options[option];
}

int lfp_early_find(int level, int name)
{
	for (int i = 0; i < LFP_EARLY_NR; i++)
		if (options[i].level == level && options[i].name == name)
			return i;
	return -1;
}

const char *lfp_early_control(int number)
{
	return number >= 0 && number < NR_CONTROLS ? controls[number] : NULL;
}

uint64_t lfp_early_put_control(uint64_t place, int number)
{
	uint64_t rest = place >> 32 == LFP_FRESH_MAGIC ? place & ~CONTROL_MASK : 0;

	return rest | (uint64_t)(uint8_t)(number + 1) << CONTROL_SHIFT;
}

int lfp_early_get_control(uint64_t place)
{
	uint64_t magic = place >> 32;

	/* The kernel's own value, no limit, has all bits set. */
	return magic == 0 || magic == LFP_FRESH_MAGIC
		       ? (int)((place & CONTROL_MASK) >> CONTROL_SHIFT) - 1
		       : -1;
}

int lfp_early_find_control(const char *name, size_t len)
{
	size_t used = strnlen(name, len);

	for (int i = 0; i < NR_CONTROLS; i++)
		if (strlen(controls[i]) == used && !memcmp(controls[i], name, used))
			return i;
	return -1;
}
