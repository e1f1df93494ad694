# SPDX-License-Identifier: Apache-2.0
"""The twelve applications of IBM's slide, in its order."""

from apps.connector import Connector
from apps.cws import Cws
from apps.db2 import Db2
from apps.ldap import Ldap
from apps.listener import Listener
from apps.mq import Mq
from apps.pnet import Pnet
from apps.redirector import Redirector
from apps.script import Script
from apps.soap import Soap
from apps.tools import Tools
from apps.vtape import Vtape

ALL = (Connector, Cws, Soap, Listener, Db2, Mq, Redirector, Vtape, Ldap, Script, Pnet, Tools)
