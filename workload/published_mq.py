# SPDX-License-Identifier: Apache-2.0
"""IBM's white paper "Use of HiperSockets between WebSphere MQ on z/OS and WebSphere MQ on z/Linux": its two tables as printed.

Sizes are bytes, rates messages a second, times milliseconds of a round trip."""

ENVIRONMENT = "z/OS 1.8 (16 engines of a 2084) and SLES 9 (1 engine), MQ V6"
VARIATION = 10  # percent between repeated runs, as the paper says
# Scenario: jobs, and of each size the rate by HiperSockets and by OSA, and the times
SCENARIOS = {
    1: (1, {1000: (667, 476, 1.5, 2.0), 4000: (686, 455, 1.5, 2.2), 10000: (615, 417, 1.6, 2.4), 32000: (576, 267, 1.7, 3.7),
            100000: (251, 116, 4.0, 8.6), 1000000: (25, 13, 40.0, 77.0)}),
    2: (10, {1000: (1400, 118, 7.1, 8.5), 10000: (1150, 970, 8.6, 10.3), 100000: (240, 200, 42.0, 50.0),
             1000000: (30, 18, 333.0, 551.0)}),
}
# Rate times time is the number of jobs, within rounding
TOLERANCE = {1: 0.05, 2: 0.15}
MOST_OFF = 0.03  # of a measured rate times its time, from the number of jobs
# The delay of an OSA adapter in ms each way, which is computed: a message of 1000 bytes crosses it twice
OSA_DELAY = (SCENARIOS[1][1][1000][3] - SCENARIOS[1][1][1000][2]) / 2
COLUMNS = ("HiperSockets", "OSA adapter")


def is_off(product, jobs):
    """Tells whether a measured rate and time, which come from two clocks, disagree."""
    return abs(product - jobs) > MOST_OFF * jobs


def rows():
    """Yields (id, scenario, jobs, size, column, rate, ms, jobs by rate times time) of each published cell."""
    for scenario, (jobs, sizes) in SCENARIOS.items():
        for nr, (size, (*rates, times_h, times_o)) in enumerate(sizes.items(), 1):
            for column, rate, ms in zip("HO", rates, (times_h, times_o)):
                yield f"MQ-{scenario}0{nr}{column}", scenario, jobs, size, column, rate, ms, rate * ms / 1000


def is_damaged(scenario, jobs, product):
    """Tells whether a cell's rate and time can't both be right."""
    return abs(product - jobs) > TOLERANCE[scenario]
