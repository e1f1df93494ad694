/* SPDX-License-Identifier: Apache-2.0 */
/* key-address.c - addresses of key servers */
#include "devemu/fces/key-client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/number.h"

static int parse_path(struct key_address *address, const char *text)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&address->addr;

	if (strlen(text) >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, text);
	address->len = sizeof(*un);
	return 0;
}

int key_address_parse(struct key_address *address, const char *text)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(text, ':');
	struct addrinfo *found;
	unsigned long port;
	char host[256];
	size_t len;

	memset(address, 0, sizeof(*address));
	if (*text == '/')
		return parse_path(address, text);
	if (!colon || lfp_number(colon + 1, 0, 65535, &port) < 0)
		return -EINVAL;
	len = (size_t)(colon - text);
	if (*text == '[') {
		if (len < 3 || text[len - 1] != ']')
			return -EINVAL;
		text++;
		len -= 2;
	} else if (!len || memchr(text, ':', len)) {
		return -EINVAL;
	}
	if (len >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, len);
	host[len] = '\0';
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return -EADDRNOTAVAIL;
	memcpy(&address->addr, found->ai_addr, found->ai_addrlen);
	address->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

void key_address_of(int fd, char text[KEY_ADDRESS_TEXT])
{
	struct sockaddr_storage addr = {0};
	socklen_t len = sizeof(addr);
	char host[64], port[8];

	if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		snprintf(text, KEY_ADDRESS_TEXT, "(%s)", strerror(errno));
	else if (addr.ss_family == AF_UNIX)
		snprintf(text, KEY_ADDRESS_TEXT, "%.107s", ((struct sockaddr_un *)&addr)->sun_path);
	else if (getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), port, sizeof(port),
			     NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, KEY_ADDRESS_TEXT, "(unknown)");
	else
		snprintf(text, KEY_ADDRESS_TEXT, addr.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
			 host, port);
}

/* Removes a socket of that path on which no process listens. */
static void remove_stale(const struct key_address *address)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->addr;
	struct stat st;
	int fd;

	if (lstat(un->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)un, address->len) < 0 && errno == ECONNREFUSED)
		unlink(un->sun_path);
	close(fd);
}

int key_address_listen(const struct key_address *address)
{
	const int yes = 1;
	int fd, rc = 0;

	fd = socket(address->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (address->addr.ss_family == AF_UNIX)
		remove_stale(address);
	else if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0)
		rc = -errno;
	if (rc == 0 && (bind(fd, (const struct sockaddr *)&address->addr, address->len) < 0 ||
			listen(fd, SOMAXCONN) < 0))
		rc = -errno;
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}
