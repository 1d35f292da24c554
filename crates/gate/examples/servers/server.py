"""A tool in Python, without dependencies, for `atr gate --upstream http://127.0.0.1:3000`.

    python3 server.py [port]

It listens on loopback only: the gate is the only client, so the X-Tool-* headers can be trusted.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Tool(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        answer = {
            "greeting": f"hello {self.headers['x-tool-caller']}",
            "agent": self.headers["x-tool-agent"],
            "paid": self.headers["x-tool-paid"] == "true",
            "input": json.loads(self.rfile.read(length) or "{}"),
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 3000), Tool)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
