/* SPDX-License-Identifier: Apache-2.0 */
/* rules-thread.c - reads a file of rules, and frees rules, beside the loop */
#include "lfpd/names/rules-thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a thread does: it reads @path, or frees @rules. */
struct work {
	uv_thread_t thread;
	uv_async_t async;     /* the thread is ready */
	rules_read_done done; /* NULL: frees */
	void *data;
	struct rules *rules;
	int rc;
	struct lfp_reader_error err;
	char path[];
};

static void run(void *data)
{
	struct work *work = data;

	if (!work->done) {
		rules_free(work->rules);
		work->rules = NULL;
	} else if (*work->path) {
		work->rc = rules_read(&work->rules, work->path, &work->err);
	}
}

static void run_and_tell(void *data)
{
	struct work *work = data;

	run(work);
	uv_async_send(&work->async);
}

static void finish(struct work *work)
{
	if (work->done)
		work->done(work->data, work->rules, work->rc, &work->err);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_ready(uv_async_t *async)
{
	struct work *work = async->data;

	uv_thread_join(&work->thread);
	uv_close((uv_handle_t *)async, on_closed);
	finish(work);
}

static void start(uv_loop_t *loop, struct work *work)
{
	int rc = uv_async_init(loop, &work->async, on_ready);

	work->async.data = work;
	if (!rc && !uv_thread_create(&work->thread, run_and_tell, work))
		return;
	run(work);
	finish(work);
	if (rc)
		free(work);
	else
		uv_close((uv_handle_t *)&work->async, on_closed);
}

int rules_thread_read(uv_loop_t *loop, const char *path, rules_read_done done, void *data)
{
	struct work *work = calloc(1, sizeof(*work) + strlen(path) + 1);

	if (!work)
		return -ENOMEM;
	strcpy(work->path, path);
	work->done = done;
	work->data = data;
	start(loop, work);
	return 0;
}

void rules_thread_free(uv_loop_t *loop, struct rules *rules)
{
	struct work *work = rules ? calloc(1, sizeof(*work) + 1) : NULL;

	if (!rules)
		return;
	rules_drop_upstreams(rules);
	if (!work) {
		rules_free(rules);
		return;
	}
	work->rules = rules;
	start(loop, work);
}
