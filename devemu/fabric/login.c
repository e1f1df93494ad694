/* SPDX-License-Identifier: Apache-2.0 */
/* login.c - the paths of a fabric get their endpoint security */
#include "devemu/fabric/login.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "devemu/fabric/build.h"
#include "devemu/fces/connection.h"
#include "devemu/fces/key-client.h"
#include "devemu/fces/key-server.h"

/* A key server as the ends of this run see it. */
struct authority {
	const struct key_server_config *config;
	struct key_address address;
	struct key_file keys;      /* secrets of ends; of the run's own server all of it */
	struct key_server *server; /* of the run's own */
	int absent;                /* why the server is unreachable, tried once; 0: reachable */
};

/* One end of a path, which is where its connection gets shared keys (fces_key_source). */
struct login_end {
	struct fces_login *login;
	struct authority *authority; /* NULL: none is named */
	char name[FCES_NAME], peer[FCES_NAME];
	struct fces_shared shared; /* the last that it has got; id 0: none */
	int rc;                    /* of getting it */
};

struct fces_login {
	bool over; /* simulated time has begun: no more requests to key servers */
	size_t authorities;
	struct authority *authority;
	struct login_end (*end)[2]; /* for each path: channel, control unit */
	size_t paths;
};

static int prepare_own(struct authority *authority)
{
	const int rc = key_file_add_share(&authority->keys, "*", "*", NULL);

	if (rc < 0)
		return rc;
	authority->server = key_server_create(&authority->keys, -1, 0);
	return authority->server ? 0 : -ENOMEM;
}

static int prepare_other(struct authority *authority, const char *scenario,
			 struct fabric_error *error)
{
	const struct key_server_config *config = authority->config;
	const char *slash = scenario ? strrchr(scenario, '/') : NULL;
	const int beside = slash && config->keys[0] != '/' ? (int)(slash + 1 - scenario) : 0;
	struct lfp_reader_error err;
	char path[PATH_MAX];
	int rc;

	rc = key_address_parse(&authority->address, config->address);
	if (rc == -EADDRNOTAVAIL) {
		authority->absent = rc; /* the name of a host, which may exist later */
	} else if (rc < 0) {
		return build_fail(
			error, config->line,
			"key-server %s: '%s' is neither HOST:PORT nor the path of a socket",
			config->name, config->address);
	}
	if (snprintf(path, sizeof(path), "%.*s%s", beside, scenario ? scenario : "",
		     config->keys) >= (int)sizeof(path))
		return build_fail(error, config->line, "key-server %s: its path is too long",
				  config->name);
	rc = key_file_load(&authority->keys, path, &err);
	if (rc == -ENOMEM)
		return rc;
	return rc < 0 ? build_fail(error, config->line, "key-server %s: %.150s", config->name,
				   err.text)
		      : 0;
}

static int prepare(struct fabric *fabric, const char *scenario, struct fabric_error *error)
{
	const struct config *config = fabric->config;
	struct fces_login *login = fabric->login;

	login->authority = calloc(config->key_servers + 1, sizeof(*login->authority));
	login->end = calloc(fabric->paths + 1, sizeof(*login->end));
	if (!login->authority || !login->end)
		return -ENOMEM;
	for (size_t i = 0; i < config->key_servers; i++) {
		struct authority *authority = &login->authority[i];
		int rc;

		authority->config = &config->key_server[i];
		for (size_t j = 0; j < i; j++)
			if (!strcmp(config->key_server[j].name, authority->config->name))
				return build_fail(error, authority->config->line,
						  "key-server %s is already defined",
						  authority->config->name);
		login->authorities++;
		rc = *authority->config->address ? prepare_other(authority, scenario, error)
						 : prepare_own(authority);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int own_server_turns(void *context)
{
	const int rc = key_server_turn(context, 0, -1);

	return rc < 0 ? rc : 0;
}

/* The run's own server knows every end. */
static const struct key_end *introduce(struct authority *authority, const char *name)
{
	uint8_t secret[FCES_KEY];

	if (!key_file_end(&authority->keys, name) && RAND_bytes(secret, sizeof(secret)) == 1)
		key_file_add_end(&authority->keys, name, secret);
	OPENSSL_cleanse(secret, sizeof(secret));
	return key_file_end(&authority->keys, name);
}

static int ask_own(struct login_end *end, struct key_client *client, uint32_t id)
{
	struct authority *authority = end->authority;
	int fds[2], rc;

	if (!introduce(authority, end->peer) || !introduce(authority, end->name))
		return -ENOSPC;
	client->secret = key_file_end(&authority->keys, end->name)->secret;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return -errno;
	rc = key_server_adopt(authority->server, fds[1]);
	if (rc == 0) {
		client->wait = own_server_turns;
		client->context = authority->server;
		client->fd = fds[0];
		rc = key_client_get(client, end->peer, id, &end->shared);
	}
	close(fds[0]);
	/* The server notices the end of the connection. */
	while (rc == 0 && key_server_connections(authority->server))
		rc = own_server_turns(authority->server);
	return rc;
}

static int ask(struct login_end *end, uint32_t id)
{
	struct authority *authority = end->authority;
	struct key_client client = {.name = end->name};
	const struct key_end *secret;
	int rc;

	if (!authority)
		return -ENOLINK;
	if (authority->server)
		return ask_own(end, &client, id);
	if (authority->absent)
		return authority->absent;
	secret = key_file_end(&authority->keys, end->name);
	if (!secret)
		return -ENOENT;
	client.secret = secret->secret;
	client.address = &authority->address;
	rc = key_client_get(&client, end->peer, id, &end->shared);
	switch (rc) {
	case -ECONNREFUSED:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -ETIMEDOUT:
		authority->absent = rc;
		break;
	case -ENOENT: /* no socket of that path */
		authority->absent = rc = -ECONNREFUSED;
		break;
	default:
		break;
	}
	return rc;
}

/* During simulated time the frame keys change with the present shared key. */
static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	struct login_end *end = context;

	if (end->shared.id && (!id || id == end->shared.id))
		end->rc = 0;
	else
		end->rc = end->login->over ? -ENOKEY : ask(end, id);
	if (end->rc == 0)
		*shared = end->shared;
	return end->rc;
}

static int authority_of(struct fces_login *login, const char *name, int line, const char *what,
			unsigned int number, struct authority **found, struct fabric_error *error)
{
	*found = login->authorities && !*name ? &login->authority[0] : NULL;
	for (size_t i = 0; *name && i < login->authorities; i++)
		if (!strcmp(login->authority[i].config->name, name))
			*found = &login->authority[i];
	return *name && !*found ? build_fail(error, line, "%s %02X: unknown key server %s", what,
					     number, name)
				: 0;
}

static void why_no_key(const struct login_end *end, char why[160])
{
	if (end->rc == -ENOLINK)
		snprintf(why, 160, "there is no key server");
	else if (end->rc == -ENOENT)
		snprintf(why, 160, "%s has no secret in %.90s", end->name,
			 end->authority->config->keys);
	else
		snprintf(why, 160, "%s has no key: %s", end->name, key_client_why(end->rc));
}

/* Makes the connection of @path, with keys; or returns the reason why not. */
static int connect_ends(struct fabric_path *path, struct login_end end[2], uint32_t key_frames,
			char why[160])
{
	const struct fces_connection_names names = {
		.channel = end[0].name,
		.control_unit = end[1].name,
		.channel_port = path->config->entry ? path->config->entry << 8
						    : 0x010000 | path->config->chpid,
		.control_unit_port = path->config->dest ? path->config->dest << 8
							: 0x020000 | path->config->port,
		.scsi = path->channel->config->type == CHANNEL_FCP,
	};
	struct fces_connection *connection =
		fces_connection_create(&names, source, &end[0], &end[1]);
	int rc;

	if (!connection)
		return -ENOMEM;
	connection->channel.change_after = key_frames;
	rc = fces_connection_agree(connection);
	if (rc == 0) {
		path->fces = connection;
		return 0;
	}
	fces_connection_destroy(connection);
	for (int i = 0; i < 2; i++)
		if (end[i].rc < 0) {
			why_no_key(&end[i], why);
			return rc;
		}
	snprintf(why, 160, rc == -EKEYREJECTED ? "%s and %s have different keys" : "%s and %s: %s",
		 end[0].name, end[1].name, strerror(-rc));
	return rc;
}

static int login_path(struct fabric *fabric, struct fabric_path *path, struct login_end end[2],
		      char why[160], struct fabric_error *error)
{
	const struct channel_config *channel = path->channel->config;
	const struct control_unit_config *unit = path->control_unit->config;
	int rc;

	rc = authority_of(fabric->login, channel->key_server, channel->line, "channel",
			  channel->chpid, &end[0].authority, error);
	if (rc == 0)
		rc = authority_of(fabric->login, unit->key_server, unit->line, "control-unit",
				  unit->number, &end[1].authority, error);
	if (rc < 0)
		return rc;
	snprintf(end[0].name, FCES_NAME, "CHP%02X", channel->chpid);
	snprintf(end[1].name, FCES_NAME, "CU%04X", unit->number);
	strcpy(end[0].peer, end[1].name);
	strcpy(end[1].peer, end[0].name);
	end[0].login = end[1].login = fabric->login;
	if (path->config->corrupt && (channel->fces == FCES_NO || unit->fces == FCES_NO))
		return build_fail(error, path->config->line,
				  "path %02X %04X: corrupt-frames needs encryption, but "
				  "%s has no fces=yes",
				  channel->chpid, unit->number,
				  end[channel->fces == FCES_NO ? 0 : 1].name);
	if (channel->fces == FCES_NO || unit->fces == FCES_NO) {
		snprintf(why, 160, "%s is not capable of encryption",
			 end[channel->fces == FCES_NO ? 0 : 1].name);
	} else {
		rc = connect_ends(path, end, fabric->config->fces_key_frames, why);
		if (rc == -ENOMEM)
			return rc;
	}
	if (path->fces) {
		fces_connection_corrupt(path->fces, path->config->corrupt);
		path->security = SECURITY_ENCRYPTED;
		/* On every hop: directors do not decrypt. */
		path->frame_extra = fabric->config->fces_frame_bytes;
	} else {
		path->barred = channel->fces == FCES_REQUIRED || unit->fces == FCES_REQUIRED;
	}
	return 0;
}

/* Data that is needed only to get keys. */
static void forget(struct fces_login *login)
{
	for (size_t i = 0; i < login->authorities; i++) {
		key_server_destroy(login->authority[i].server);
		key_file_finish(&login->authority[i].keys);
	}
	free(login->authority);
	login->authority = NULL;
	login->authorities = 0;
	login->over = true;
}

int fces_login(struct fabric *fabric, const char *scenario,
	       void (*said)(void *context, const struct fabric_path *path, const char *why),
	       void *context, struct fabric_error *error)
{
	int rc;

	memset(error, 0, sizeof(*error));
	fabric->login = calloc(1, sizeof(*fabric->login));
	if (!fabric->login)
		return -ENOMEM;
	fabric->login->paths = fabric->paths;
	rc = prepare(fabric, scenario, error);
	for (size_t i = 0; rc == 0 && i < fabric->paths; i++) {
		struct fabric_path *path = &fabric->path[i];
		char why[160] = "";

		rc = login_path(fabric, path, fabric->login->end[i], why, error);
		if (rc == 0 && said && !path->fces &&
		    (path->channel->config->fces || path->control_unit->config->fces))
			said(context, path, why);
	}
	forget(fabric->login);
	return rc;
}

void fces_logout(struct fabric *fabric)
{
	if (!fabric->login)
		return;
	for (size_t i = 0; i < fabric->login->paths; i++)
		fces_connection_destroy(fabric->path[i].fces);
	if (fabric->login->end)
		OPENSSL_cleanse(fabric->login->end,
				fabric->login->paths * sizeof(*fabric->login->end));
	free(fabric->login->end);
	free(fabric->login);
	fabric->login = NULL;
}
