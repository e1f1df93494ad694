/* SPDX-License-Identifier: Apache-2.0 */
/* edctcpmc.h - the source of the LE/C socket multiplexer's table, as EXEC ASMA90 gets it */
#ifndef VSEJOB_EDCTCPMC_H
#define VSEJOB_EDCTCPMC_H

#include <stddef.h>

#include "vsejob/cards.h"

/*
 *	EDCTCPMC CSECT
 *	EDCTCPMC AMODE ANY
 *	EDCTCPMC RMODE ANY
 *	EDCTCPME SYSID='nn',PHASE='name'	once for each system id
 *	END
 *
 * and comments, which begin with an asterisk; a statement goes on as card_join() says. It is the
 * one source that EXEC ASMA90 takes here.
 */
#define EDCTCPMC_MAX 100u

struct edctcpmc {
	struct {
		char sysid[3];
		char phase[9];
	} entry[EDCTCPMC_MAX];
	size_t nr;
};

/* Read the cards up to the end of data. 0, or -EINVAL with the reason in cards->err. */
int edctcpmc_read(struct edctcpmc *table, struct cards *cards);

/* Install it where programs look for it, ETC/vselfp/edctcpmc; @path is set for messages. */
int edctcpmc_install(const struct edctcpmc *table, char *path, size_t size);

#endif
