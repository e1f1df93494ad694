/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - a view again and again, on a terminal that it has for itself */
#include "lfpd-admin/view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"

/*
 * Theory of operation
 *
 * Each screen is formatted in memory, cut to the terminal's size, and written in one piece from the
 * upper left corner. A sequence after each line clears its rest, so nothing flickers. The program
 * uses only sequences of ECMA-48 and xterm's alternate screen, which other terminals ignore.
 *
 * Signals come by a signalfd: nothing happens between two instructions, and the terminal is left as
 * it was found.
 */

#define OTHER_SCREEN "\033[?1049h\033[?25l"
#define OWN_SCREEN   "\033[?25h\033[?1049l"
#define HOME         "\033[H"
#define CLEAR_LINE   "\033[K"
#define CLEAR_BELOW  "\033[J"
#define INVERSE      "\033[7m"
#define PLAIN        "\033[0m"

#define SIDEWAYS 16 /* columns that a key moves */

struct screen {
	bool there; /* standard output is a terminal, and we may use it as one */
	bool has_keys;
	struct termios old;
	unsigned int rows, columns;
	size_t first; /* line of the text that is on top */
	size_t lines; /* of the text */
	size_t left;  /* columns of the text that are left of the screen */
	int signals;
	char *text; /* the text on the screen */
	size_t len;
};

static void measure(struct screen *screen)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	screen->rows = size.ws_row;
	screen->columns = size.ws_col;
}

/* Returns the columns of a line. Continuation bytes of UTF-8 take no place. */
static size_t width_of(const char *at, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)at[i] & 0xc0) != 0x80;
	return columns;
}

/* Puts the part of a line that the screen shows, with marks where more of it is. Returns where the
 * next line begins. */
static const char *put_line(const struct screen *screen, const char *at, FILE *out)
{
	size_t len = strcspn(at, "\n"), width = width_of(at, len), column = 0;
	size_t last = screen->left + screen->columns;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];

		if ((c & 0xc0) != 0x80)
			column++;
		if (column <= screen->left || column > last)
			continue;
		if (column == screen->left + 1 && screen->left)
			c = (c & 0xc0) == 0x80 ? 0 : '<';
		else if (column == last && width > last)
			c = (c & 0xc0) == 0x80 ? 0 : '>';
		if (c)
			putc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
	return at + len + (at[len] == '\n');
}

/* The columns of the widest line */
static size_t widest_of(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t len = strcspn(text, "\n"), width = width_of(text, len);

		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void put_bar(const struct screen *screen, const struct view *view, FILE *out)
{
	char text[128];
	time_t now = time(NULL);
	struct tm tm = {0};
	size_t last = screen->first + screen->rows - 1;

	if (!localtime_r(&now, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(text, sizeof(text),
		 "%02d:%02d:%02d  %s  lines %zu to %zu of %zu  q ends, arrows move", tm.tm_hour,
		 tm.tm_min, tm.tm_sec, view->name, screen->first + 1,
		 last < screen->lines ? last : screen->lines, screen->lines);
	fprintf(out, INVERSE "%.*s" PLAIN CLEAR_LINE, (int)screen->columns, text);
}

static void draw(struct screen *screen, const struct view *view)
{
	const char *at = screen->text;
	size_t room = screen->rows - 1, widest;
	char *picture = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&picture, &len);

	if (!out)
		return;
	screen->lines = count_lines(at);
	if (screen->first + room > screen->lines)
		screen->first = screen->lines > room ? screen->lines - room : 0;
	widest = widest_of(at);
	if (screen->left + screen->columns > widest)
		screen->left = widest > screen->columns ? widest - screen->columns : 0;
	for (size_t i = 0; i < screen->first; i++)
		at += strcspn(at, "\n") + 1;
	fputs(HOME, out);
	for (size_t i = 0; i < room; i++) {
		if (*at)
			at = put_line(screen, at, out);
		fputs(CLEAR_LINE "\r\n", out);
	}
	put_bar(screen, view, out);
	fputs(CLEAR_BELOW, out);
	if (!fclose(out)) {
		fwrite(picture, 1, len, stdout);
		fflush(stdout);
	}
	free(picture);
}

static void open_screen(struct screen *screen)
{
	struct termios raw;

	screen->has_keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &screen->old);
	if (screen->has_keys) {
		raw = screen->old;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	measure(screen);
	fputs(OTHER_SCREEN, stdout);
	fflush(stdout);
}

static void close_screen(struct screen *screen)
{
	fputs(OWN_SCREEN, stdout);
	fflush(stdout);
	if (screen->has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen->old);
}

enum key { KEY_UP, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_QUIT, KEY_NONE };

/* Takes the key at *@at, and moves *@at behind it. */
static enum key next_key(const char **at)
{
	static const struct {
		const char *text;
		enum key key;
	} keys[] = {
		{"\033[A", KEY_UP},       {"k", KEY_UP},
		{"\033[B", KEY_DOWN},     {"j", KEY_DOWN},
		{"\033[D", KEY_LEFT},     {"h", KEY_LEFT},
		{"\033[C", KEY_RIGHT},    {"l", KEY_RIGHT},
		{"\033[5~", KEY_PAGE_UP}, {"\033[6~", KEY_PAGE_DOWN},
		{" ", KEY_PAGE_DOWN},     {"q", KEY_QUIT},
		{"Q", KEY_QUIT},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t len = strlen(keys[i].text);

		if (!strncmp(*at, keys[i].text, len)) {
			*at += len;
			return keys[i].key;
		}
	}
	(*at)++;
	return KEY_NONE;
}

/* Acts on the keys that were typed; returns false if one ends the program. */
static bool take_keys(struct screen *screen)
{
	char keys[64];
	const char *at = keys;
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys) - 1);
	size_t page = screen->rows > 2 ? screen->rows - 2 : 1;

	if (n <= 0)
		screen->has_keys = n < 0 && errno == EINTR; /* end of input: no more keys */
	if (n <= 0)
		return true;
	keys[n] = '\0';
	while (*at) {
		switch (next_key(&at)) {
		case KEY_UP:
			screen->first -= screen->first > 0;
			break;
		case KEY_DOWN:
			screen->first++;
			break;
		case KEY_LEFT:
			screen->left -= screen->left < SIDEWAYS ? screen->left : SIDEWAYS;
			break;
		case KEY_RIGHT:
			screen->left += SIDEWAYS;
			break;
		case KEY_PAGE_UP:
			screen->first -= screen->first < page ? screen->first : page;
			break;
		case KEY_PAGE_DOWN:
			screen->first += page;
			break;
		case KEY_QUIT:
			return false;
		case KEY_NONE:
			break;
		}
	}
	return true;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Waits until the next screen is due. Returns false at the end. */
static bool wait_for_next(struct screen *screen, const struct view *view)
{
	long long deadline = now_ms() + (long long)(view->interval * 1000);

	for (;;) {
		struct pollfd fds[2] = {
			{.fd = screen->signals, .events = POLLIN},
			{.fd = screen->has_keys ? STDIN_FILENO : -1, .events = POLLIN},
		};
		long long left = deadline - now_ms();

		if (left <= 0)
			return true;
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents) {
			struct signalfd_siginfo info;

			if (read(screen->signals, &info, sizeof(info)) != sizeof(info) ||
			    info.ssi_signo != SIGWINCH)
				return false;
			measure(screen);
			draw(screen, view);
		}
		if (fds[1].revents) {
			if (!take_keys(screen))
				return false;
			draw(screen, view);
		}
	}
}

/* Formats a screen, or the reason why it is unavailable. Returns false without memory. */
static bool make_look(struct screen *screen, struct view *view, view_function show,
		      struct ask_error *error)
{
	FILE *out;
	int rc;

	free(screen->text);
	screen->text = NULL;
	out = open_memstream(&screen->text, &screen->len);
	if (!out)
		return false;
	rc = show(view, out, error);
	if (rc && view->json)
		lfp_msg(error->id, "%s", error->text);
	else if (rc)
		fprintf(out, "%s %s\n", error->id, error->text);
	return !fclose(out);
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

int watch(struct view *view, view_function show)
{
	const char *terminal = getenv("TERM");
	struct screen screen = {
		.there = !view->json && isatty(STDOUT_FILENO) && terminal &&
			 strcmp(terminal, "dumb") != 0,
		.signals = open_signals(),
	};
	struct ask_error error = {.exit = LFP_EXIT_OK};
	int code = LFP_EXIT_OK;

	view->screen = screen.there;
	if (screen.there)
		open_screen(&screen);
	do {
		if (!make_look(&screen, view, show, &error) || error.exit == LFP_EXIT_USAGE) {
			code = error.exit == LFP_EXIT_USAGE ? error.exit : LFP_EXIT_FAILURE;
			break;
		}
		if (screen.there) {
			draw(&screen, view);
		} else if (fputs(screen.text, stdout) < 0 || fflush(stdout)) {
			code = LFP_EXIT_FAILURE; /* the reader of this output is gone */
			break;
		}
	} while (wait_for_next(&screen, view));
	if (screen.there)
		close_screen(&screen);
	if (code == LFP_EXIT_USAGE)
		ask_say(&error);
	free(screen.text);
	close(screen.signals);
	return code;
}
