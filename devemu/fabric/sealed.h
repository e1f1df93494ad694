/* SPDX-License-Identifier: Apache-2.0 */
/* sealed.h - the information units of a channel program on an encrypted path
 *
 * Theory of operation
 *
 * Each unit is sealed at one end and opened at the other (fces/), in the order of the protocol, and
 * what has come out takes its place in storage. The control unit acts only on units that have
 * reached it: commands, transfer ready and the data of a write go before the program is started.
 * Its answers, data of a read, responses and status, go when the program has ended. The channel
 * drops an exchange with a missing unit in either direction.
 *
 *	command mode	each command with its parameters; pacing responses and data of a write;
 *			command response, data of a read, status
 *	transport mode	the TCCB; transfer ready and data of a write; data of a read, the TSB
 *	FCP		FCP_CMND; FCP_XFER_RDY and data of a write; data of a read, FCP_RSP
 *
 * A unit that is no data is one frame, data are a frame for each 2,048 bytes: the same number that
 * the links of the fabric carry. Layouts of FCP are those of FCP-4; of units in command mode, whose
 * FC-SB headers have no reader here, only CCW, parameters and status exist.
 */
#ifndef DEVEMU_FABRIC_SEALED_H
#define DEVEMU_FABRIC_SEALED_H

#include "devemu/fabric/exchange.h"
#include "devemu/fabric/io.h"

/* Sends the units that precede the program, after exchange_prepare(). Returns false if a frame was
 * dropped: the control unit then has no program, or no data for it. */
bool sealed_start(const struct io *io, struct exchange *exchange);

/* Sends the answers of a program that has run. Returns false if a frame was dropped; a write has
 * still been done. */
bool sealed_end(const struct io *io, struct exchange *exchange);

#endif
