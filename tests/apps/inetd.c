/* SPDX-License-Identifier: Apache-2.0 */
/* inetd.c - as inetd does it: accept, fork, dup2 to 0, 1 and 2, exec
 *
 *	inetd PORT COMMAND [ARGUMENT...]
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void serve(int fd, char **argv)
{
	for (int to = 0; to <= 2; to++)
		if (dup2(fd, to) < 0)
			_exit(126);
	if (fd > 2)
		close(fd);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener, fd, yes = 1;

	if (argc < 3)
		return 64;
	addr.sin_port = htons((in_port_t)strtoul(argv[1], NULL, 10));
	signal(SIGCHLD, SIG_IGN);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(listener, 128) < 0) {
		perror("inetd");
		return 1;
	}
	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0) {
			if (errno == EINTR)
				continue;
			perror("accept");
			return 1;
		}
		switch (fork()) {
		case -1:
			perror("fork");
			return 1;
		case 0:
			serve(fd, argv + 2);
		}
		close(fd);
	}
}
