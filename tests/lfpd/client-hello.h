/* SPDX-License-Identifier: Apache-2.0 */
/* client-hello.h - makes the first message of a TLS client */
#ifndef TESTS_LFPD_CLIENT_HELLO_H
#define TESTS_LFPD_CLIENT_HELLO_H

#include <stddef.h>
#include <stdint.h>

enum client_hello {
	CLIENT_HELLO_PLAIN,
	CLIENT_HELLO_ECH,   /* with the extension encrypted_client_hello */
	CLIENT_HELLO_TWICE, /* with two server names */
};

/* Writes a ClientHello for the server @name, or without a name for NULL, in records of at most
 * @record bytes. Returns its length. */
size_t client_hello(uint8_t out[static 4096], const char *name, enum client_hello kind,
		    size_t record);

#endif
