# A webhook receiver written only from "Receive a webhook" in ../../README.md, with Python's
# standard library.
#   WEBHOOK_SECRET=whsec_… PORT=4000 python3 receiver.py
import base64
import hashlib
import hmac
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
TOLERANCE_SECONDS = 5 * 60
BODY_BYTES_MAX = 1024 * 1024

# In production: a table with a unique key, written in the transaction that does the work.
seen = set()
seen_lock = threading.Lock()
print_lock = threading.Lock()


class Refused(Exception):
    pass


def sha256(text):
    return "sha256=" + hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()


def equal(given, expected):
    return hmac.compare_digest((given or "").encode(), expected.encode())


def check_header(raw, headers):
    """1. The header over the raw body."""
    if not equal(headers.get("X-Signature-256"), sha256(raw)):
        raise Refused("X-Signature-256 does not fit")


def check_member(raw):
    """2. The member at the end of the body: cut it off, close the brace, sign what is left."""
    match = re.fullmatch(rb'(.*),"signature":"(sha256=[0-9a-f]{64})"\}', raw, re.DOTALL)
    if match is None or not equal(match[2].decode(), sha256(match[1] + b"}")):
        raise Refused("signature does not fit")


def check_standard(raw, headers):
    """3. Standard Webhooks: id and time are signed too, so an old request cannot be sent again."""
    identifier, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        raise Refused("webhook-timestamp is stale")
    key = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
    signed = f"{identifier}.{sent_at}.".encode() + raw
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(equal(one, expected) for one in headers.get("webhook-signature", "").split(" ")):
        raise Refused("webhook-signature does not fit")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        try:
            outcome, status = self.receive(), 204
        except Refused as refusal:
            outcome, status = f"refused: {refusal}", 400
        self.send_response(status)  # at once; the work comes after the answer
        self.send_header("Content-Length", "0")
        self.end_headers()
        with print_lock:  # a thread for each connection: without it lines run into each other
            print(outcome, flush=True)

    def receive(self):
        length = int(self.headers.get("Content-Length", "0"))
        if length > BODY_BYTES_MAX:
            self.close_connection = True
            raise Refused("the body is too large")
        raw = self.rfile.read(length)  # the bytes as they came: parsing comes after verifying
        check_header(raw, self.headers)
        check_member(raw)
        check_standard(raw, self.headers)
        event = json.loads(raw)
        with seen_lock:
            if event["id"] in seen:
                return f"repeated {event['id']}"
            seen.add(event["id"])
        return f"accepted {event['event']} {event['id']}"

    def log_message(self, *_arguments):
        pass  # the outcome is printed above


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
