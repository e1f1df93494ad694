/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - the window of one socket in one direction */
#include "lfp/window.h"

#include <errno.h>

#define WINDOW_UNIT 4096u

uint32_t lfp_window_round(uint32_t size)
{
	uint32_t most = UINT32_MAX / WINDOW_UNIT * WINDOW_UNIT;

	return size > most ? most : (size + WINDOW_UNIT - 1) / WINDOW_UNIT * WINDOW_UNIT;
}

uint32_t lfp_window_threshold(uint32_t window, unsigned int percent)
{
	uint64_t bytes = (uint64_t)window * percent / 100;

	if (bytes > window)
		return window;
	return bytes ? (uint32_t)bytes : 1;
}

uint32_t lfp_window_room(const struct lfp_send_window *w)
{
	uint64_t used = w->sent - w->consumed;

	return used < w->window ? w->window - (uint32_t)used : 0;
}

uint32_t lfp_window_room_worth(const struct lfp_send_window *w)
{
	uint32_t room = lfp_window_room(w);

	return room < w->least ? 0 : room;
}

uint32_t lfp_window_least(uint32_t window, uint32_t threshold)
{
	uint32_t sure = window > threshold ? window - threshold : 0;

	return window / 8 < sure ? window / 8 : sure;
}

int lfp_window_report(struct lfp_send_window *w, uint64_t consumed)
{
	if (consumed < w->consumed || consumed > w->sent)
		return -EPROTO;
	w->consumed = consumed;
	return 0;
}

int lfp_window_arrive(struct lfp_recv_window *w, uint64_t position, uint32_t len)
{
	/* The sender knows what was reported to it, not what has been consumed since. */
	uint64_t used = w->received - w->reported;

	if (position != w->received)
		return -EPROTO;
	if (used > w->window || len > w->window - (uint32_t)used)
		return -EPROTO;
	w->received += len;
	return 0;
}

bool lfp_window_consume(struct lfp_recv_window *w, uint32_t len)
{
	w->consumed += len;
	if (w->consumed == w->reported || w->consumed - w->reported < w->threshold)
		return false;
	w->reported = w->consumed;
	return true;
}

bool lfp_window_settle(struct lfp_recv_window *w)
{
	if (w->consumed == w->reported)
		return false;
	w->reported = w->consumed;
	return true;
}
