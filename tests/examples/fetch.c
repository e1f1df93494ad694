/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - "fetch NAME PORT PATH" prints an answer of HTTP/1.0; for images with one C library and
 * nothing else */
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET}, *found;
	char buf[4096];
	ssize_t n;
	int fd, rc;

	if (argc != 4)
		return 64;
	rc = getaddrinfo(argv[1], argv[2], &hints, &found);
	if (rc) {
		printf("%s\n", gai_strerror(rc));
		return 6;
	}
	fd = socket(found->ai_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) < 0) {
		perror("connect");
		return 7;
	}
	dprintf(fd, "GET %s HTTP/1.0\r\n\r\n", argv[3]);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (write(STDOUT_FILENO, buf, (size_t)n) != n)
			return 1;
	return n < 0;
}
