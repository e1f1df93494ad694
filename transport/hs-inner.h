/* SPDX-License-Identifier: Apache-2.0 */
/* hs-inner.h - a connection of the transport hipersockets, for its files */
#ifndef TRANSPORT_HS_INNER_H
#define TRANSPORT_HS_INNER_H

#include <string.h>

#include "devemu/qdio/port.h"
#include "transport/choice.h"
#include "transport/hs-frame.h"
#include "transport/iucv-socket.h"
#include "transport/meet.h"

/* Messages on their way on HiperSockets, unless configured: as Linux without SO_MSGLIMIT. */
#define HS_MSGLIMIT 128u

/* Faults that the emulated machine injects now and then, in the order of the words of HS_FAULTS.
 * With HS_FAULTS_CODE a transfer ends with a return code, and the connection with it. */
enum hs_faults {
	HS_FAULTS_NONE,
	HS_FAULTS_HOLD,      /* buffers that were given back are withheld for a while */
	HS_FAULTS_LATE,      /* completions are delayed */
	HS_FAULTS_DUPLICATE, /* a completion comes twice */
	HS_FAULTS_RACE,      /* a completion comes before its slot says that it is pending */
	HS_FAULTS_BUSY,      /* SIGA finds HiperSockets busy */
	HS_FAULTS_CODE,
	HS_FAULTS_ALL, /* all of the above except HS_FAULTS_CODE */
};

struct hs_settings {
	unsigned int mtu;    /* of the device, bytes */
	bool cq;             /* our device has a completion queue, which LFP requires */
	bool cq_test;        /* it need not have one, for tests */
	unsigned int faults; /* enum hs_faults */
};

_Static_assert(sizeof(struct hs_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

struct hs_conn {
	struct meet_conn meet;
	bool ended; /* FIN has come */
	bool full;  /* a send was refused */
	bool again; /* frames may be left in the input queue */
	int error;  /* a message was not delivered, or the peer broke the protocol */

	struct qdio_segment segment;
	struct qdio_port port;
	struct hs_end me, peer;
	uint32_t limit, peer_limit;  /* messages on the way to us, to the peer */
	uint32_t sent;               /* messages that the peer has not yet reported as read */
	uint32_t unread;             /* messages received, not yet passed to the owner */
	uint32_t credits;            /* messages read, not yet reported to the peer */
	uint32_t tag;                /* of the next message */
	uint32_t taken;              /* input buffers to be given back */
	uint32_t looks;              /* number of looks at the device, for hs_plant() */
	uint64_t no_protocol;        /* frames of other protocols than AF_IUCV */
	uint64_t discarded;          /* AF_IUCV frames of other connections */
	struct packet_queue backlog; /* messages that came while the owner was not reading */
	struct packet_queue shown;   /* those of them that the owner looks at now */
};

/* hs-meet.c: how two sides come to share a device. */
extern const struct meet_kind hs_kind;

/* Sends a frame without a message. Returns 0, -EAGAIN or another negative errno. */
int hs_control(struct hs_conn *conn, uint8_t flags, uint32_t window);

/* Answers @syn with SYN|FIN, whatever its destination is. */
void hs_refuse(struct hs_conn *conn, const struct hs_frame *syn);

/* Returns true if our device has an id; else this side takes the id that the peer uses. */
static inline bool hs_has_id(const struct transport_where *where)
{
	return *iucv_hsuid(&where->settings);
}

/* Returns true if a frame is between the ends of this connection. */
static inline bool hs_is_of(const struct hs_conn *conn, const struct hs_frame *frame)
{
	return !memcmp(&frame->src, &conn->peer, sizeof(frame->src)) &&
	       !memcmp(&frame->dest, &conn->me, sizeof(frame->dest));
}

/* hs-settings.c: the keys of both sides, and the check of their values. */
#define HS_KEYS 4
extern const struct lfp_field hs_lfpd_keys[HS_KEYS], hs_vse_keys[HS_KEYS];
int hs_check(const struct transport_settings *settings, enum transport_side side, uint32_t mtu,
	     struct transport_fault *fault);
bool hs_warns(const struct transport_settings *settings, enum transport_side side,
	      struct transport_fault *warning);
extern const char *const hs_needs[];
void hs_check_needs(const struct transport_settings *settings, uint32_t mtu,
		    const struct transport_report *report);

static inline const struct hs_settings *hs_settings(const struct transport_where *where)
{
	return transport_settings_of(&where->settings, &transport_hipersockets);
}

/* Returns the bytes of the longest packet on a HiperSockets device with MTU @device_mtu: what the
 * headers of AF_IUCV leave. 0 if no device has that MTU: it is 8192, 16384, 32768 or 57344. */
uint32_t hs_packet_max(uint32_t device_mtu);

/* Bytes of the frames of our device. */
uint32_t hs_frame_size(const struct transport_where *where);

/* Returns 0 if a packet of where->mtu fits a frame; -EMSGSIZE if not, -EINVAL if no device has the
 * configured MTU. */
int hs_check_mtu(const struct transport_where *where);

/* The report of the device, for NETSTAT. */
void hs_device(struct transport_conn *base, struct transport_device *out);

/* Of the loop: hipersockets.c sees to the device. */
void hs_before_sleep(struct turn_hook *hook);
void hs_after_sleep(struct turn_hook *hook);

/* hs-faults.c: once for each look at the device; now and then something is planted. */
void hs_plant(struct hs_conn *conn);

/* Frees all queued packets. */
void hs_drop(struct packet_queue *queue);

/* hs-meet.c: the answers to SYN; frames that are not of the connection, or are SYN, once it is
 * open.
 */
void hs_meet_frame(struct hs_conn *conn, const struct hs_frame *frame);
void hs_meet_stranger(struct hs_conn *conn, const struct hs_frame *frame);

#endif
