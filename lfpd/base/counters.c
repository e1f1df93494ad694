/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - what an instance has done since its start */
#include "lfpd/base/counters.h"

#include "transport/path.h"

void counters_keep(struct counters *kept, const struct path_stats *stats)
{
	kept->packets_in += stats->packets_in;
	kept->packets_out += stats->packets_out;
	kept->path_bytes_in += stats->bytes_in;
	kept->path_bytes_out += stats->bytes_out;
	kept->frames_in += stats->frames_in;
	kept->frames_out += stats->frames_out;
	kept->limit_waits += stats->limit_waits;
	kept->data_in += stats->data_in;
	kept->data_out += stats->data_out;
	kept->credits_in += stats->credits_in;
	kept->credits_out += stats->credits_out;
	kept->windows_in += stats->windows_in;
	kept->windows_out += stats->windows_out;
	kept->spliced_in += stats->spliced_in;
	kept->spliced_out += stats->spliced_out;
	kept->calls_in += stats->transport.calls_in;
	kept->calls_out += stats->transport.calls_out;
	kept->transport_waits += stats->transport.full;
	kept->wakeups_in += stats->transport.wakeups_in;
	kept->wakeups_out += stats->transport.wakeups_out;
	kept->polls_hit += stats->transport.polls_hit;
	kept->polls_missed += stats->transport.polls_missed;
}
