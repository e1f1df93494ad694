/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c - the descriptors of the process, which calls and connections share */
#include "ijblfp/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "lfp/log.h"
#include "transport/passed.h"

#define SHORT_MS         100
#define SHORT_OVER_MS    5000u /* time without a shortage before the next one is reported again */
#define KEPT_FOR_CALLS   NUMBERS_KEPT
#define KEPT_FOR_REPLIES 4u

void descriptors_init(struct instance *inst, bool (*try_again)(struct instance *inst, bool few))
{
	struct rlimit limit;

	inst->descriptors->limit = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT_MAX
					   ? INT_MAX
					   : (unsigned int)limit.rlim_cur;
	inst->descriptors->try_again = try_again;
}

void descriptors_start(struct instance *inst)
{
	uv_timer_init(inst->loop, &inst->descriptors->retry);
	inst->descriptors->retry.data = inst;
	handle_open(inst);
}

void descriptors_finish(struct instance *inst)
{
	uv_timer_stop(&inst->descriptors->retry);
	handle_close(inst, (uv_handle_t *)&inst->descriptors->retry);
}

/* Returns how many of the highest numbers are kept. */
static unsigned int kept_numbers(const struct instance *inst, enum descriptors_kept kept)
{
	unsigned int limit = inst->descriptors->limit;

	if (kept != KEEP_FOR_CALLS)
		return KEPT_FOR_REPLIES;
	/* Even a small limit leaves room for some connections. */
	return limit / 4 < KEPT_FOR_CALLS ? limit / 4 : KEPT_FOR_CALLS;
}

bool descriptors_are_short(const struct instance *inst, int fd, enum descriptors_kept kept)
{
	numbers_note(fd);
	/* The kernel gives the lowest number that is free (alloc_fd()). */
	return (unsigned int)fd + kept_numbers(inst, kept) >= inst->descriptors->limit;
}

/* Returns true if the highest number for connections is free: then there is room. It is almost
 * always free, and asking makes no descriptor. */
static bool has_top_free(const struct instance *inst)
{
	unsigned int top = inst->descriptors->limit - kept_numbers(inst, KEEP_FOR_CALLS);

	return top && fcntl((int)top - 1, F_GETFD) < 0 && errno == EBADF;
}

int descriptors_check_full(struct instance *inst, int fd)
{
	if (!descriptors_are_short(inst, fd, KEEP_FOR_CALLS))
		return 0;
	refusal_of_descriptor(inst, inst->descriptors->limit);
	return -ENFILE;
}

int descriptors_check_room(struct instance *inst, int fd)
{
	int next;

	if (has_top_free(inst))
		return 0;
	next = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (next < 0)
		return descriptors_lack(inst, -errno);
	/* The copy's original stays open. */
	close(next);
	return descriptors_check_full(inst, next);
}

int descriptors_lack(struct instance *inst, int error)
{
	if (error != -EMFILE && error != -ENFILE)
		return error;
	refusal_of_descriptor(inst, inst->descriptors->limit);
	return -ENFILE;
}

/* Returns true if no call and no connection waits for a descriptor any more. */
static bool short_is_over(struct instance *inst)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* Without a descriptor, what waits for memory alone may still go on. */
	if (fd < 0)
		return inst->descriptors->try_again(inst, true);
	close(fd);
	return inst->descriptors->try_again(inst,
					    descriptors_are_short(inst, fd, KEEP_FOR_REPLIES));
}

static void on_short(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct descriptors *descriptors = inst->descriptors;

	if (!short_is_over(inst))
		descriptors->last_short = uv_now(inst->loop);
	if (uv_now(inst->loop) - descriptors->last_short < SHORT_OVER_MS)
		return;
	uv_timer_stop(timer);
	descriptors->said_short = false;
	lfp_msg("VLFB041I", "Instance %s has free descriptors and memory again.",
		inst->config.st.id);
}

bool descriptors_lack_passes(int error)
{
	switch (-error) {
	case EMFILE:
	case ENFILE:
	case ETOOMANYREFS:
	case ENOMEM:
	case ENOBUFS:
	case EINTR:
		return true;
	default:
		return false;
	}
}

void descriptors_say_short(struct instance *inst, int error)
{
	struct descriptors *descriptors = inst->descriptors;

	descriptors->last_short = uv_now(inst->loop);
	if (descriptors->said_short)
		return;
	descriptors->said_short = true;
	lfp_msg("VLFB040W",
		"Instance %s is short of descriptors or memory (%s): calls and connections wait.",
		inst->config.st.id, strerror(-error));
	uv_timer_start(&descriptors->retry, on_short, SHORT_MS, SHORT_MS);
}
