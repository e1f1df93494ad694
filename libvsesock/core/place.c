/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - which LFP instance a program uses, and where its control channel is */
#include "libvsesock/core/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/instance.h"
#include "lfp/places.h"

/* "DIR/vselfp/", and what goes behind it */
#define BASE     "/vselfp/"
#define CTL      "/ctl"
#define NN_LEN   2
#define BASE_MAX (sizeof(((struct sockaddr_un *)0)->sun_path) - NN_LEN - sizeof(CTL))

static char instance[NN_LEN + 1];
static char base[BASE_MAX + 1];
static size_t base_len; /* 0: there is none */
static int base_error;
static bool ready;

static void choose_instance(void)
{
	const char *id = lfp_instance();

	if (!lfp_check_nn(id))
		memcpy(instance, id, sizeof(instance));
}

static int find_base(char buf[static LFP_PLACE_MAX])
{
	const char *root = getenv("LFP_ROOT");
	const char *run = getenv("LFP_RUN");

	if ((root && *root) || !run || *run != '/')
		return lfp_place_run_dir(buf);
	if (strlen(run) >= LFP_PLACE_MAX)
		return -ENAMETOOLONG;
	memcpy(buf, run, strlen(run) + 1);
	return 0;
}

static void choose_base(void)
{
	char buf[LFP_PLACE_MAX];
	size_t len;
	int rc = find_base(buf);

	if (rc < 0) {
		base_error = rc;
		return;
	}
	len = strlen(buf);
	if (len + strlen(BASE) > BASE_MAX) {
		base_error = -ENAMETOOLONG;
		return;
	}
	memcpy(base, buf, len);
	memcpy(base + len, BASE, strlen(BASE));
	base_len = len + strlen(BASE);
}

void place_init(void)
{
	int saved = errno;

	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		return;
	choose_instance();
	choose_base();
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	errno = saved;
}

const char *place_instance(void)
{
	place_init();
	return instance;
}

int place_ctl(struct sockaddr_un *addr, const char *nn)
{
	place_init();
	if (!base_len)
		return base_error;
	if (lfp_check_nn(nn) < 0)
		return -EINVAL;
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, base, base_len);
	memcpy(addr->sun_path + base_len, nn, NN_LEN);
	memcpy(addr->sun_path + base_len + NN_LEN, CTL, sizeof(CTL));
	return 0;
}
