/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.h - numbers of the resolver: flags AI_ and NI_, errors EAI_
 *
 * z/VSE's own are not published for LFP: these are those of include/lec/netdb.h, which are ours.
 */
#ifndef VSESOCK_VSE_RESOLVER_H
#define VSESOCK_VSE_RESOLVER_H

/* The native flags; -1 if there are others. */
int vse_ai_flags(long flags);
int vse_ni_flags(long flags);

/* The program's number of a native EAI_ that is not 0; that of EAI_FAIL for those it has none for.
 */
int vse_eai(int native);

/* The native EAI_ of a program's number, or 0 if it is none. */
int vse_native_eai(int number);

#endif
