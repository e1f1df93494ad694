/* SPDX-License-Identifier: Apache-2.0 */
/* near-network.c - the empty network namespace of the near ends, and its maker process */
#include "ijblfp/near/near-network.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lfp/clock.h"
#include "lfp/log.h"
#include "lfp/rights.h"

#define QUEUE         1024 /* datagrams in a near end that is not connected */
#define QUEUE_FILE    "/proc/sys/net/unix/max_dgram_qlen"
#define WAIT_S        2 /* for a maker that gets no processor time; the loop waits this long once only */
#define START_WAIT_MS 10000
#define FEW           64u /* descriptors of the limit for each socket of a batch */
#define TOP_FDS       (1u << 20)
#define PAUSE_MS      5

/* Messages of the maker: a batch, then a note that the maker has closed its own copies. A socket
 * that is used before that note would stay open after its program has closed it. */
#define BATCH    'b'
#define RELEASED 'r'
#define FAILED   'f' /* and an errno, one byte */

/* The maker's message before its first sockets. */
struct report {
	int error; /* positive errno, or 0 */
	int step;
	int queue_error;
};

static const char *const steps[] = {
	"a network namespace",
	"a process without rights in it",
};

/* Without a user namespace the queue can be made longer on every kernel. */
static int enter_namespace(void)
{
	if (!unshare(CLONE_NEWNET) || !unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 0;
	return errno;
}

static int lengthen_queue(void)
{
	int fd = open(QUEUE_FILE, O_WRONLY | O_CLOEXEC), error = 0;
	char text[16];
	int len = 0;

	for (int n = QUEUE; n; n /= 10)
		len++;
	for (int n = QUEUE, i = len; i; n /= 10)
		text[--i] = (char)('0' + n % 10);
	if (fd < 0)
		return errno;
	if (write(fd, text, (size_t)len) != len)
		error = errno;
	close(fd);
	return error;
}

/* Sockets in flight count against this limit of their sender, for all processes of the user. */
static void raise_limit(void)
{
	struct rlimit limit = {TOP_FDS, TOP_FDS};

	if (!setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static void close_from(unsigned int first)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0u, 0))
		return;
#endif
	for (unsigned int fd = first; fd < TOP_FDS; fd++)
		close((int)fd);
}

/* Keeps the ends in @fds, as 0 and up, and closes everything else. */
static int keep_only(int fds[NEAR_SOCKETS])
{
	for (int i = 0; i < NEAR_SOCKETS; i++) {
		fds[i] = fcntl(fds[i], F_DUPFD, NEAR_SOCKETS);
		if (fds[i] < 0)
			return errno;
	}
	for (int i = 0; i < NEAR_SOCKETS; i++) {
		if (dup2(fds[i], i) < 0)
			return errno;
		fds[i] = i;
	}
	close_from(NEAR_SOCKETS);
	return 0;
}

static int drop_rights(pid_t parent)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof(none));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none) ||
	    chdir("/"))
		return errno;
	/* Set it after any change of credentials, which clears it (kernel/cred.c,
	 * commit_creds()). */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return errno;
	(void)prctl(PR_SET_DUMPABLE, 0);
	return getppid() == parent ? 0 : ESRCH;
}

/* Sets the maker's name, and lets only signals through that end every process: the maker ends with
 * the instance. */
static void settle(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGPIPE};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)prctl(PR_SET_NAME, "lfp-near");
	(void)setsid();
	umask(077);
}

/* Sends @nr of @fds in one message. Returns 0 or a positive errno. */
static int send_fds(int to, const int *fds, unsigned int nr)
{
	char byte = BATCH;
	struct iovec iov = {&byte, 1};

	return -lfp_rights_send(to, &iov, 1, fds, nr);
}

static int make(enum near_socket kind, int fds[2])
{
	int type = kind == NEAR_SOCKET_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM;

	if (kind == NEAR_SOCKET_PAIR)
		return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) ? -errno : 0;
	fds[0] = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	return fds[0] < 0 ? -errno : 0;
}

/* Makes a batch and sends it. Returns 0 or a positive errno. */
static int push(int to, enum near_socket kind, unsigned int batch)
{
	unsigned int each = kind == NEAR_SOCKET_PAIR ? 2 : 1, nr = 0;
	const char released = RELEASED;
	int fds[NEAR_BATCH], error = 0;

	while (!error && (nr == 0 || nr + each <= batch)) {
		error = -make(kind, fds + nr);
		if (!error)
			nr += each;
	}
	if (nr)
		error = send_fds(to, fds, nr);
	while (nr)
		close(fds[--nr]);
	/* There is room again: the earlier messages took half of the queue. */
	if (!error && send(to, &released, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
		error = errno;
	if (error) {
		const char failed[2] = {FAILED, (char)error};

		(void)send(to, failed, sizeof(failed), MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	return error;
}

/* Makes a batch only on request. Sockets in flight count for all processes of the user, so nothing
 * is in flight while nothing is needed. */
static void make_for_ever(unsigned int batch)
{
	struct pollfd polled[NEAR_SOCKETS];
	bool asked[NEAR_SOCKETS] = {false};
	int timeout = -1;

	for (int i = 0; i < NEAR_SOCKETS; i++)
		polled[i] = (struct pollfd){.fd = i, .events = POLLIN};
	for (;;) {
		if (poll(polled, NEAR_SOCKETS, timeout) < 0 && errno != EINTR)
			return;
		timeout = -1;
		for (int i = 0; i < NEAR_SOCKETS; i++) {
			char byte;

			if (polled[i].revents & (POLLERR | POLLHUP | POLLNVAL))
				return;
			asked[i] |= recv(i, &byte, 1, MSG_DONTWAIT) == 1;
			if (asked[i])
				asked[i] = push(i, (enum near_socket)i, batch) != 0;
			/* Too many descriptors are in flight, also of other processes; or there is
			 * no memory. */
			if (asked[i])
				timeout = PAUSE_MS;
		}
	}
}

static _Noreturn void be_maker(int fds[NEAR_SOCKETS], unsigned int batch, pid_t parent)
{
	struct report report = {.step = 0};

	settle();
	report.error = keep_only(fds);
	if (!report.error)
		report.error = enter_namespace();
	if (!report.error) {
		report.queue_error = lengthen_queue();
		raise_limit();
		report.step = 1;
		report.error = drop_rights(parent);
	}
	if (send(fds[0], &report, sizeof(report), MSG_NOSIGNAL) == sizeof(report) && !report.error)
		make_for_ever(batch);
	_exit(0);
}

static unsigned int choose_batch(void)
{
	struct rlimit limit;
	rlim_t batch = NEAR_BATCH;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / FEW < batch)
		batch = limit.rlim_cur / FEW;
	return batch ? (unsigned int)batch : 1;
}

static int open_queue(int fds[2])
{
	const struct timeval wait = {.tv_sec = WAIT_S};

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	/* The smallest buffer that the kernel gives: two messages. */
	if (setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return -errno;
	return 0;
}

static void close_all(const int *fds, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Reads the maker's first message. */
static int hear(int from, struct report *report)
{
	struct pollfd polled = {.fd = from, .events = POLLIN};
	int rc;

	do
		rc = poll(&polled, 1, -1);
	while (rc < 0 && errno == EINTR);
	if (rc < 0 || recv(from, report, sizeof(*report), 0) != sizeof(*report))
		return -ECHILD;
	return -report->error;
}

void near_network_finish(struct near_network *network)
{
	for (int i = 0; i < NEAR_SOCKETS; i++) {
		struct near_stock *stock = &network->stocks[i];

		close_all(stock->fds, stock->nr);
		close_all(stock->held, stock->nr_held);
		close_all(&stock->from, 1);
		stock->nr = stock->nr_held = 0;
		stock->from = -1;
	}
	if (network->maker > 0) {
		(void)kill(network->maker, SIGKILL);
		while (waitpid(network->maker, NULL, 0) < 0 && errno == EINTR)
			;
	}
	network->maker = 0;
}

/* The maker has closed its own copies. */
static void release(struct near_network *network, struct near_stock *stock)
{
	/* Only one half of a pair has arrived. */
	if (stock == &network->stocks[NEAR_SOCKET_PAIR] && stock->nr_held % 2)
		close(stock->held[--stock->nr_held]);
	memcpy(stock->fds + stock->nr, stock->held, stock->nr_held * sizeof(int));
	stock->nr += stock->nr_held;
	stock->nr_held = 0;
	stock->asked = false;
	network->error = 0;
}

/* Receives one message. Returns its kind, 0 at the end, or -1. */
static int receive(struct near_network *network, struct near_stock *stock, int flags)
{
	char text[2] = {0};
	struct iovec iov = {text, sizeof(text)};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(NEAR_BATCH * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	ssize_t n;

	do
		n = recvmsg(stock->from, &msg, MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return (int)n;
	if (text[0] == BATCH) {
		unsigned int nr;

		/* The queue had no room for the end of the batch before. */
		close_all(stock->held, stock->nr_held);
		nr = lfp_rights_take(&msg, stock->held, NEAR_BATCH);
		stock->nr_held = nr < NEAR_BATCH ? nr : NEAR_BATCH;
	}
	if (text[0] == FAILED)
		network->error = (unsigned char)text[1];
	if (text[0] == RELEASED)
		release(network, stock);
	return text[0];
}

static void say_ended(struct near_network *network)
{
	if (!network->ended)
		lfp_msg("VLFB090E",
			"Process %ld, which makes the sockets of programs, has ended. Programs can get no "
			"more sockets.",
			(long)network->maker);
	network->ended = true;
}

/* Requests a batch, unless one is under way. */
static void ask(struct near_network *network, struct near_stock *stock)
{
	if (!stock->asked)
		stock->asked = send(stock->from, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
	if (network->on_ask)
		network->on_ask(network, (enum near_socket)(stock - network->stocks));
}

/* Receives another batch. Returns 0 or a negative errno. */
static int refill(struct near_network *network, struct near_stock *stock)
{
	int what;

	ask(network, stock);
	do {
		what = receive(network, stock, network->late ? MSG_DONTWAIT : 0);
		network->late = what < 0;
		if (what < 0)
			return -ENOBUFS;
		/* The maker tries again, and reports its failure each time: do not wait for that.
		 */
		network->late = what == FAILED;
	} while (what == FAILED || what == BATCH);
	if (stock->nr)
		return 0;
	/* Otherwise this process had no numbers for the descriptors. */
	if (what)
		return -EMFILE;
	say_ended(network);
	return -ENOBUFS;
}

bool near_network_collect(struct near_network *network, enum near_socket kind)
{
	int what;

	do
		what = receive(network, &network->stocks[kind], MSG_DONTWAIT);
	while (what == BATCH || what == RELEASED);
	if (!what)
		say_ended(network);
	return what < 0;
}

/* The same, but during a start it waits for the descriptors that others have in flight. */
static int refill_in_time(struct near_network *network, struct near_stock *stock)
{
	uint64_t begin = lfp_now_ms();
	int rc;

	if (!network->is_starting)
		return refill(network, stock);
	do {
		network->late = false;
		rc = refill(network, stock);
	} while (rc == -ENOBUFS && !network->ended && lfp_now_ms() - begin < START_WAIT_MS);
	return rc;
}

/* The first batch of each kind. */
static int fill_stocks(struct near_network *network)
{
	int rc = 0;

	for (int i = 0; i < NEAR_SOCKETS && !rc; i++)
		rc = refill_in_time(network, &network->stocks[i]);
	return rc;
}

int near_network_start(struct near_network *network, const char **step)
{
	int theirs[NEAR_SOCKETS] = {-1, -1, -1};
	struct report report = {.step = 0};
	pid_t parent = getpid();
	int rc = 0;

	memset(network, 0, sizeof(*network));
	network->is_starting = true;
	*step = "a process";
	network->batch = choose_batch();
	for (int i = 0; i < NEAR_SOCKETS; i++)
		network->stocks[i].from = -1;
	for (int i = 0; i < NEAR_SOCKETS && !rc; i++) {
		int fds[2] = {-1, -1};

		rc = open_queue(fds);
		network->stocks[i].from = fds[0];
		theirs[i] = fds[1];
	}
	if (!rc) {
		network->maker = fork();
		if (network->maker < 0)
			rc = -errno;
		else if (!network->maker)
			be_maker(theirs, network->batch, parent);
	}
	close_all(theirs, NEAR_SOCKETS);
	if (!rc) {
		rc = hear(network->stocks[0].from, &report);
		*step = steps[report.step];
		network->queue_error = report.queue_error;
	}
	if (!rc) {
		*step = "sockets from the process in it";
		rc = fill_stocks(network);
	}
	if (rc)
		near_network_finish(network);
	return rc;
}

int near_network_take(struct near_network *network, enum near_socket kind, int fds[2])
{
	unsigned int each = kind == NEAR_SOCKET_PAIR ? 2 : 1;
	struct near_stock *stock;
	int rc;

	if (!network)
		return make(kind, fds);
	stock = &network->stocks[kind];
	if (!stock->nr) {
		rc = refill_in_time(network, stock);
		if (rc)
			return rc;
	}
	stock->nr -= each;
	memcpy(fds, stock->fds + stock->nr, each * sizeof(int));
	/* Request the next batch before this one is used up. */
	if (stock->nr <= network->batch / 4)
		ask(network, stock);
	return 0;
}
