/* SPDX-License-Identifier: Apache-2.0 */
/* near-arrivals.c - takes the sockets of the maker when they come */
#include "ijblfp/near/near-arrivals.h"

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-network.h"

static void on_message(struct watch *watch, int status, int events)
{
	struct instance *inst = watch->data;
	struct near_network *network = inst->config.network;

	(void)status;
	(void)events;
	/* A maker that fails says so 200 times a second: the next request listens again. */
	if (!near_network_collect(network, (enum near_socket)(watch - network->watches)))
		watch_stop(watch);
}

static void on_ask(struct near_network *network, enum near_socket kind)
{
	watch_start(&network->watches[kind], UV_READABLE, on_message);
}

void near_arrivals_begin(struct instance *inst)
{
	struct near_network *network = inst->config.network;
	int nr = 0;

	if (!network)
		return;
	while (nr < NEAR_SOCKETS) {
		network->watches[nr].data = inst;
		if (watch_init(inst->loop, &network->watches[nr], network->stocks[nr].from))
			break;
		handle_open(inst);
		nr++;
	}
	if (nr < NEAR_SOCKETS) {
		while (nr)
			watch_close(&network->watches[--nr], handle_let_go);
		return;
	}
	network->on_ask = on_ask;
	for (int i = 0; i < NEAR_SOCKETS; i++)
		on_ask(network, (enum near_socket)i);
}

void near_arrivals_end(struct instance *inst)
{
	struct near_network *network = inst->config.network;

	if (!network || !network->on_ask)
		return;
	network->on_ask = NULL;
	for (int i = 0; i < NEAR_SOCKETS; i++)
		watch_close(&network->watches[i], handle_let_go);
}
