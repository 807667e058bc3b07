"""Which deliveries verify (docs/voice-api.md#signatures), with signatures that are made here as the page says."""

import base64
import hashlib
import hmac
import time
import unittest

from parley_sdk import SignatureError, webhooks

KEY = bytes(range(32))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
BODY = '{"event":"conversation.ended","data":{"name":"Zoë"}}'.encode()


def signed(key=KEY, at=None, body=BODY):
    seconds = str(int(time.time() if at is None else at))
    mac = hmac.new(key, b"msg_1." + seconds.encode() + b"." + body, hashlib.sha256).digest()
    signature = base64.b64encode(mac).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": seconds, "Webhook-Signature": f"v1,{signature}"}


class Webhooks(unittest.TestCase):
    def test_what_is_ours_is_given_back(self):
        for body in (BODY, BODY.decode()):
            self.assertEqual(webhooks.verify(body, signed(), SECRET)["data"]["name"], "Zoë")
        self.assertTrue(webhooks.verify(BODY, signed(), ["whsec_other", SECRET]))
        self.assertTrue(webhooks.verify(BODY, signed(key=b"plain"), "plain"))
        two = {**signed(), "Webhook-Signature": f"v1,{'A' * 43}= v1a,x {signed()['Webhook-Signature']}"}
        self.assertTrue(webhooks.verify(BODY, two, SECRET))

    def test_what_is_not_is_refused(self):
        late = time.time() - 301
        for body, headers in (
            (BODY + b" ", signed()),
            (BODY, signed(key=b"other")),
            (BODY, signed(at=late)),
            (BODY, {**signed(), "Webhook-Timestamp": str(int(time.time()) + 1)}),
            (BODY, {**signed(), "Webhook-Timestamp": "now"}),
            (BODY, {**signed(), "Webhook-Id": "msg_2"}),
            (BODY, {**signed(), "Webhook-Signature": "v1,short"}),
            (BODY, {}),
        ):
            with self.assertRaises(SignatureError):
                webhooks.verify(body, headers, SECRET)
        self.assertTrue(webhooks.verify(BODY, signed(at=late), SECRET, tolerance_seconds=400))

    def test_the_other_two_count_only_where_they_are_asked_for(self):
        hexed = hmac.new(b"s", BODY, hashlib.sha256).hexdigest()
        headers = {"x-signature-256": f"sha256={hexed}"}
        self.assertTrue(webhooks.verify(BODY, headers, "s", scheme="header"))
        with self.assertRaises(SignatureError):
            webhooks.verify(BODY, headers, "s")
        body = BODY[:-1] + f',"signature":"sha256={hexed}"}}'.encode()
        self.assertTrue(webhooks.verify(body, {}, "s", scheme="body"))
        for other in (BODY, body[:-1] + b" }", body.replace(b"ended", b"begun")):
            with self.assertRaises(SignatureError):
                webhooks.verify(other, {}, "s", scheme="body")
