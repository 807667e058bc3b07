// Which SMTP replies suppress an address.
import { expect, test } from '@jest/globals';
import { findAddressFault } from './enhanced-status.rules.ts';

test.each([
  ['550 5.1.1 No such user', '5.1.1'],
  ['550-5.1.1 The email account that you tried to reach\n550 5.1.1 does not exist', '5.1.1'],
  ['550 5.1.2 Host unknown', '5.1.2'],
  ['501 5.1.3 Bad syntax', '5.1.3'],
  ['550 5.1.6', '5.1.6'],
  ['556 5.1.10 Domain has null MX', '5.1.10'],
  ['550 5.2.1 Account disabled', '5.2.1'],
  ['550 5.7.17 Mailbox has another owner', '5.7.17'],
  // the sender, the message, the server, a policy
  ['553 5.1.7 Bad sender', undefined],
  ['550 5.1.8 Sender domain unknown', undefined],
  ['552 5.2.2 Mailbox full', undefined],
  ['552 5.3.4 Too large', undefined],
  ['550 5.4.1 Relay access denied', undefined],
  ['550 5.7.1 Blocked by our policy', undefined],
  ['550 5.7.26 Unauthenticated mail', undefined],
  // not permanent, or without a code of RFC 3463
  ['450 4.1.1 Try later', undefined],
  ['550 No such user', undefined],
  ['550 5.1.11 Not registered', undefined],
  ['550 see https://example.org/5.1.1', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j: %s', (reply, code) => {
  expect(findAddressFault(reply)).toBe(code);
});
