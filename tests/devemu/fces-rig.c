/* SPDX-License-Identifier: Apache-2.0 */
/* fces-rig.c - a key server in a thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/devemu/fces-rig.h"

static const char *const names[] = {"ONE", "TWO", "THREE"};

const uint8_t fces_rig_secret[3][FCES_KEY] = {
	{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
	{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
	 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
};

static void on_event(void *context, enum key_server_event event, const char *name, const char *peer,
		     const char *why)
{
	struct fces_rig *rig = context;

	(void)name;
	(void)peer;
	rig->served += event == KEY_SERVED;
	rig->refused += event == KEY_REFUSED;
	rig->closed += event == KEY_CLOSED;
	if (event != KEY_SERVED)
		snprintf(rig->why, sizeof(rig->why), "%s", why);
}

/* Bytes in the pipe: 'n' makes new keys, 'e' ends the server. */
static void *serve(void *context)
{
	struct fces_rig *rig = context;
	char what;
	int rc;

	for (;;) {
		rc = key_server_turn(rig->server, -1, rig->wake[0]);
		if (rc < 0)
			return rig;
		if (rc == 0)
			continue;
		if (read(rig->wake[0], &what, 1) != 1 || what == 'e')
			return NULL;
		if (key_server_renew(rig->server) < 0)
			return rig;
	}
}

void fces_rig_serve(struct fces_rig *rig, const char *keys)
{
	struct lfp_reader_error err;
	FILE *file = fopen(rig->file, "we");
	int listener;

	assert_non_null(file);
	assert_int_equal(chmod(rig->file, 0600), 0);
	assert_true(fputs(keys, file) >= 0);
	assert_int_equal(fclose(file), 0);
	key_file_finish(&rig->keys);
	if (key_file_load(&rig->keys, rig->file, &err) < 0)
		fail_msg("%s", err.text);
	listener = key_address_listen(&rig->address);
	assert_true(listener >= 0);
	rig->server = key_server_create(&rig->keys, listener, rig->patience);
	assert_non_null(rig->server);
	key_server_watch(rig->server, on_event, rig);
	assert_int_equal(pthread_create(&rig->thread, NULL, serve, rig), 0);
}

void fces_rig_start(struct fces_rig *rig, const char *key, int patience)
{
	char text[1000];
	int len = 0;

	memset(rig, 0, sizeof(*rig));
	strcpy(rig->folder, "/tmp/test-fces-XXXXXX");
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->socket, sizeof(rig->socket), "%s/server", rig->folder);
	snprintf(rig->file, sizeof(rig->file), "%s/keys", rig->folder);
	rig->patience = patience;
	assert_int_equal(key_address_parse(&rig->address, rig->socket), 0);
	assert_int_equal(pipe(rig->wake), 0);
	for (int i = 0; i < 3; i++) {
		len += sprintf(text + len, "end %s ", names[i]);
		for (int n = 0; n < FCES_KEY; n++)
			len += sprintf(text + len, "%02x", fces_rig_secret[i][n]);
		text[len++] = '\n';
	}
	sprintf(text + len, "share ONE TWO %s\n", key ? key : "");
	fces_rig_serve(rig, text);
}

void fces_rig_stop(struct fces_rig *rig)
{
	void *failed;

	assert_int_equal(write(rig->wake[1], "e", 1), 1);
	assert_int_equal(pthread_join(rig->thread, &failed), 0);
	assert_null(failed);
	key_server_destroy(rig->server);
	rig->server = NULL;
}

void fces_rig_finish(struct fces_rig *rig)
{
	if (rig->server)
		fces_rig_stop(rig);
	key_file_finish(&rig->keys);
	close(rig->wake[0]);
	close(rig->wake[1]);
	unlink(rig->socket);
	unlink(rig->file);
	assert_int_equal(rmdir(rig->folder), 0);
}

int fces_rig_connect(const struct fces_rig *rig)
{
	const struct timeval patience = {.tv_sec = 30};
	int fd = socket(rig->address.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&rig->address.addr, rig->address.len),
			 0);
	return fd;
}

bool fces_rig_is_closed(int fd)
{
	char bytes[256];
	ssize_t n;

	do
		n = recv(fd, bytes, sizeof(bytes), 0);
	while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

int fces_rig_get(const struct fces_rig *rig, int who, const char *peer, uint32_t id,
		 struct fces_shared *shared)
{
	const struct key_client client = {
		.name = names[who],
		.secret = fces_rig_secret[who],
		.address = &rig->address,
		.patience = 30000,
	};

	return key_client_get(&client, peer, id, shared);
}
