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
 * Signals come by a signalfd: nothing happens between two instructions, and the terminal is left as
 * it was found. SIGTSTP is left to ncurses, which gives the terminal back until SIGCONT.
 */

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

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
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

/* Looks. An instance that hangs is waited for; SIGINT and SIGTERM end the program then, too, by
 * ncurses' own handlers, which leave the terminal as it was. */
static void look(struct board *board)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	board_look(board);
	sigprocmask(SIG_BLOCK, &set, NULL);
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
		look(&board);
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
	rc = view_print(kind, view, out, &error);
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
