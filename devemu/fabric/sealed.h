/* SPDX-License-Identifier: Apache-2.0 */
/* sealed.h - the information units of a channel program on an encrypted path
 *
 * Theory of operation
 *
 * Each unit is sealed at one end and opened at the other (fces/), in the order of the protocol, and
 * what has come out takes its place in storage. The control unit can only do what has reached it:
 * commands, transfer ready and the data of a write go before the program is started. What it
 * answers, data of a read, responses and status, goes when the program has ended. The channel gives
 * up an exchange of which a unit is missing, in either direction.
 *
 *	command mode	each command with its parameters; pacing responses and data of a write;
 *			command response, data of a read, status
 *	transport mode	the TCCB; transfer ready and data of a write; data of a read, the TSB
 *	FCP		FCP_CMND; FCP_XFER_RDY and data of a write; data of a read, FCP_RSP
 *
 * A unit that is no data is one frame, data are a frame for each 2,048 bytes: as many as the links
 * of the fabric are charged for. Layouts of FCP are those of FCP-4; of units in command mode, whose
 * FC-SB headers nobody reads here, only CCW, parameters and status are there.
 */
#ifndef DEVEMU_FABRIC_SEALED_H
#define DEVEMU_FABRIC_SEALED_H

#include "devemu/fabric/exchange.h"
#include "devemu/fabric/io.h"

/* What goes before the program runs; exchange_prepare() has made it. False: a frame of it was
 * dropped, and the control unit knows nothing of the program, or has no data for it. */
bool sealed_start(const struct io *io, struct exchange *exchange);

/* What comes back from a program that has run. False: a frame of it was dropped; what a write has
 * written it has written. */
bool sealed_end(const struct io *io, struct exchange *exchange);

#endif
