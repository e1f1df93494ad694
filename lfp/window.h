/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - the window of one socket in one direction */
#ifndef LFP_WINDOW_H
#define LFP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Positions count the bytes of one socket in one direction from 0. The sender may be at most a
 * window ahead of what the receiver has reported as consumed. "Consumed" means taken by the kernel
 * buffer beyond the receiving daemon (the pair, the host's socket) or thrown away for good.
 */

/* The sender's view. */
struct lfp_send_window {
	uint64_t sent;     /* position of the next byte */
	uint64_t consumed; /* last report of the peer */
	uint32_t window;   /* the receiver's window, bytes */
	uint32_t least;    /* see lfp_window_least(); 0: none */
};

/* The receiver's view. */
struct lfp_recv_window {
	uint64_t received; /* position of the next byte expected */
	uint64_t consumed;
	uint64_t reported; /* value of the last WINDOW */
	uint32_t window;
	uint32_t threshold; /* bytes: a WINDOW is due when so much was consumed since the last */
};

/* Returns the WINDOW_SIZE in use: rounded up to a multiple of 4096 (IBM's status shows 65536 for
 * 65535). */
uint32_t lfp_window_round(uint32_t size);

/* Returns the threshold in bytes: @percent of the window, at least 1. */
uint32_t lfp_window_threshold(uint32_t window, unsigned int percent);

/* Returns the number of bytes that may be sent now. */
uint32_t lfp_window_room(const struct lfp_send_window *w);

/* The same, but 0 if less than `least` may be sent: a frame for a few bytes costs as much as a full
 * one. */
uint32_t lfp_window_room_worth(const struct lfp_send_window *w);

/* Returns the smallest room that is worth a frame. If less is left, the receiver will report once
 * it has consumed everything, so a waiting sender always gets a WINDOW. @threshold: the receiver's,
 * in bytes. */
uint32_t lfp_window_least(uint32_t window, uint32_t threshold);

/* Handles a WINDOW. Returns 0, or -EPROTO if @consumed goes back or exceeds the bytes sent. */
int lfp_window_report(struct lfp_send_window *w, uint64_t consumed);

/* Handles DATA. Returns 0, or -EPROTO if @position is not the next byte or @len exceeds the
 * window. */
int lfp_window_arrive(struct lfp_recv_window *w, uint64_t position, uint32_t len);

/* @len more bytes are consumed; true if a WINDOW is due now (it is then counted as reported). */
bool lfp_window_consume(struct lfp_recv_window *w, uint32_t len);

/* Without waiting for the threshold: true if there is something to report (it is then counted as
 * reported). */
bool lfp_window_settle(struct lfp_recv_window *w);

#endif
