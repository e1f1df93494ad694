/* SPDX-License-Identifier: Apache-2.0 */
/* tls.c - TLS 1.3 with a secret of both sides */
#include "devemu/fces/tls.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

struct tls_context {
	SSL_CTX *ssl;
	BIO_METHOD *socket;
	bool server;
	tls_secret_of *secret_of;
	void *context;
	char name[FCES_NAME]; /* of a client */
	uint8_t secret[FCES_KEY];
};

struct tls {
	struct tls_context *context;
	SSL *ssl;
	int fd;
	int error; /* errno of the socket's last call */
	char peer[FCES_NAME];
};

/* OpenSSL's own socket BIO writes with write(2), which ends a program with SIGPIPE. */

static int on_write(BIO *bio, const char *bytes, int len)
{
	struct tls *tls = BIO_get_data(bio);
	const ssize_t n = send(tls->fd, bytes, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);

	BIO_clear_retry_flags(bio);
	if (n >= 0)
		return (int)n;
	tls->error = errno;
	if (errno == EAGAIN || errno == EINTR)
		BIO_set_retry_write(bio);
	return -1;
}

static int on_read(BIO *bio, char *bytes, int len)
{
	struct tls *tls = BIO_get_data(bio);
	const ssize_t n = recv(tls->fd, bytes, (size_t)len, MSG_DONTWAIT);

	BIO_clear_retry_flags(bio);
	if (n > 0)
		return (int)n;
	tls->error = n < 0 ? errno : ECONNRESET;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	return n < 0 ? -1 : 0;
}

static long on_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return command == BIO_CTRL_FLUSH;
}

/* OpenSSL takes a secret as a session to be resumed. */
static SSL_SESSION *session(SSL *ssl, const uint8_t secret[FCES_KEY])
{
	static const unsigned char suite[] = {0x13, 0x02}; /* TLS_AES_256_GCM_SHA384 */
	const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
	SSL_SESSION *made = cipher ? SSL_SESSION_new() : NULL;

	if (made && SSL_SESSION_set1_master_key(made, secret, FCES_KEY) == 1 &&
	    SSL_SESSION_set_cipher(made, cipher) == 1 &&
	    SSL_SESSION_set_protocol_version(made, TLS1_3_VERSION) == 1)
		return made;
	SSL_SESSION_free(made);
	return NULL;
}

static int on_identity(SSL *ssl, const unsigned char *identity, size_t len, SSL_SESSION **found)
{
	struct tls *tls = SSL_get_app_data(ssl);
	const uint8_t *secret;
	char name[FCES_NAME];

	*found = NULL;
	if (!len || len >= sizeof(name) || memchr(identity, '\0', len))
		return 1; /* unknown: without a secret the handshake fails */
	memcpy(name, identity, len);
	name[len] = '\0';
	secret = tls->context->secret_of(tls->context->context, name);
	if (!secret)
		return 1;
	*found = session(ssl, secret);
	if (!*found)
		return 0;
	strcpy(tls->peer, name);
	return 1;
}

static int on_secret_wanted(SSL *ssl, const EVP_MD *digest, const unsigned char **identity,
			    size_t *len, SSL_SESSION **use)
{
	struct tls *tls = SSL_get_app_data(ssl);

	*use = NULL;
	/* After a retry it may only be of this digest; a server that wants another one has no
	 * secret of ours. */
	if (digest && EVP_MD_get_type(digest) != NID_sha384)
		return 1;
	*use = session(ssl, tls->context->secret);
	*identity = (const unsigned char *)tls->context->name;
	*len = strlen(tls->context->name);
	return *use != NULL;
}

static struct tls_context *make(bool server)
{
	struct tls_context *context = calloc(1, sizeof(*context));
	BIO_METHOD *method;
	SSL_CTX *ssl;

	if (!context)
		return NULL;
	context->server = server;
	ssl = context->ssl = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
	method = context->socket =
		BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
	if (!ssl || !method || SSL_CTX_set_min_proto_version(ssl, TLS1_3_VERSION) != 1 ||
	    SSL_CTX_set_ciphersuites(ssl, "TLS_AES_256_GCM_SHA384") != 1 ||
	    SSL_CTX_set_num_tickets(ssl, 0) != 1 || BIO_meth_set_write(method, on_write) != 1 ||
	    BIO_meth_set_read(method, on_read) != 1 || BIO_meth_set_ctrl(method, on_control) != 1) {
		tls_context_destroy(context);
		ERR_clear_error();
		errno = ENOMEM;
		return NULL;
	}
	SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
	SSL_CTX_clear_mode(ssl, SSL_MODE_AUTO_RETRY);
	SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	/* Refuses a server that presents a certificate instead of the secret. */
	SSL_CTX_set_verify(ssl, server ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	return context;
}

struct tls_context *tls_server_context(tls_secret_of *secret_of, void *context)
{
	struct tls_context *made = make(true);

	if (!made)
		return NULL;
	made->secret_of = secret_of;
	made->context = context;
	SSL_CTX_set_psk_find_session_callback(made->ssl, on_identity);
	return made;
}

struct tls_context *tls_client_context(const char *name, const uint8_t secret[FCES_KEY])
{
	struct tls_context *made = make(false);

	if (!made)
		return NULL;
	strncpy(made->name, name, sizeof(made->name) - 1);
	memcpy(made->secret, secret, FCES_KEY);
	SSL_CTX_set_psk_use_session_callback(made->ssl, on_secret_wanted);
	return made;
}

void tls_context_destroy(struct tls_context *context)
{
	if (!context)
		return;
	SSL_CTX_free(context->ssl);
	BIO_meth_free(context->socket);
	OPENSSL_cleanse(context, sizeof(*context));
	free(context);
}

struct tls *tls_create(struct tls_context *context, int fd)
{
	struct tls *tls = calloc(1, sizeof(*tls));
	BIO *bio;

	if (!tls)
		return NULL;
	tls->context = context;
	tls->fd = fd;
	tls->ssl = SSL_new(context->ssl);
	bio = BIO_new(context->socket);
	if (!tls->ssl || !bio) {
		SSL_free(tls->ssl);
		BIO_free(bio);
		free(tls);
		ERR_clear_error();
		errno = ENOMEM;
		return NULL;
	}
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	SSL_set_app_data(tls->ssl, tls);
	if (context->server)
		SSL_set_accept_state(tls->ssl);
	else
		SSL_set_connect_state(tls->ssl);
	return tls;
}

void tls_destroy(struct tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->ssl);
	free(tls);
}

/* Return value of an unfinished call. */
static int outcome(struct tls *tls, int returned, short *events)
{
	int rc = -EPROTO;

	switch (SSL_get_error(tls->ssl, returned)) {
	case SSL_ERROR_WANT_READ:
		*events = POLLIN;
		rc = -EAGAIN;
		break;
	case SSL_ERROR_WANT_WRITE:
		*events = POLLOUT;
		rc = -EAGAIN;
		break;
	case SSL_ERROR_ZERO_RETURN:
		rc = 0;
		break;
	case SSL_ERROR_SYSCALL:
		rc = tls->error ? -tls->error : -ECONNRESET;
		break;
	case SSL_ERROR_SSL:
		if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
			rc = -ECONNRESET;
		break;
	default:
		break;
	}
	ERR_clear_error();
	return rc;
}

/* The first bytes show whether the peer speaks TLS. If it does and the handshake still fails, the
 * secrets differ. */
static bool is_secret(void)
{
	switch (ERR_GET_REASON(ERR_peek_last_error())) {
	case SSL_R_BINDER_DOES_NOT_VERIFY:
	case SSL_R_CERTIFICATE_VERIFY_FAILED:
	case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
	case SSL_R_NO_SHARED_CIPHER:
	case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
	case SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER:
	case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
	case SSL_R_BAD_PSK:
		return true;
	default:
		return false;
	}
}

int tls_handshake(struct tls *tls, short *events)
{
	const int done = SSL_do_handshake(tls->ssl);

	if (done == 1)
		/* Authenticated by the secret alone. */
		return SSL_session_reused(tls->ssl) ? 1 : -EKEYREJECTED;
	if (is_secret()) {
		ERR_clear_error();
		return -EKEYREJECTED;
	}
	{
		const int rc = outcome(tls, done, events);

		return rc ? rc : -ECONNRESET;
	}
}

int tls_read(struct tls *tls, void *bytes, size_t len, short *events)
{
	size_t n = 0;
	const int rc = SSL_read_ex(tls->ssl, bytes, len, &n);

	return rc == 1 ? (int)n : outcome(tls, rc, events);
}

int tls_write(struct tls *tls, const void *bytes, size_t len, short *events)
{
	size_t n = 0;
	const int rc = SSL_write_ex(tls->ssl, bytes, len, &n);

	if (rc == 1)
		return (int)n;
	{
		const int why = outcome(tls, rc, events);

		return why ? why : -ECONNRESET;
	}
}

void tls_end(struct tls *tls)
{
	SSL_shutdown(tls->ssl);
	ERR_clear_error();
}

const char *tls_peer(const struct tls *tls)
{
	return tls->peer;
}
