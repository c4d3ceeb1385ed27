"""OpenAI's client, wrapped, against a stand-in for its server: a request is folded, an invented number is caught."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from openai import OpenAI

from foldproof import EvidenceIndex, SummarizeOldest
from foldproof_compactors.openai import hosted, wrap


class StandIn(BaseHTTPRequestHandler):
    """Answers every request with the same words."""

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "It is on its way."}
        body = json.dumps({"id": "1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())


server = HTTPServer(("127.0.0.1", 0), StandIn)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = wrap(OpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}"), SummarizeOldest(300, 2))
messages = []
for number in range(6):
    messages.append({"role": "user", "content": f"Where is order A-{48_210 + number}?" + " Please look." * 40})
    messages.append(client.chat.completions.create(model="any", messages=messages).choices[0].message)
print("the last compaction:", hosted(client).records[-1].outcome)
for value in EvidenceIndex(hosted(client).state(messages).ledger).judge("A-48211 is here, A-77190 is late.").values:
    print(value.text, value.verdict)
