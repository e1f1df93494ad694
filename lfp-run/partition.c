/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - the directory of the program's own TCP/IP stack, and the configurations in it */
#include "lfp-run/partition.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <ifaddrs.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/environment.h"
#include "lfp/publish.h"

#define PREFIX       "P."
#define NAME_DIGITS  6 /* after PREFIX */
#define PING_SECONDS 10
#define PUBLISH_TEXT 256 /* bytes of an entry of PUBLISH */

static int fail(char why[static PATH_MAX], const char *what, const char *name, int error)
{
	snprintf(why, PATH_MAX, "%s %s: %s", what, name, lfp_place_strerror(error));
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

void partition_remove(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Takes the lock of a directory. Returns the descriptor, or a negative errno. */
static int lock_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), rc;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* Removes the directories whose lock nobody holds. The caller holds the lock of @stacks. */
static void sweep(const char *stacks)
{
	char path[LFP_PLACE_MAX + 300];
	const struct dirent *entry;
	DIR *dir = opendir(stacks);
	int fd;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", stacks, entry->d_name);
		fd = lock_dir(path);
		if (fd < 0)
			continue;
		partition_remove(path);
		close(fd);
	}
	closedir(dir);
}

/* Makes the directory of all partitions of this user, 0700, and takes its lock. Returns the
 * descriptor, or a negative errno. */
static int open_stacks(char stacks[static LFP_PLACE_MAX])
{
	char run[LFP_PLACE_MAX];
	struct stat st;
	int rc = lfp_place_run_dir(run), fd;

	if (rc < 0)
		return rc;
	if (snprintf(stacks, LFP_PLACE_MAX, "%s/vselfp/stacks-%u", run, (unsigned int)geteuid()) >=
	    LFP_PLACE_MAX)
		return -ENAMETOOLONG;
	rc = lfp_place_make_parent(stacks);
	if (rc < 0)
		return rc;
	if (mkdir(stacks, 0700) && errno != EEXIST)
		return -errno;
	fd = open(stacks, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 077))
		rc = -EPERM;
	else if (flock(fd, LOCK_EX))
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

/* Chooses the name of the directory, which nobody else has: the sweeper must know it before the
 * directory exists. */
static int choose_dir(struct partition *part, char why[static PATH_MAX])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
	char stacks[LFP_PLACE_MAX] = "", name[NAME_DIGITS + 1] = "";
	int fd = open_stacks(stacks);

	if (fd < 0)
		return fail(why, "cannot use the directory", stacks, fd);
	sweep(stacks);
	close(fd);
	if (getrandom(name, NAME_DIGITS, 0) != NAME_DIGITS)
		return fail(why, "cannot get random numbers for", "a name", -errno);
	for (unsigned int i = 0; i < NAME_DIGITS; i++)
		name[i] = digits[(unsigned char)name[i] % (sizeof(digits) - 1)];
	if (snprintf(part->dir, sizeof(part->dir), "%s/" PREFIX "%s", stacks, name) >=
	    (int)sizeof(part->dir))
		return fail(why, "cannot use the directory", stacks, -ENAMETOOLONG);
	return 0;
}

static int make_dir(struct partition *part, char why[static PATH_MAX])
{
	char stacks[LFP_PLACE_MAX] = "";
	int fd = open_stacks(stacks), rc = 0; /* nobody sweeps meanwhile */

	if (fd < 0)
		return fail(why, "cannot use the directory", stacks, fd);
	if (mkdir(part->dir, 0700))
		rc = -errno;
	else
		rc = part->lock = lock_dir(part->dir);
	close(fd);
	return rc < 0 ? fail(why, "cannot make the directory", part->dir, rc) : 0;
}

static int write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");
	int rc;

	if (!out)
		return -errno;
	rc = fputs(text, out) < 0 ? -errno : 0;
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

/* Writes the instance's statements, where lfpd or the keeper's ijblfpop looks for them. HoldTime is
 * 0, because the instance and its other side end together. */
static int write_statements(const struct partition *part)
{
	char path[LFP_PLACE_MAX + 32], text[512];
	int rc;

	snprintf(path, sizeof(path), "%s/etc/vselfp/lfp-%s.conf", part->dir, part->nn);
	rc = lfp_place_make_parent(path);
	if (rc < 0)
		return rc;
	snprintf(text, sizeof(text),
		 "ID = %s\nMTU = 32768\nIucvMsgLimit = 1024\nInitialBufferSpace = 512K\n"
		 "MaxBufferSpace = 16M\nIucvSrcAppName = LFP%s\nIucvDestAppName = " PARTITION_NAME
		 "\nIucvDestVMId = " PARTITION_VMID "\nWindowSize = 262144\nWindowThreshold = 25\n"
		 "HoldTime = 0\n%s",
		 part->nn, part->nn, part->stack == MUX_STACK_HOST ? "Transport = local\n" : "");
	return write_file(path, text);
}

/* Finds the address for GETHOSTID: the first one of this machine outside 127.0.0.0/8. */
static void host_address(char text[static INET_ADDRSTRLEN])
{
	struct ifaddrs *list = NULL;
	struct in_addr addr = {.s_addr = htonl(INADDR_LOOPBACK)};

	(void)getifaddrs(&list);
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(void *)at->ifa_addr;

		if (in && in->sin_family == AF_INET && ntohl(in->sin_addr.s_addr) >> 24 != 127) {
			addr = in->sin_addr;
			break;
		}
	}
	if (list)
		freeifaddrs(list);
	(void)inet_ntop(AF_INET, &addr, text, INET_ADDRSTRLEN);
}

/* Writes the configuration of lfpd. Root's lfpd stays root, as the program does. */
static int write_lfpd(struct partition *part)
{
	const struct passwd *user = geteuid() ? NULL : getpwuid(0);
	char text[640], address[INET_ADDRSTRLEN];

	host_address(address);
	snprintf(part->conf, sizeof(part->conf), "%s/lfpd-" PARTITION_NAME ".conf", part->dir);
	snprintf(text, sizeof(text),
		 "IUCV_SRC_APPNAME = " PARTITION_NAME "\nPEER_IUCV_VMID = " PARTITION_VMID
		 "\nPEER_IUCV_APPNAME = LFP%s\nIUCV_MSGLIMIT = 1024\nMTU_SIZE = 32768\n"
		 "MAX_SOCKETS = 8192\nINITIAL_IO_BUFS = 64\nWINDOW_SIZE = 262144\n"
		 "WINDOW_THRESHOLD = 25\nRESTRICT_TO_HOSTID = no\nLOG_INFO_MSG = no\n"
		 "PRIVILEGED_PORTS = root\n"
		 "VSE_CODEPAGE = US-ASCII\nTRANSPORT = local\nLOCAL_INSTANCE = %s\n"
		 "VSE_HOSTID = %s\n%s%s%s",
		 part->nn, part->nn, address, user ? "USER = " : "", user ? user->pw_name : "",
		 user ? "\n" : "");
	return write_file(part->conf, text);
}

/* Finds the configuration of lfp-stack: ETC/vselfp/stack-NN.conf, beside those of instances. */
static int find_conf(struct partition *part)
{
	char place[LFP_PLACE_MAX], *slash;
	int rc = lfp_place_mux(place);

	if (rc < 0)
		return rc;
	slash = strrchr(place, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	snprintf(part->conf, sizeof(part->conf), "%s/stack-%s.conf", place, part->nn);
	return access(part->conf, R_OK) ? -errno : 0;
}

/* Reads [ADDR:]PORT[:PORT] of an option "publish". One port is the same on both sides. Writes it to
 * @whole as PUBLISH has it. Returns 0 or -EINVAL. */
static int take_publish(const char *text, struct lfp_publish_list *list,
			char whole[static PUBLISH_TEXT])
{
	size_t len = strcspn(text, "/");
	const char *colon = memrchr(text, ':', len), *port = colon ? colon + 1 : text;
	char reason[128];

	if (strpbrk(text, " \t\r\n\"") || strlen(text) >= PUBLISH_TEXT / 2)
		return -EINVAL;
	strcpy(whole, text);
	if (lfp_publish_parse(list, whole, reason, sizeof(reason))) {
		snprintf(whole, PUBLISH_TEXT, "%.*s:%.*s%s", (int)len, text,
			 (int)(text + len - port), port, text + len);
		if (lfp_publish_parse(list, whole, reason, sizeof(reason)))
			return -EINVAL;
	}
	return list->nr == 1 ? 0 : -EINVAL;
}

const char *partition_wrong_publish(const struct lfp_texts *publish)
{
	struct lfp_publish_list list;
	char whole[PUBLISH_TEXT];

	for (size_t i = 0; i < publish->nr; i++)
		if (take_publish(publish->of[i].text, &list, whole))
			return publish->of[i].text;
	return NULL;
}

/* Adds PUBLISH to lfpd's configuration. */
static int add_publish(const struct partition *part)
{
	const struct lfp_texts *publish = &part->rules->publish;
	struct lfp_publish_list list;
	char whole[PUBLISH_TEXT];
	FILE *out;
	int rc = 0;

	if (!publish->nr)
		return 0;
	out = fopen(part->conf, "ae");
	if (!out)
		return -errno;
	fputs("PUBLISH = \"", out);
	for (size_t i = 0; i < publish->nr && !rc; i++) {
		rc = take_publish(publish->of[i].text, &list, whole);
		fprintf(out, "%s%s", i ? " " : "", whole);
	}
	fputs("\"\n", out);
	return fclose(out) && !rc ? -errno : rc;
}

/* Writes rules that allow listening where ports are published. */
static void allow_published(const struct lfp_texts *publish, FILE *out)
{
	char whole[PUBLISH_TEXT], addr[INET6_ADDRSTRLEN];
	struct lfp_publish_list list;
	const struct lfp_publish *one = list.of;

	for (size_t i = 0; i < publish->nr; i++) {
		if (take_publish(publish->of[i].text, &list, whole))
			continue;
		fprintf(out, "allow listen %s",
			one->protocols == LFP_PUBLISH_TCP   ? "tcp "
			: one->protocols == LFP_PUBLISH_UDP ? "udp "
							    : "");
		if (one->has_addr && IN6_IS_ADDR_V4MAPPED(&one->addr))
			fputs(inet_ntop(AF_INET, one->addr.s6_addr + 12, addr, sizeof(addr)), out);
		else if (one->has_addr)
			fprintf(out, "[%s]", inet_ntop(AF_INET6, &one->addr, addr, sizeof(addr)));
		fprintf(out, ":%u-%u\n", one->host, one->host + one->count - 1u);
	}
}
/* The name of the upstream in the rules. */
#define PROXY "proxy"

static void write_upstream(const struct partition_rules *rules, FILE *out)
{
	fprintf(out, "upstream " PROXY " %s", rules->upstream);
	if (rules->credentials)
		fprintf(out, " credentials %s", rules->credentials);
	putc('\n', out);
}

/* Writes the last line, and with an upstream those that stand before it. */
static void write_default(const struct partition_rules *rules, bool allows, FILE *out)
{
	if (allows)
		allow_published(&rules->publish, out);
	else if (rules->upstream)
		fputs("allow listen any\n", out);
	if (rules->upstream && !allows)
		fputs("default ask-upstream " PROXY "\n", out);
	else
		fprintf(out, "default %s\n", allows ? "deny" : "allow");
}

/* Returns true if the rule begins with this word. */
static bool begins_with(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text, word, len) && (!text[len] || text[len] == ' ' || text[len] == '\t');
}

/* Writes a file of rules from the options "allow", "deny" and "upstream". */
static int write_rules(const struct partition *part, const char *path)
{
	const struct lfp_texts *single = &part->rules->single;
	bool allows = false, by_proxy = part->rules->upstream;
	FILE *out = fopen(path, "we");
	int rc = 0;

	if (!out)
		return -errno;
	if (by_proxy)
		write_upstream(part->rules, out);
	for (size_t i = 0; i < single->nr; i++) {
		const char *text = single->of[i].text, *word = single->of[i].word;
		bool is_other, has_act;

		/* An option is one rule, so it has no second line and no comment. */
		if (strpbrk(text, "\r\n#"))
			rc = -EINVAL;
		text += strspn(text, " \t");
		is_other = begins_with(text, "listen") || begins_with(text, "lookup");
		has_act = is_other || begins_with(text, "connect");
		if (!strcmp(word, "allow")) {
			allows = true;
			if (by_proxy && !is_other)
				word = "ask-upstream " PROXY;
		}
		fprintf(out, "%s %s%s\n", word, has_act ? "" : "connect ", text);
	}
	write_default(part->rules, allows, out);
	if (ferror(out))
		rc = -EIO;
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

/* Writes the rules, if any, and adds POLICY_FILE to lfpd's configuration. */
static int add_rules(const struct partition *part)
{
	const char *file, *quote;
	char path[LFP_PLACE_MAX + 32];
	FILE *out;
	int rc = 0;

	if (!part->rules ||
	    (!part->rules->file && !part->rules->single.nr && !part->rules->upstream))
		return 0;
	snprintf(path, sizeof(path), "%s/rules", part->dir);
	file = part->rules->file ? part->rules->file : path;
	quote = strchr(file, '"') ? "" : "\"";
	if (!part->rules->file)
		rc = write_rules(part, path);
	if (rc)
		return rc;
	out = fopen(part->conf, "ae");
	if (!out)
		return -errno;
	/* In quotes a value may have a semicolon, which begins a comment elsewhere. */
	fprintf(out, "POLICY_FILE = %s%s%s\n", quote, file, quote);
	return fclose(out) ? -errno : 0;
}

/* Adds CONNECTION_LOG to lfpd's configuration. */
static int add_log(const struct partition *part)
{
	FILE *out = fopen(part->conf, "ae");

	if (!out)
		return -errno;
	fprintf(out, "CONNECTION_LOG = /dev/fd/%d\nCONNECTION_LOG_RATE = 100000\n",
		PARTITION_LOG_FD);
	return fclose(out) ? -errno : 0;
}

static int fill_dir(struct partition *part, char why[static PATH_MAX])
{
	int rc = part->stack == MUX_STACK_HOST ? write_lfpd(part) : find_conf(part);

	if (rc < 0)
		return fail(why, part->stack == MUX_STACK_HOST ? "cannot write" : "cannot read its",
			    part->conf, rc);
	rc = part->log >= 0 ? add_log(part) : 0;
	if (rc < 0)
		return fail(why, "cannot write", part->conf, rc);
	if (part->rules)
		rc = add_publish(part);
	if (rc < 0)
		return fail(why, "cannot use --publish for", part->conf, rc);
	rc = add_rules(part);
	if (rc < 0)
		return fail(why, "cannot use the rules for", part->dir, rc);
	rc = write_statements(part);
	return rc < 0 ? fail(why, "cannot write the statements in", part->dir, rc) : 0;
}

int partition_make(struct partition *part, char why[static PATH_MAX])
{
	int rc = make_dir(part, why);

	return rc ? rc : fill_dir(part, why);
}

/* Returns true if an lfp-run around this one has started this stack, and the stack answers. */
static bool is_around(const char *nn)
{
	const char *place = mux_stack_place(nn);
	char path[LFP_PLACE_MAX];

	return place &&
	       snprintf(path, sizeof(path), "%s/run/vselfp/%s/ctl", place, nn) <
		       (int)sizeof(path) &&
	       instance_ping(path, PING_SECONDS) == 0;
}

static int set_variable(const struct partition *part)
{
	char value[LFP_PLACE_MAX + 4];

	snprintf(value, sizeof(value), "%s:%s", part->nn, part->dir);
	return setenv(MUX_STACK_VARIABLE, value, 1) < 0 ? -errno : 0;
}

static int start(struct partition *part, char why[static PATH_MAX])
{
	int rc;

	part->program = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (part->program < 0)
		return fail(why, "cannot watch", "the program", -errno);
	rc = choose_dir(part, why);
	if (!rc)
		rc = keeper_start(part, why);
	if (!rc && set_variable(part) < 0)
		rc = fail(why, "cannot set", MUX_STACK_VARIABLE, -errno);
	close(part->program);
	return rc;
}

int partition_start(const char *nn, enum mux_stack stack, char why[static PATH_MAX])
{
	struct partition part = {.stack = stack, .lock = -1, .log = -1};

	if (is_around(nn))
		return 0;
	memcpy(part.nn, nn, sizeof(part.nn));
	return start(&part, why);
}

/* Sets the variables of the private instance, and removes those that name another one. */
static int set_private_variables(const char *dir)
{
	static const char *const others[] = {"LFP$ID", "LFP_SETPARM", "SYSID", "SYSPARM"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (unsetenv(others[i]) < 0)
			return -errno;
	return setenv("LFP_ROOT", dir, 1) < 0 || setenv("LFP_ID", PARTITION_PRIVATE, 1) < 0 ? -errno
											    : 0;
}

int partition_start_private(const struct partition_rules *rules, int log, char why[static PATH_MAX])
{
	struct partition part = {
		.stack = MUX_STACK_HOST,
		.nn = PARTITION_PRIVATE,
		.rules = rules,
		.lock = -1,
		.log = log,
	};
	const char *dir = mux_stack_place(PARTITION_PRIVATE);
	int rc;

	if (is_around(PARTITION_PRIVATE)) {
		/* Its rules are those that it was started with. */
		if (rules->file || rules->single.nr || rules->publish.nr || rules->upstream) {
			snprintf(
				why, PATH_MAX,
				"the instance of the lfp-run around this one takes no other rules");
			return -1;
		}
		if (log >= 0) {
			snprintf(why, PATH_MAX,
				 "the instance of the lfp-run around this one keeps no other log");
			return -1;
		}
	} else {
		if (start(&part, why))
			return -1;
		dir = part.dir;
	}
	/* The program must not keep the log open. */
	if (log >= 0)
		close(log);
	rc = set_private_variables(dir);
	return rc < 0 ? fail(why, "cannot set", "the environment", rc) : 0;
}
