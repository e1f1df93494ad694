/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - pacing of FICON, first bursts and transfer ready of zHPF and FCP */

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/io.h"

uint32_t window_bytes(const struct io *io, uint32_t left, bool first)
{
	const struct fabric_channel *channel = io->path->channel;
	uint32_t limit = left;

	if (io->protocol == OPERATION_FICON)
		limit = channel->generation->pacing * FICON_IU;
	else if (first)
		limit = io->protocol == OPERATION_ZHPF && channel->config->no_first_transfer_ready
				? channel->generation->first_burst
				: 0;
	return left < limit ? left : limit;
}
