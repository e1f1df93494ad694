/* SPDX-License-Identifier: Apache-2.0 */
/* netinet/tcp.h - options of level IPPROTO_TCP */
#ifndef VSESOCK_LEC_NETINET_TCP_H
#define VSESOCK_LEC_NETINET_TCP_H

#define TCP_NODELAY   1
#define TCP_KEEPALIVE 8 /* seconds */

#endif
