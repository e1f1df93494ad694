#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""draw-overload.py OUT - draws the runs of test-ipsec-overload.py, which are JSON on standard input"""
import json
import sys

import matplotlib
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

matplotlib.rcParams['svg.hashsalt'] = 'zdev'  # the same ids in each drawing
matplotlib.rcParams['svg.fonttype'] = 'none'  # text stays text
runs = json.load(sys.stdin)
figure, axes = plt.subplots(3, len(runs), figsize=(10, 7.5), sharex=True, sharey='row')
for column, (honor, rows) in enumerate(runs.items()):
    seconds = [row[0] for row in rows]
    offline = [row[0] for row in rows if row[1] == 'offline']
    step = seconds[1] - seconds[0]
    for row, (label, lines) in enumerate((
            ('MB/s', ((2, 'throughput', 'C0'),)),
            ('ms', ((3, 'round trip of a datagram, median', 'C3'),)),
            ('percent of an engine', ((4, 'IIP (on the zIIP)', 'C0'), (5, 'IIPCP (on CPs)', 'C1'))))):
        plot = axes[row][column]
        plot.axvspan(offline[0] - step, offline[-1], color='0.9', label='zIIP offline')
        for key, name, color in lines:
            plot.plot(seconds, [values[key] for values in rows], color=color, marker='.', label=name)
        if column == 0:
            plot.set_ylabel(label)
        plot.legend(fontsize=8)
        plot.grid(alpha=0.3)
    axes[0][column].set_title(f'IIPHONORPRIORITY={honor}')
    axes[2][column].set_xlabel('seconds')
for row in axes:
    row[0].set_ylim(bottom=0)  # of all columns, after all of them are drawn
figure.suptitle('One zIIP with more work than it can do')
figure.tight_layout()
figure.savefig(sys.argv[1], metadata={'Date': None})
