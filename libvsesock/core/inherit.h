/* SPDX-License-Identifier: Apache-2.0 */
/* inherit.h - options that a near end has by itself, from one near end to another */
#ifndef VSESOCK_INHERIT_H
#define VSESOCK_INHERIT_H

/* What lfp/sockopt.h calls LOCAL: the kernel gives an accepted socket that of its listener. */
void inherit_options(int from, int to);

#endif
