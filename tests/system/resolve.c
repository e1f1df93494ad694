/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - resolve NAME...: looks each name up, connects to port 443 there, and prints both
 * results */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};

	for (int i = 1; i < argc; i++) {
		char text[INET_ADDRSTRLEN];
		struct addrinfo *found;
		int fd;

		if (getaddrinfo(argv[i], "443", &hints, &found)) {
			printf("%s: none\n", argv[i]);
			continue;
		}
		inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, text,
			  sizeof(text));
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen))
			printf("%s: %s, %s\n", argv[i], text,
			       errno == ECONNREFUSED ? "refused" : strerror(errno));
		else
			printf("%s: %s, connected\n", argv[i], text);
		if (fd >= 0)
			close(fd);
		freeaddrinfo(found);
	}
	return 0;
}
