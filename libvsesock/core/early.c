/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - options of a stream that need no call on the control channel (lfp/early.h) */
#include "libvsesock/core/early.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include "lfp/early.h"
#include "libvsesock/core/ctl-conn.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/post.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

/* Bytes of a congestion control's name, with its NUL (net/tcp.h, TCP_CA_NAME_MAX). */
#define CONTROL_MAX 16u

/* Congestion controls that the host of an instance has accepted before, a bit for each. The upper
 * half identifies the instance. */
static uint64_t controls;

#define CONTROLS_OF(nn) ((uint64_t)(uint8_t)(nn)[0] << 40 | (uint64_t)(uint8_t)(nn)[1] << 32)

static bool is_of(const char *nn, uint64_t known)
{
	return known >> 32 == CONTROLS_OF(nn) >> 32;
}

static bool is_known(const char *nn, int number)
{
	uint64_t known = __atomic_load_n(&controls, __ATOMIC_RELAXED);

	return is_of(nn, known) && known >> number & 1;
}

static bool is_unpaired(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return raw_getpeername(fd, &addr, &len) == -ENOTCONN;
}

static int put_int(int fd, int name, int value)
{
	return raw_setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value));
}

/* Returns the word of a near end, or 0 if nothing is known. */
static int word_of(int fd)
{
	int word = -1;
	socklen_t len = sizeof(word);

	if (raw_getsockopt(fd, SOL_SOCKET, LFP_EARLY_WORD, &word, &len) < 0 || word < 0)
		return 0;
	return word;
}

/* Returns the number of an option that may be early here, or -1. The instance decides about calls
 * of a z/VSE task. */
static int find(int level, int name)
{
	int option = lfp_early_find(level, name);

	return option >= 0 && !ctl_task && !sandbox_kills(SANDBOX_EARLY) ? option : -1;
}

/* Returns true if the option needs no request: the near end tells that it has the value, or the
 * value is posted. Where the near end tells another value, it would go on telling that after a
 * post. SO_KEEPALIVE acts while the program does nothing, when nobody reads posts. */
static bool is_settled(int fd, int option, const void *value, uint64_t quiet)
{
	int word = word_of(fd), wanted;
	bool known = word & LFP_EARLY_KNOWN(option);

	if ((!known && !quiet) || memory_check_read(value, sizeof(wanted)))
		return false;
	memcpy(&wanted, value, sizeof(wanted));
	if (known)
		return (word & LFP_EARLY_VALUE(option, true)) == LFP_EARLY_VALUE(option, wanted);
	return option == LFP_EARLY_NODELAY && post_put(quiet, wanted);
}

/* Returns the number of a congestion control that the host of @nn has, or -1. The kernel reads at
 * most CONTROL_MAX - 1 bytes of the name (net/ipv4/tcp.c, do_tcp_setsockopt()). */
static int take_control(const char *nn, const void *value, socklen_t len)
{
	size_t used = len < CONTROL_MAX ? len : CONTROL_MAX - 1;
	char name[CONTROL_MAX];
	int number;

	if ((int)len < 1 || memory_check_read(value, used))
		return -1;
	memcpy(name, value, used);
	number = lfp_early_find_control(name, used);
	return number >= 0 && is_known(nn, number) ? number : -1;
}

/* Sets the place of an option whose near end is not connected. Returns as early_set(). */
static int set_place(int fd, const struct lfp_early_option *at, const void *value, socklen_t len)
{
	int rc = raw_setsockopt(fd, SOL_SOCKET, at->place, value, len);

	if (rc == -EFAULT)
		return rc;
	if (rc < 0 || put_int(fd, LFP_EARLY_MARK, 1) < 0)
		return EARLY_ASK;
	/* If @fd was connected in between, the instance may have read the places before. */
	return is_unpaired(fd) ? 0 : EARLY_ASK;
}

/* Returns as early_set(). */
static int set_control(int fd, const char *nn, const void *value, socklen_t len)
{
	const struct lfp_early_option *at = lfp_early_at(LFP_EARLY_CONGESTION);
	int number = take_control(nn, value, len);
	socklen_t place_len = sizeof(uint64_t);
	uint64_t place;

	if (number < 0 || !is_unpaired(fd) ||
	    raw_getsockopt(fd, SOL_SOCKET, at->place, &place, &place_len) < 0)
		return EARLY_ASK;
	place = lfp_early_put_control(place, number);
	return set_place(fd, at, &place, sizeof(place));
}

int early_set(int fd, const char *nn, int level, int name, const void *value, socklen_t len,
	      uint64_t quiet)
{
	int option = find(level, name);

	if (option < 0)
		return EARLY_ASK;
	if (option == LFP_EARLY_CONGESTION)
		return set_control(fd, nn, value, len);
	if (len < sizeof(int) || (int)len < 0)
		return EARLY_ASK;
	if (is_settled(fd, option, value, quiet))
		return 0;
	return is_unpaired(fd) ? set_place(fd, lfp_early_at(option), value, sizeof(int))
			       : EARLY_ASK;
}

int early_get(int fd, int level, int name, void *value, socklen_t *len)
{
	int option = find(level, name);

	if (option < 0 || option >= LFP_EARLY_FLAGS)
		return EARLY_ASK;
	if (!(word_of(fd) & LFP_EARLY_KNOWN(option)) && !is_unpaired(fd))
		return EARLY_ASK;
	return raw_getsockopt(fd, SOL_SOCKET, lfp_early_at(option)->place, value, len);
}

void early_note(const char *nn, int level, int name, const void *value, socklen_t len)
{
	uint64_t known = __atomic_load_n(&controls, __ATOMIC_RELAXED), next;
	int number;

	if (lfp_early_find(level, name) != LFP_EARLY_CONGESTION)
		return;
	number = lfp_early_find_control(value, len < CONTROL_MAX ? len : CONTROL_MAX - 1);
	if (number < 0)
		return;
	do
		next = (is_of(nn, known) ? known : CONTROLS_OF(nn)) | UINT64_C(1) << number;
	while (!__atomic_compare_exchange_n(&controls, &known, next, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
}

void early_forget(void)
{
	__atomic_store_n(&controls, 0, __ATOMIC_RELAXED);
}
