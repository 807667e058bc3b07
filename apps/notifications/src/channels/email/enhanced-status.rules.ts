// Pure: which SMTP replies say that an address itself does not accept mail, by the enhanced status
// codes of RFC 3463 and the IANA registry
// (https://www.iana.org/assignments/smtp-enhanced-status-codes).

/**
 * Permanent codes (class 5) that are the fault of the address. Others are about the sender (5.1.7,
 * 5.1.8), the message (5.2.3, 5.6.x), the server (5.3.x, 5.4.x, 5.5.x) or a policy (5.7.x), and a
 * full mailbox (5.2.2) may empty.
 */
const ADDRESS_FAULTS: ReadonlySet<string> = new Set([
  '5.1.1', // RFC 3463 §3.2: the mailbox does not exist
  '5.1.2', // RFC 3463 §3.2: the domain does not exist or accepts no mail
  '5.1.3', // RFC 3463 §3.2: the address has a wrong syntax
  '5.1.6', // RFC 3463 §3.2: the mailbox has moved, without a forwarding address
  '5.1.10', // RFC 7505 §4.2: the domain has a null MX
  '5.2.1', // RFC 3463 §3.3: the mailbox is disabled
  '5.7.17', // RFC 7293 §5.2: the mailbox has another owner
  '5.7.18', // RFC 7293 §5.2: the domain has another owner
]);

/** RFC 2034 §4: the code follows the reply code, in each line of a reply. */
const ENHANCED = /^5\d\d[ -](5\.\d{1,3}\.\d{1,3})(?:\s|$)/;

/** The code of a reply such as `550 5.1.1 No such user`; undefined for other faults. */
export function findAddressFault(reply: string | undefined): string | undefined {
  const code = ENHANCED.exec(reply ?? '')?.[1];
  return code !== undefined && ADDRESS_FAULTS.has(code) ? code : undefined;
}
