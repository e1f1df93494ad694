/* SPDX-License-Identifier: Apache-2.0 */
/* switches.h - the switches for zIIP-assisted IPSec, in the places where z/OS has them
 *
 * GLOBALCONFIG ZIIP IPSECURITY stands in the TCP/IP profile, IIPHONORPRIORITY and PROJECTCPU in
 * member IEAOPTxx. Sources: IBM's presentation of the function for z/OS V1R9 (names, and the
 * defaults of the first two), z/OS MVS Program Management and Initialization and Tuning Reference
 * for IIPHONORPRIORITY=YES as the default. NOIPSECURITY has the form of IBM's other parameters of
 * GLOBALCONFIG; that PROJECTCPU=NO is the default is ours: IBM says that specifying the parameter
 * allows the projection.
 */
#ifndef DEVEMU_ENGINE_SWITCHES_H
#define DEVEMU_ENGINE_SWITCHES_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/reader.h"

struct switches {
	bool ziip_ipsecurity; /* GLOBALCONFIG ZIIP IPSECURITY; not coded: CPs */
	bool honor_priority;  /* IIPHONORPRIORITY, default YES */
	bool project_cpu;     /* PROJECTCPU, default NO */
};

void switches_init(struct switches *switches);

/*
 * Reads a TCP/IP profile: ';' begins a comment, a statement continues on lines that begin with a
 * blank (ours). Ignores statements other than GLOBALCONFIG, and knows only ZIIP of that. Returns 0;
 * -EINVAL with @err filled, or -EIO.
 */
int switches_read_profile(struct switches *switches, const char *name, FILE *file,
			  struct lfp_reader_error *err);

/* Reads a member IEAOPTxx: keyword=value, separated by commas, blanks or lines, with comments
 * between slash-asterisk and asterisk-slash. Other keywords are errors. The same results. */
int switches_read_opt(struct switches *switches, const char *name, FILE *file,
		      struct lfp_reader_error *err);

#endif
