/* SPDX-License-Identifier: Apache-2.0 */
/* ping.h - is an LFP instance there? */
#ifndef LFP_RUN_PING_H
#define LFP_RUN_PING_H

/**
 * instance_ping() - ask an instance whether its path to lfpd is up
 * @path:	its control socket
 * @timeout:	seconds to wait for the answer
 *
 * Return: 0, the errno of the answer as a positive number (ENETDOWN: no path), or a negative errno
 * if there is no answer.
 */
int instance_ping(const char *path, unsigned int timeout);

#endif
