import { describe, expect, test } from '@jest/globals';
import { checkAddress, checkUrl, createAddressPolicy, URL_CHARS_MAX } from './address-policy.ts';

const strict = createAddressPolicy();

function refusalOf(url: string, policy = strict): string {
  const check = checkUrl(url, policy);
  return check.ok ? 'accepted' : check.reason;
}

describe('accepted', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/Path?q=1#part', 'https://example.com/Path?q=1#part'],
    ['https://example.com./x', 'https://example.com./x'],
    ['https://münchen.example/ü', 'https://xn--mnchen-3ya.example/%C3%BC'],
    ['https://hooks_1.example.com', 'https://hooks_1.example.com/'],
    ['https://local.example.com', 'https://local.example.com/'],
    ['https://internal.example.com', 'https://internal.example.com/'],
    ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://[::ffff:8.8.8.8]/', 'https://[::ffff:808:808]/'],
    ['https://[64:ff9b::8.8.8.8]/', 'https://[64:ff9b::808:808]/'],
  ])('%s', (text, href) => {
    expect(checkUrl(text, strict)).toMatchObject({ ok: true, url: new URL(href) });
  });

  test(`${URL_CHARS_MAX} characters and not one more`, () => {
    const start = 'https://example.com/';
    const full = start + 'a'.repeat(URL_CHARS_MAX - start.length);
    expect(refusalOf(full)).toBe('accepted');
    expect(refusalOf(`${full}a`)).toBe('too_long');
    expect(refusalOf(start + 'a'.repeat(1_000_000))).toBe('too_long');
  });
});

describe('refused', () => {
  test.each([
    // scheme and form
    ['http://example.com', 'scheme'],
    ['ws://example.com', 'scheme'],
    ['ftp://example.com', 'scheme'],
    ['gopher://example.com:6379/_PING', 'scheme'],
    ['file:///etc/passwd', 'malformed'],
    ['data:text/plain,x', 'malformed'],
    ['javascript:alert(1)', 'malformed'],
    ['jar:https://example.com!/', 'malformed'],
    ['//example.com', 'malformed'],
    ['example.com', 'malformed'],
    ['', 'malformed'],
    ['https://', 'malformed'],
    ['https://example.com:99999', 'malformed'],
    ['https://exa mple.com', 'malformed'],
    [' https://example.com', 'malformed'],
    ['https://example.com/a b', 'malformed'],
    ['https://exam\tple.com', 'malformed'],
    ['https://example.com/\r\nx: y', 'malformed'],
    ['https://example.com/\0', 'malformed'],
    ['https://1.1.1.1 &@2.2.2.2# @3.3.3.3/', 'malformed'],
    ['https://127.1.1.1:80\\@127.2.2.2:80/', 'malformed'],
    // user name and password
    ['https://user:pw@example.com', 'userinfo'],
    ['https://user@example.com', 'userinfo'],
    ['https://:pw@example.com', 'userinfo'],
    ['https://example.com@127.0.0.1', 'userinfo'],
    // port
    ['https://example.com:22', 'port'],
    ['https://example.com:80', 'port'],
    ['https://example.com:8443', 'port'],
    ['https://example.com:0', 'port'],
    // names of this network
    ['https://a', 'host'],
    ['https://localhost', 'host'],
    ['https://localhost.', 'host'],
    ['https://ip6-localhost', 'host'],
    ['https://foo.localhost', 'host'],
    ['https://printer.local', 'host'],
    ['https://printer.LOCAL.', 'host'],
    ['https://metadata.google.internal', 'host'],
    ['https://kubernetes.default.svc', 'host'],
    ['https://kubernetes.default.svc.cluster.local', 'host'],
    ['https://example..com', 'host'],
    ['https://.example.com', 'host'],
    ['https://example.com..', 'host'],
    [`https://${'a'.repeat(64)}.example`, 'host'],
    [`https://${'a.'.repeat(126)}example`, 'host'],
    // addresses, in every spelling that parses
    ['https://127.0.0.1', 'address'],
    ['https://127.1', 'address'],
    ['https://127.0.1', 'address'],
    ['https://127.0.0.1.', 'address'],
    ['https://2130706433', 'address'],
    ['https://0x7f000001', 'address'],
    ['https://0x7f.1', 'address'],
    ['https://0177.0.0.1', 'address'],
    ['https://017700000001', 'address'],
    ['https://01200034567', 'address'],
    ['https://①②⑦.⓪.⓪.①', 'address'],
    ['https://127。0。0。1', 'address'],
    ['https://０x7f.1', 'address'],
    ['https://%31%32%37.0.0.1', 'address'],
    ['https:///127.0.0.1/', 'address'],
    ['https:127.0.0.1', 'address'],
    ['https://0', 'address'],
    ['https://00000.0', 'address'],
    ['https://10.0.0.1', 'address'],
    ['https://100.100.100.200', 'address'],
    ['https://169.254.169.254/latest/meta-data/', 'address'],
    ['https://255.255.255.255', 'address'],
    ['https://[::]', 'address'],
    ['https://[::1]', 'address'],
    ['https://[0:0:0:0:0:0:0:1]', 'address'],
    ['https://[::ffff:127.0.0.1]', 'address'],
    ['https://[::ffff:7f00:1]', 'address'],
    ['https://[::fFFf:127.0.0.1]', 'address'],
    ['https://[::ffff:169.254.169.254]', 'address'],
    ['https://[::7f00:1]', 'address'],
    ['https://[64:ff9b::a9fe:a9fe]', 'address'],
    ['https://[64:ff9b:1::8.8.8.8]', 'address'],
    ['https://[2002:7f00:1::1]', 'address'],
    ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]', 'address'],
    ['https://[fd00:ec2::254]', 'address'],
    ['https://[fe80::1]', 'address'],
    ['https://[fec0::1]', 'address'],
    ['https://[ff02::1]', 'address'],
    ['https://[100:0:0:1::1]', 'address'],
    ['https://[4000::1]', 'address'],
    // what looks like an address but is not
    ['https://[fe80::1%25eth0]', 'malformed'],
    ['https://[::1%25lo]', 'malformed'],
    ['https://256.0.0.1', 'malformed'],
    ['https://1.2.3.4.5', 'malformed'],
    ['https://4294967296', 'malformed'],
    ['https://0o177.0.0.1', 'malformed'],
  ])('%j: %s', (url, reason) => {
    expect(refusalOf(url)).toBe(reason);
  });

  test('a broken punycode label, whether or not this Node parses it', () => {
    expect(refusalOf('https://xn--/')).not.toBe('accepted');
  });

  test('the problem of an address does not say what it is', () => {
    const problems = ['https://127.0.0.1', 'https://10.0.0.1', 'https://[fd00::1]', 'https://2130706433'].map(
      (url) => checkUrl(url, strict),
    );
    expect(new Set(problems.map((check) => JSON.stringify(check))).size).toBe(1);
    expect(JSON.stringify(problems[0])).not.toMatch(/loopback|127|10\.0/);
  });
});

test('OUTBOUND_PORTS replaces 443', () => {
  const policy = createAddressPolicy({ ports: [8443, 9443] });
  expect(refusalOf('https://example.com:8443', policy)).toBe('accepted');
  expect(refusalOf('https://example.com:9443', policy)).toBe('accepted');
  expect(checkUrl('https://example.com', policy)).toEqual({
    ok: false,
    reason: 'port',
    problem: 'must use port 8443 or 9443',
  });
});

describe('OUTBOUND_ALLOW', () => {
  const policy = createAddressPolicy({ allow: ['127.0.0.0/8', '::1', 'receiver', 'Mattermost.internal'] });

  test.each([
    'http://127.0.0.1:9999/x',
    'http://127.1:80',
    'http://[::ffff:127.0.0.1]:8080',
    'http://[::1]:3000',
    'http://receiver:3000',
    'http://RECEIVER.:3000',
    'https://mattermost.internal:8065/hooks/x',
  ])('exempts scheme, port and address of %s', (url) => {
    expect(refusalOf(url, policy)).toBe('accepted');
  });

  test.each([
    ['ftp://receiver', 'scheme'],
    ['http://user:pw@receiver', 'userinfo'],
    ['http://receivers', 'scheme'],
    ['https://receiver2', 'host'],
    ['https://sub.mattermost.internal', 'host'],
    ['http://receiver.example.com', 'scheme'],
    ['https://10.0.0.1', 'address'],
    ['https://[::2]', 'address'],
    ['http://8.8.8.8', 'scheme'],
  ])('but not of %s: %s', (url, reason) => {
    expect(refusalOf(url, policy)).toBe(reason);
  });

  test('addresses', () => {
    expect(checkAddress('127.9.9.9', policy)).toEqual({ ok: true });
    expect(checkAddress('::ffff:127.0.0.1', policy)).toEqual({ ok: true });
    expect(checkAddress('10.0.0.1', policy)).toEqual({ ok: false, range: 'private' });
    expect(checkAddress('::1%lo', policy)).toEqual({ ok: false, range: 'not_an_address' });
    expect(checkAddress('receiver', policy)).toEqual({ ok: false, range: 'not_an_address' });
  });
});
