/* SPDX-License-Identifier: Apache-2.0 */
/* vse.h - an lfpd instance in this process, and a scripted z/VSE side for it */
#ifndef TESTS_LFPD_VSE_H
#define TESTS_LFPD_VSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/frame.h"
#include "lfpd/state/instance.h"

#define VSE_PACKET_MAX 65536
#define VSE_WINDOW     8192

struct host {
	uv_loop_t loop;
	struct lfpd_config config;
	struct instance inst;
	char root[64];
};

/* Sets defaults: TEST, any peer, small limits. A test may change config, then calls
 * host_start(). */
void host_init(struct host *host);
void host_start(struct host *host);

/* Stops the host and checks that nothing is left: handles, sockets, buffers, descriptors. */
void host_stop(struct host *host);

/* Runs one turn of the loop without waiting. */
void host_turn(struct host *host);

/* Called before and after each turn, if it is not NULL. */
extern void (*host_on_turn)(bool begins);

struct vse {
	struct host *host;
	int fd;
	uint32_t sequence, taken, request;
	uint8_t in[VSE_PACKET_MAX];
	size_t len, at; /* of the packet that is being looked at */
	bool ended;     /* end of file was read */
};

void vse_connect(struct vse *vse, struct host *host);
void vse_close(struct vse *vse);

/* Features that HELLO offers; 0 at first. */
extern uint32_t vse_features;

/* Sends HELLO with @appname and @dest. Returns the answer. */
struct lfp_frame vse_hello(struct vse *vse, const char *appname, const char *dest);

/* Connects, then sends HELLO, and TASK_BEGIN for task 1. All of them must work. */
void vse_open(struct vse *vse, struct host *host);

/* Sends one packet with one frame. */
void vse_send(struct vse *vse, const struct lfp_frame *frame);
void vse_send_raw(struct vse *vse, const uint8_t *packet, size_t len);

/* Runs the loop until there is a frame, and gets it; it points into vse->in. Returns false at the
 * end of the path. */
bool vse_next(struct vse *vse, struct lfp_frame *frame);

/* The next frame, if it is there: a packet that has come may have none, and only say what was
 * taken. */
bool vse_look(struct vse *vse, struct lfp_frame *frame);

/* Gets the next frame, which must have this code. */
struct lfp_frame vse_expect(struct vse *vse, enum lfp_code code);

/* Sends a request and returns the answer. */
struct lfp_frame vse_ask(struct vse *vse, struct lfp_frame frame);

/* Checks that the path ends. */
void vse_expect_end(struct vse *vse);

/* Send requests with the usual contents. Return the status of the answer. */
int vse_socket(struct vse *vse, uint64_t id, unsigned int family);
int vse_close_socket(struct vse *vse, uint64_t id, int how, uint64_t received);
int vse_connect_to(struct vse *vse, uint64_t id, const struct lfp_addr *peer);
void vse_data(struct vse *vse, uint64_t id, uint64_t position, const char *text, size_t len);

struct lfp_addr vse_addr(const char *ip, unsigned int port);

/* Makes a TCP listener of the host at 127.0.0.1 and sets @port to its port. */
int tcp_listen(unsigned int *port);

/* The same without listen(): no other socket gets the port while this is open. */
int tcp_bind(unsigned int *port);

/* Accept or read, and run the loop meanwhile. Return -1 with errno, as the calls themselves. */
int tcp_accept(struct host *host, int fd);
ptrdiff_t tcp_read(struct host *host, int fd, void *buf, size_t room);

#endif
