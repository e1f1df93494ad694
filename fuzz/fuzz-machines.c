/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-machines.c - the state machines of both daemons: lfpd with the LFP instance in a thread, and
 * the steps of tests/campaign/machines, chosen by the input
 *
 * lfpd's main() runs as it is, with a configuration in a new directory and TRANSPORT = local.
 */
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

int lfpd_main(int argc, char **argv);
#define main lfpd_main
#include "lfpd/main.c"
#undef main

#include "tests/campaign/machines/machines.h"

enum { MOST_STEPS = 200 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

static char root[] = "/tmp/fuzz-machines-XXXXXX";
static struct world world;
static struct bystander bystander;

/* The daemons keep what they have from one input to the next. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void write_file(const char *name, const char *text)
{
	char path[200], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		(void)mkdir(path, 0755);
	}
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void *daemon_thread(void *arg)
{
	static char name[] = "lfpd", foreground[] = "-d", file[] = "-f";
	static char *argv[] = {name, foreground, file, NULL, NULL};

	argv[3] = arg;
	/* The instance goes into its directory of near ends now and then; libFuzzer stays. */
	if (unshare(CLONE_FS))
		abort();
	(void)lfpd_main(4, argv);
	abort(); /* no input may end it */
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	(void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void wait_for_path(void)
{
	static struct lfp_ctl_request ping;

	for (int i = 0; i < 500; i++) {
		ping = (struct lfp_ctl_request){.op = LFP_CTL_PING};
		if (ctl_ask(&world, &ping, -1, NULL) == 0)
			return;
		usleep(20000);
	}
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char conf[200], ctl[200];
	pthread_t thread;

	(void)argc;
	(void)argv;
	if (!mkdtemp(root) || chmod(root, 0755))
		abort();
	atexit(clean_up);
	write_file("lfpd-LINR02.conf",
		   "IUCV_SRC_APPNAME = LINR02\nPEER_IUCV_VMID = VSER05\n"
		   "PEER_IUCV_APPNAME = TESTV\nIUCV_MSGLIMIT = 1024\n"
		   "MTU_SIZE = 8192\nMAX_SOCKETS = 1024\nINITIAL_IO_BUFS = 128\n"
		   "WINDOW_SIZE = 65535\nWINDOW_THRESHOLD = 25\n"
		   "VSE_CODEPAGE = EBCDIC-US\nVSE_HOSTID = 127.0.0.1\n"
		   "RESTRICT_TO_HOSTID = no\nTRANSPORT = local\n"
		   "LOCAL_INSTANCE = 01\n");
	write_file("etc/vselfp/lfp-01.conf",
		   "ID = 01\nMTU = 8192\nIucvMsgLimit = 1024\nInitialBufferSpace = 512K\n"
		   "MaxBufferSpace = 4M\nIucvSrcAppName = TESTV\nIucvDestAppName = LINR02\n"
		   "IucvDestVMId = LINLFP\nWindowSize = 65535\nWindowThreshold = 25\n"
		   "Transport = local\n");
	snprintf(conf, sizeof(conf), "%s/lfpd-LINR02.conf", root);
	snprintf(ctl, sizeof(ctl), "%s/run/vselfp/01/ctl", root);
	setenv("LFP_ROOT", root, 1);
	setenv("LFP_VMID", "LINLFP", 1);
	signal(SIGPIPE, SIG_IGN);
	if (pthread_create(&thread, NULL, daemon_thread, conf))
		abort();
	world.ctl_path = ctl;
	held_up_watch(NULL);
	wait_for_path();
	world_begin(&world);
	bystander_begin(&world, &bystander);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t nr;

	world.data = data;
	world.left = size;
	for (int i = 0; i < MOST_STEPS && world.left; i++)
		world_step(&world);
	world_empty(&world);
	if (!bystander_is_well(&bystander, nr++))
		abort();
	return 0;
}
