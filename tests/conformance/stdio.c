/* SPDX-License-Identifier: Apache-2.0 */
/* stdio.c - sockets as FILE streams, which the C library reads and writes by itself */
#include "tests/conformance/conform.h"

static void lines(int af)
{
	int fd[2];
	char text[64] = "";
	FILE *a, *b;

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	a = fdopen(fd[0], "w");
	b = fdopen(fd[1], "r");
	TRY("fdopen", a && b ? 0 : -1);
	TRY("fprintf", fprintf(a, "%s %d\nsecond", "line", 1));
	say("not yet sent", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	TRY("fflush", fflush(a));
	say("fgets", "%.6s", fgets(text, sizeof(text), b) ? text : "(none)");
	TRY("getc", getc(b) == 's');
	TRY("ungetc", ungetc('S', b) == 'S');
	TRY("fputs", fputs(" line\n", a) >= 0);
	TRY("fclose", fclose(a));
	say("fgets, after that", "%.11s", fgets(text, sizeof(text), b) ? text : "(none)");
	TRY("fgets at the end", fgets(text, sizeof(text), b) ? 1 : 0);
	TRY("feof", feof(b) != 0);
	TRY("ferror", ferror(b) != 0);
	TRY("fileno", fileno(b) == fd[1]);
	TRY("fseek", fseek(b, 0, SEEK_SET));
	fclose(b);
}

static void both_ways(int af)
{
	int fd[2];
	char text[64] = "";
	FILE *file;

	about("tcp%d both ways", digit(af));
	stream_pair(af, fd);
	file = fdopen(fd[0], "r+");
	setvbuf(file, NULL, _IONBF, 0);
	TRY("fwrite", fwrite("abcd", 2, 2, file));
	say("it comes", "%s", received(fd[1], 0));
	TRY("dprintf", dprintf(fd[1], "answer %d\n", 42));
	TRY("fread", fread(text, 1, 10, file));
	say("data read", "%.9s", text);
	TRY("getdelim after a shutdown", (shutdown(fd[1], SHUT_WR), getc(file) == EOF));
	TRY("clearerr", (clearerr(file), feof(file)));
	fclose(file);
	close(fd[1]);
}

static void much(int af)
{
	enum { LEN = 3 << 20 };
	static unsigned char sent[LEN], got[LEN];
	int fd[2];
	FILE *in;
	pid_t pid;

	about("tcp%d much", digit(af));
	pattern(sent, LEN, 7);
	stream_pair(af, fd);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		FILE *out = fdopen(fd[0], "w");

		fwrite(sent, 1, LEN, out);
		_exit(fclose(out) ? 1 : 0);
	}
	close(fd[0]);
	in = fdopen(fd[1], "r");
	TRY("fread", fread(got, 1, LEN, in));
	say("unchanged", "%d", !memcmp(sent, got, LEN));
	TRY("the end", getc(in));
	fclose(in);
}

static void errors(int af)
{
	int fd[2];
	FILE *file;
	char c;

	about("tcp%d errors", digit(af));
	stream_pair(af, fd);
	shutdown(fd[0], SHUT_WR);
	file = fdopen(fd[0], "w");
	fputs("x", file);
	TRY("fflush after shutdown", fflush(file));
	TRY("ferror", ferror(file) != 0);
	fclose(file);
	close(fd[1]);

	stream_pair(af, fd);
	set_blocking(fd[0], false);
	file = fdopen(fd[0], "r");
	TRY("getc, nothing there", getc(file));
	TRY("ferror, nothing there", ferror(file) != 0);
	fclose(file);
	close(fd[1]);

	stream_pair(af, fd);
	MUST(dup2(fd[1], 0));
	MUST(send(fd[0], "z", 1, 0));
	TRY("read by standard input", read(0, &c, 1));
	MUST(send(fd[0], "word 17 ", 8, 0));
	TRY("scanf", scanf("word %*d%c", &c));
	close(0);
	close_pair(fd);
	MUST(open("/dev/null", O_RDONLY));
}

static void datagrams(int af)
{
	int fd[2];
	FILE *file;

	about("udp%d", digit(af));
	datagram_pair(af, fd);
	file = fdopen(fd[0], "w");
	if (!file)
		return;
	TRY("fprintf", fprintf(file, "one "));
	TRY("fflush", fflush(file));
	TRY("fprintf again", fprintf(file, "two"));
	TRY("fclose", fclose(file));
	say("the first", "%s", received(fd[1], 0));
	say("the second", "%s", received(fd[1], 0));
	close(fd[1]);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		lines(af);
		both_ways(af);
		much(af);
		errors(af);
		datagrams(af);
	}
	return 0;
}
