"""Asks the warm process for one command. Started as `python -IS client.py SOCKET ARGUMENTS...`."""

from __future__ import annotations

import array
import json
import os
import signal
import socket
import struct
import sys

with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    asked = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
    streams = array.array("i", [0, 1, 2])
    line.sendmsg([struct.pack("!I", len(asked))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    line.sendall(asked)
    (code,) = struct.unpack("!i", line.recv(4, socket.MSG_WAITALL))
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
