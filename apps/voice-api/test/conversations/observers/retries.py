"""A service that is away at first, and an event that it does not take."""

import os
import urllib.request

import parley_voice

real, attempts = urllib.request.urlopen, 0


def unsteady(request, **options):
    global attempts
    attempts += 1
    if attempts < 3:
        raise ConnectionResetError("not now")
    return real(request, **options)


urllib.request.urlopen = unsteady
parley_voice.time.sleep = lambda _seconds: None
call = parley_voice.ParleyConversation(os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"], "retried-1")
call.user_said("Hello")
assert call.close()
print(f"attempts: {attempts}")
wrong = parley_voice.ParleyConversation(os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"], "retried-1")
wrong.user_said("Hello", mood="good")
assert wrong.close()
