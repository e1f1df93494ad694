/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - a view again and again, on a screen or as text below text */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfpd-admin/screen.h"

/*
 * Theory of operation
 *
 * Signals come by a signalfd, so they are blocked: nothing happens between two instructions, and
 * the terminal is left as it was found. The program starts no process that would inherit the mask.
 * During a look, which may wait for an instance that hangs, or between the first two samples,
 * end_now() takes those that end the program: no function of ncurses or of standard output runs
 * then. The exit code is the same. SIGTSTP is left to ncurses, which gives the terminal back until
 * SIGCONT.
 */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDING_NR (sizeof(ending) / sizeof(ending[0]))

struct wait {
	int signals;
	bool has_keys;
	long long deadline; /* of the next look, in ms */
};

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static sigset_t ending_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDING_NR; i++)
		sigaddset(&set, ending[i]);
	return set;
}

static void end_now(int signal)
{
	(void)signal;
	screen_leave();
	_exit(LFP_EXIT_OK);
}

static int open_signals(void)
{
	struct sigaction action = {.sa_handler = end_now, .sa_mask = ending_set()};
	sigset_t set = ending_set();

	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* ncurses replaces no handler but the default one. */
	for (size_t i = 0; i < ENDING_NR; i++)
		sigaction(ending[i], &action, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Between both, signals end the program at once. */
static void look_begin(void)
{
	sigset_t set = ending_set();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void look_end(void)
{
	sigset_t set = ending_set();

	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Returns false if the signal ends the program. */
static bool take_signal(const struct wait *wait, struct board *board)
{
	struct signalfd_siginfo info;

	if (read(wait->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo != SIGWINCH)
		return false;
	if (board) {
		screen_measure();
		screen_draw(board);
	}
	return true;
}

/* Acts on the keys that were typed. Returns false if one ends the program. */
static bool take_keys(struct wait *wait, struct board *board, short events)
{
	unsigned int key;
	bool special, any = false;

	while (screen_key(&key, &special)) {
		enum board_act act = board_key(board, key, special);

		any = true;
		if (act == BOARD_ENDS)
			return false;
		if (act == BOARD_ASKS)
			wait->deadline = 0;
	}
	/* The end of the input: no more keys. */
	if (!any && (events & (POLLHUP | POLLERR)))
		wait->has_keys = false;
	screen_draw(board);
	return true;
}

/* Waits until the next look is due. @board: NULL without a screen. Returns false at the end. */
static bool wait_for_next(struct wait *wait, struct board *board)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = wait->signals, .events = POLLIN},
			{.fd = wait->has_keys ? STDIN_FILENO : -1, .events = POLLIN},
		};
		long long left = wait->deadline - now_ms();

		if (left <= 0)
			return true;
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents && !take_signal(wait, board))
			return false;
		if (fds[1].revents && !take_keys(wait, board, fds[1].revents))
			return false;
	}
}

static void set_deadline(struct wait *wait, const struct view *view)
{
	wait->deadline = now_ms() + (long long)(view->interval * 1000);
}

static int watch_screen(struct view *view, const struct view_kind *kind, struct wait *wait)
{
	struct board board;
	bool wrong;

	board_init(&board, view, kind);
	do {
		look_begin();
		board_look(&board);
		look_end();
		wrong = board.failed && board.error.exit == LFP_EXIT_USAGE;
		if (wrong)
			break;
		set_deadline(wait, view);
		screen_draw(&board);
	} while (wait_for_next(wait, &board));
	screen_close();
	board_finish(&board);
	return wrong ? ask_say(&board.error) : LFP_EXIT_OK;
}

/* Writes a look, or the reason why there is none. Returns an exit code. */
static int write_look(struct view *view, const struct view_kind *kind)
{
	struct ask_error error = {.exit = LFP_EXIT_OK};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc;

	if (!out)
		return LFP_EXIT_FAILURE;
	look_begin();
	rc = view_print(kind, view, out, &error);
	look_end();
	if (rc && view->json)
		lfp_msg(error.id, "%s", error.text);
	else if (rc && error.exit != LFP_EXIT_USAGE)
		fprintf(out, "%s %s\n", error.id, error.text);
	if (fclose(out)) {
		free(text);
		return LFP_EXIT_FAILURE;
	}
	if (rc && error.exit == LFP_EXIT_USAGE)
		rc = view->json ? error.exit : ask_say(&error);
	else
		rc = fputs(text, stdout) < 0 || fflush(stdout) ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
	free(text);
	return rc;
}

static int watch_stream(struct view *view, const struct view_kind *kind, struct wait *wait)
{
	int code;

	do {
		code = write_look(view, kind); /* fails if the reader of this output is gone */
		set_deadline(wait, view);
	} while (!code && wait_for_next(wait, NULL));
	return code;
}

int watch(struct view *view, const struct view_kind *kind)
{
	struct wait wait = {.signals = open_signals()};
	int code;

	if (!view->json && screen_open()) {
		view->settle = 0; /* the first picture comes at once, without rates */
		wait.has_keys = isatty(STDIN_FILENO);
		code = watch_screen(view, kind, &wait);
	} else {
		code = watch_stream(view, kind, &wait);
	}
	close(wait.signals);
	return code;
}
