# SPDX-License-Identifier: Apache-2.0
"""The twelve applications of IBM's slide, in its order."""

from apps.connector import Connector
from apps.cws import Cws
from apps.listener import Listener
from apps.soap import Soap

ALL = (Connector, Cws, Soap, Listener)
