/* SPDX-License-Identifier: Apache-2.0 */
/* close.h - closes a socket of a controller, and hardly waits */
#ifndef VIA_CLOSE_H
#define VIA_CLOSE_H

/* Closes a socket of a controller. Waits for some milliseconds at most, whatever its peer has not
 * taken. */
void via_close(int fd);

#endif
