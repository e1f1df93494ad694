/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - in unit tests a change of state that is not allowed aborts */
#include "ijblfp/sock/transition.h"

__attribute__((constructor)) static void assert_states(void)
{
	transition_report = transition_abort;
}
