/* SPDX-License-Identifier: Apache-2.0 */
/* exit.h - exit codes of the programs (the numbers of sysexits.h); lfpd-ctl has LSB's instead */
#ifndef LFP_EXIT_H
#define LFP_EXIT_H

enum lfp_exit {
	LFP_EXIT_OK = 0,
	LFP_EXIT_FAILURE = 1,
	LFP_EXIT_USAGE = 64,       /* wrong arguments */
	LFP_EXIT_UNAVAILABLE = 69, /* the other side or a system service is unavailable */
	LFP_EXIT_CONFIG = 78,      /* configuration error: another start fails, too */
};

#endif
