/* SPDX-License-Identifier: Apache-2.0 */
/* time-server.h - sets the clock by TIME_SERVER */
#ifndef VIA_TIME_SERVER_H
#define VIA_TIME_SERVER_H

/* Asks the server of via.conf every 17 minutes, and every 8 s until it has answered once. Without
 * one the clock is the machine's. Called again, it takes the present server. */
void via_time_server_use(const char *server);

#endif
