"""A webhook receiver as somebody else would write it, with nothing but Python's standard library.

Prints its port, then a line of JSON for each request. The signing secret comes as a line on standard input, since it is
made when the callback's address is set; a later line takes its place. A good signature is answered with 200, any
other with 401.
"""

import hashlib
import hmac
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = b""


def is_genuine(body, signature):
    """Compares over the bytes received: a body parsed and written again would be another one."""
    expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return secret != b"" and hmac.compare_digest(expected.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        genuine = is_genuine(body, self.headers.get("X-SVC-Signature", ""))
        self.send_response(200 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        event = json.loads(body) if genuine else None
        say({"genuine": genuine, "type": self.headers.get("Content-Type"), "event": event})

    def log_message(self, *_):
        pass


lock = threading.Lock()


def say(line):
    with lock:
        print(json.dumps(line), flush=True)


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
say({"port": server.server_port})
for line in sys.stdin:
    secret = line.strip().encode()
    say({"ready": True})
