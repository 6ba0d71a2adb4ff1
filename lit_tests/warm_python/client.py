"""Passes a Python command line to the server, with the streams and the folder of this process.

It starts in 10 ms because it imports nothing but what is built in. Without a server, as when
somebody repeats a command of a test by hand, Python itself runs the command line.
"""

import _socket
import os
import sys

_REPLY_BYTES = 16


def main() -> int:
    """Return the exit status of the command line."""
    words = sys.argv[1:]
    try:
        server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        server.connect(os.environ["TILEC_WARM_PYTHON"])
    except (KeyError, OSError):
        os.execv(sys.executable, [sys.executable, *words])
    request = repr((os.getcwd(), dict(os.environ), words)).encode()
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    reply = server.recv(_REPLY_BYTES)
    if not reply:
        sys.stderr.write("the server of the tests ended before it answered\n")
        return 1
    status = int(reply)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(main())
