"""Anthropic's client, wrapped, against a stand-in for its server: a request is folded, an invented number is caught."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from anthropic import Anthropic

from foldproof import EvidenceIndex, SummarizeOldest
from foldproof_compactors.anthropic import hosted, wrap


class StandIn(BaseHTTPRequestHandler):
    """Answers every request with the same words."""

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "It is on its way."}]}
        body = json.dumps(answer | {"usage": {"input_tokens": 900, "output_tokens": 9}})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())


server = HTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = wrap(Anthropic(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}"), SummarizeOldest(300, 2))
messages = []
for number in range(6):
    messages.append({"role": "user", "content": f"Where is order A-{48_210 + number}?" + " Please look." * 40})
    answer = client.messages.create(model="any", max_tokens=99, messages=messages)
    messages.append({"role": "assistant", "content": answer.content})
print("the last compaction:", hosted(client).records[-1].outcome)
for value in EvidenceIndex(hosted(client).state(messages).ledger).judge("A-48211 is here, A-77190 is late.").values:
    print(value.text, value.verdict)
