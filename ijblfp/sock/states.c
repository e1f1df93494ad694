/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - tables of the allowed state changes of a virtual socket */
#include "ijblfp/sock/states.h"

#define NEXT LFP_NEXT

const struct lfp_transitions vsock_states =
	{
		.what = "a virtual socket",
		.nr = VSOCK_NR_STATES,
		.states =
			{
				[VSOCK_OPENING] = {"opening", NEXT(VSOCK_NEW) | NEXT(VSOCK_SPARE) |
								      NEXT(VSOCK_ARRIVING) |
								      NEXT(VSOCK_DATAGRAM) |
								      NEXT(VSOCK_CLOSING)},
				[VSOCK_SPARE] = {"spare", NEXT(VSOCK_NEW) | NEXT(VSOCK_CLOSING)},
				[VSOCK_NEW] = {"new",
					       NEXT(VSOCK_CONNECTING) | NEXT(VSOCK_LISTENING) |
						       NEXT(VSOCK_OVER) | NEXT(VSOCK_CLOSING)},
				/* To LISTENING: the answer to a LISTEN that was sent before the
				   CONNECT. */
				[VSOCK_CONNECTING] = {"connecting",
						      NEXT(VSOCK_NEW) | NEXT(VSOCK_ESTABLISHED) |
							      NEXT(VSOCK_LISTENING) |
							      NEXT(VSOCK_OVER) |
							      NEXT(VSOCK_CLOSING)},
				[VSOCK_ARRIVING] = {"arriving",
						    NEXT(VSOCK_ESTABLISHED) | NEXT(VSOCK_CLOSING)},
				[VSOCK_ESTABLISHED] = {"established", NEXT(VSOCK_RESET) |
									      NEXT(VSOCK_OVER) |
									      NEXT(VSOCK_CLOSING)},
				[VSOCK_RESET] = {"reset", NEXT(VSOCK_OVER) | NEXT(VSOCK_CLOSING)},
				/* To OVER: connect() with AF_UNSPEC dissolves a connection that is
				   over. */
				[VSOCK_OVER] = {"over", NEXT(VSOCK_NEW) | NEXT(VSOCK_OVER) |
								NEXT(VSOCK_CLOSING)},
				[VSOCK_LISTENING] = {"listening",
						     NEXT(VSOCK_OVER) | NEXT(VSOCK_CLOSING)},
				/* To OVER: lfpd sends RESET. */
				[VSOCK_DATAGRAM] = {"datagram", NEXT(VSOCK_OVER) |
									NEXT(VSOCK_CLOSING)},
				[VSOCK_CLOSING] = {"closing", 0},
			},
};

const struct lfp_transitions reading_states = {
	.what = "reading from the program",
	.nr = READ_TO_END + 1,
	.may_repeat = true,
	.states =
		{
			[READ_RESTS] = {"rests", NEXT(READ_SOME) | NEXT(READ_TO_END)},
			[READ_SOME] = {"some", NEXT(READ_TO_END) | NEXT(READ_RESTS)},
			[READ_TO_END] = {"to end", NEXT(READ_RESTS)},
		},
};

const struct lfp_transitions out_end_states = {
	.what = "the direction from the program",
	.nr = OUT_ABORTED + 1,
	.may_repeat = true,
	.states =
		{
			[OUT_OPEN] = {"open", NEXT(OUT_HUNG) | NEXT(OUT_SHUT) | NEXT(OUT_ABORTED)},
			[OUT_HUNG] = {"hung", NEXT(OUT_OPEN) | NEXT(OUT_SHUT) | NEXT(OUT_ABORTED)},
			[OUT_SHUT] = {"shut", NEXT(OUT_ABORTED)},
			[OUT_ABORTED] = {"aborted", 0},
		},
};

const struct lfp_transitions in_end_states = {
	.what = "the direction to the program",
	.nr = IN_END_GIVEN + 1,
	.may_repeat = true,
	.states =
		{
			[IN_OPEN] = {"open", NEXT(IN_END_CAME)},
			[IN_END_CAME] = {"end came", NEXT(IN_END_GIVEN)},
			[IN_END_GIVEN] = {"end given", 0},
		},
};

const struct lfp_transitions in_reader_states = {
	.what = "the reading program",
	.nr = READER_BROKEN + 1,
	.may_repeat = true,
	.states =
		{
			[READER_READS] = {"reads", NEXT(READER_SHUT) | NEXT(READER_GONE) |
							   NEXT(READER_BROKEN)},
			[READER_SHUT] = {"shut", 0},
			[READER_GONE] = {"gone", 0},
			[READER_BROKEN] = {"broken", 0},
		},
};

const struct lfp_transitions accept_mark_states = {
	.what = "the mark of accept()",
	.nr = MARK_PASSED + 1,
	.may_repeat = true,
	.states =
		{
			[MARK_NONE] = {"none", NEXT(MARK_LEFT)},
			[MARK_LEFT] = {"left", NEXT(MARK_PASSED) | NEXT(MARK_NONE)},
			[MARK_PASSED] = {"passed", NEXT(MARK_NONE)},
		},
};

const struct lfp_transitions guarding_states = {
	.what = "the copy of a supervisor",
	.nr = GUARD_TOLD + 1,
	.states =
		{
			[GUARD_NONE] = {"none", NEXT(GUARD_HAS)},
			[GUARD_HAS] = {"has", NEXT(GUARD_TOLD)},
			[GUARD_TOLD] = {"told", 0},
		},
};

const struct lfp_transitions told_states = {
	.what = "the report of connect()",
	.nr = TOLD_END + 1,
	.may_repeat = true,
	.states =
		{
			[TOLD_NOTHING] = {"nothing", NEXT(TOLD_CONNECTED) | NEXT(TOLD_END)},
			[TOLD_CONNECTED] = {"connected", NEXT(TOLD_END)},
			[TOLD_END] = {"end", 0},
		},
};

const struct lfp_transitions listened_states = {
	.what = "a program's listener",
	.nr = LISTENER_WAS + 1,
	.may_repeat = true,
	.states =
		{
			[LISTENER_NEVER] = {"never", NEXT(LISTENER_NOW) | NEXT(LISTENER_WAS)},
			[LISTENER_NOW] = {"now", NEXT(LISTENER_WAS)},
			[LISTENER_WAS] = {"was", NEXT(LISTENER_NOW)},
		},
};
