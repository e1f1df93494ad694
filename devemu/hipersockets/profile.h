/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - z/OS's definitions of HiperSockets: statements of PROFILE.TCPIP */
#ifndef DEVEMU_HIPERSOCKETS_PROFILE_H
#define DEVEMU_HIPERSOCKETS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "devemu/hipersockets/statement.h"
#include "devemu/hipersockets/words.h"

/*
 * The statements are those of IBM's z/OS Communications Server: IP Configuration Reference, with
 * the parameters that have a meaning here:
 *
 *   DEVICE name MPCIPA [AUTORESTART | NOAUTORESTART] [NONROUTER | PRIROUTER | SECROUTER]
 *   DEVICE name VIRTUAL number
 *   LINK name IPAQIDIO|IPAQENET device [IPBCAST] [READSTORAGE GLOBAL|MAX|AVG|MIN]
 *        [SECCLASS 1-255] [MONSYSPLEX | NOMONSYSPLEX]
 *   LINK name VIRTUAL number device
 *   START device
 *   HOME address link ...
 *   BEGINROUTES
 *   ROUTE destination mask|HOST hop|= link MTU bytes|DEFAULTSIZE
 *   ROUTE DEFAULT hop|= link MTU bytes|DEFAULTSIZE
 *   ENDROUTES
 *
 * Words may stand on any line. Keywords are in either case and may be shortened as IBM does
 * (DEV, AUTOR, BEGINR, ENDR). A comment begins with ';'. The device of an IPAQIDIO link has the
 * name IUTIQDxx, in which xx is its channel path.
 */
enum {
	PROFILE_NAME = STATEMENT_NAME,
	PROFILE_DEVICES = 16,
	PROFILE_LINKS = 32,
	PROFILE_HOMES = 64,
	PROFILE_ROUTES = 64,
};

struct profile_device {
	struct word_place at;
	char name[PROFILE_NAME];
	bool mpcipa; /* else VIRTUAL */
	bool autorestart;
	bool started; /* by START */
	char router;  /* 'N', 'P' or 'S' */
};

enum profile_link_type { LINK_IPAQIDIO, LINK_IPAQENET, LINK_VIRTUAL };

struct profile_link {
	struct word_place at;
	char name[PROFILE_NAME];
	enum profile_link_type type;
	unsigned int device; /* index */
	char storage[8];     /* GLOBAL, MAX, AVG or MIN */
	unsigned int security_class;
	bool broadcast, monsysplex;
};

struct profile_home {
	struct word_place at;
	uint32_t address;
	char link[PROFILE_NAME];
	bool defined;     /* there is such a LINK */
	uint32_t comment; /* the only address in the comment just before it, or 0 */
};

struct profile_route {
	struct word_place at;
	uint32_t destination, mask;
	uint32_t hop; /* 0: "=" */
	unsigned int link;
	unsigned int mtu; /* 0: DEFAULTSIZE */
};

struct tcpip_profile {
	struct profile_device device[PROFILE_DEVICES];
	struct profile_link link[PROFILE_LINKS];
	struct profile_home home[PROFILE_HOMES];
	struct profile_route route[PROFILE_ROUTES];
	unsigned int devices, links, homes, routes;
	struct word_place begin_routes; /* line 0: none */
	bool end_routes;
};

/* Reads a profile. @name is kept in places. Return: 0; -EINVAL or -EIO with @err, whose text is
 * "NAME:LINE:COLUMN: reason". */
int tcpip_profile_read(struct tcpip_profile *profile, const char *name, FILE *file,
		       struct lfp_reader_error *err);

/* Returns a link by its name in either case, or NULL. */
const struct profile_link *tcpip_profile_link(const struct tcpip_profile *profile,
					      const char *name);

/* Returns the first HOME entry of a link, or NULL. */
const struct profile_home *tcpip_profile_home(const struct tcpip_profile *profile,
					      const struct profile_link *link);

/* Input buffers of an IPAQIDIO link whose frames have @frame bytes: IQDIOSTG's MAX 126, AVG 96, MIN
 * 64 with frames of 64 KB; 126 with smaller ones (z/OS SNA Resource Definition Reference). */
uint32_t profile_link_buffers(const struct profile_link *link, uint32_t frame);

#endif
