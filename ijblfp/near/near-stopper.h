/* SPDX-License-Identifier: Apache-2.0 */
/* near-stopper.h - puts a byte at the end of a near end's data, and finds it again */
#ifndef IJBLFP_NEAR_NEAR_STOPPER_H
#define IJBLFP_NEAR_NEAR_STOPPER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * near_stopper_leave() - send a stopper (sock/stopper.h) and shut the near end down for writing
 * @near:	the near end, not shut down for writing yet
 * @far:	its far end, whose SO_PASSCRED and SO_PEEK_OFF are off before and afterwards
 * @before:	bytes that wait in the far end; others may still come before the stopper
 *
 * Return: the stopper's offset in what waits in the far end; -EAGAIN if nothing was done; another
 * negative errno if the near end is shut down and the stopper is not found.
 */
int64_t near_stopper_leave(int near, int far, unsigned int before);

/* Returns true if a stopper is found behind the bytes that wait in @far. Afterwards @near is shut
 * down for writing. */
bool near_stopper_is_found(int near, int far);

#endif
