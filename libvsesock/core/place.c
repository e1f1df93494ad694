/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - finds the LFP instance of a program, and its control channel */
#include "libvsesock/core/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/places.h"
#include "libvsesock/mux/lec.h"

/* "DIR/vselfp/" and the rest of the path */
#define BASE       "/vselfp/"
#define STACK_BASE "/run" BASE
#define CTL        "/ctl"
#define NN_LEN     2
#define BASE_MAX   (sizeof(((struct sockaddr_un *)0)->sun_path) - NN_LEN - sizeof(CTL))

static char instance[NN_LEN + 1];
static char base[BASE_MAX + 1];
static size_t base_len; /* 0: no run-time directory */
static int base_error;
/* The stack of the program's own partition: its system id, and its base. */
static char stack_nn[NN_LEN + 1];
static char stack_base[BASE_MAX + 1];
static bool ready;

/* Like the environment, it counts as it was at the start. */
static void choose_stack(void)
{
	const char *said = getenv(MUX_STACK_VARIABLE), *dir;
	char nn[NN_LEN + 1] = "";

	stack_nn[0] = '\0';
	if (said)
		memcpy(nn, said, strnlen(said, NN_LEN));
	dir = mux_stack_place(nn);
	if (!dir || strlen(dir) + strlen(STACK_BASE) > BASE_MAX)
		return;
	strcpy(stack_base, dir);
	strcat(stack_base, STACK_BASE);
	memcpy(stack_nn, nn, sizeof(nn));
}

/* A system id that the multiplexer's table gives neither to LFP nor to the stack of this partition
 * is no instance. */
static void choose_instance(const char *run)
{
	struct mux_lec lec;

	mux_ask_lec(&lec, run);
	if (lfp_check_nn(lec.sysid) < 0)
		return;
	if (lec.phase == MUX_LFP || (mux_is_other_stack(lec.phase) && !strcmp(lec.sysid, stack_nn)))
		memcpy(instance, lec.sysid, sizeof(instance));
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

static void choose(void)
{
	char buf[LFP_PLACE_MAX] = "";
	size_t len;
	int rc = find_base(buf);

	choose_stack();
	choose_instance(rc < 0 ? "" : buf);

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
	choose();
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	errno = saved;
}

void place_again(void)
{
	__atomic_store_n(&ready, false, __ATOMIC_RELEASE);
	instance[0] = '\0';
	base_len = 0;
	place_init();
}

/*
 * A program may set a variable itself before its first call on a socket, as LE/C programs do. One
 * that has cleared its environment keeps what it was started with.
 */
static void choose_late(void)
{
	static const char *const names[] = {"LFP$ID", "LFP_ID", "SYSID"};
	char run[BASE_MAX + 1] = "";
	int saved = errno;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (!value || !*value || !strcmp(value, instance))
			continue;
		if (base_len)
			memcpy(run, base, base_len - strlen(BASE));
		instance[0] = '\0';
		choose_instance(run);
		break;
	}
	errno = saved;
}

const char *place_instance(void)
{
	static bool settled;

	place_init();
	if (!__atomic_load_n(&settled, __ATOMIC_ACQUIRE)) {
		choose_late();
		__atomic_store_n(&settled, true, __ATOMIC_RELEASE);
	}
	return instance;
}

_Thread_local const char *place_of_thread;

const char *place_now(void)
{
	return place_of_thread ? place_of_thread : place_instance();
}

/* Returns the run-time directory, "" for none. */
static const char *run_dir(char run[static BASE_MAX + 1])
{
	place_init();
	run[0] = '\0';
	if (base_len) {
		memcpy(run, base, base_len - strlen(BASE));
		run[base_len - strlen(BASE)] = '\0';
	}
	return run;
}

int place_choose(enum mux_interface interface, const char *said, char nn[static 3])
{
	char run[BASE_MAX + 1];
	struct mux_lec lec;
	int saved = errno;

	if (interface == MUX_LEC) {
		memcpy(nn, place_instance(), 3);
		return *nn ? 0 : -ELIBACC;
	}
	mux_ask(interface, said, &lec, run_dir(run));
	errno = saved;
	if (lfp_check_nn(lec.sysid) < 0)
		return -ELIBACC;
	memcpy(nn, lec.sysid, 3);
	return 0;
}

void place_setparm(const char *symbol, char value[static MUX_SYSID_MAX])
{
	char run[BASE_MAX + 1];
	int saved = errno;

	mux_setparm(run_dir(run), symbol, value);
	errno = saved;
}

int place_ctl(struct sockaddr_un *addr, const char *nn)
{
	const char *dir = base;
	size_t len;

	place_init();
	if (lfp_check_nn(nn) < 0)
		return -EINVAL;
	if (!strcmp(nn, stack_nn))
		dir = stack_base;
	else if (!base_len)
		return base_error;
	len = strlen(dir);
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, dir, len);
	memcpy(addr->sun_path + len, nn, NN_LEN);
	memcpy(addr->sun_path + len + NN_LEN, CTL, sizeof(CTL));
	return 0;
}
