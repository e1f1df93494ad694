/* SPDX-License-Identifier: Apache-2.0 */
/* choice.c - the one list of transports */
#include "transport/choice.h"

#define TRANSPORT_ADDRESS(name) &name,

const struct transport *transport_at(unsigned int index)
{
	static const struct transport *const transports[] = {TRANSPORTS(TRANSPORT_ADDRESS)};

	return index < sizeof(transports) / sizeof(transports[0]) ? transports[index] : NULL;
}
