import { describe, expect, test } from '@jest/globals';
import { toFailure, OutboundError } from './failure.ts';

const withCode = (code: string, message = 'at 10.0.0.7:443', cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

describe('classes', () => {
  test.each([
    ['ECONNREFUSED', 'connect_refused'],
    ['EHOSTUNREACH', 'connect_refused'],
    ['ENETUNREACH', 'connect_refused'],
    ['ETIMEDOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['EPROTO', 'tls_error'],
    ['HPE_INVALID_CONSTANT', 'connection_lost'],
    ['HPE_HEADER_OVERFLOW', 'too_large'],
    ['UND_ERR_HEADERS_OVERFLOW', 'too_large'],
    ['UND_ERR_INVALID_ARG', 'invalid_request'],
    ['ECONNRESET', 'connection_lost'],
    ['EPIPE', 'connection_lost'],
    ['UND_ERR_SOCKET', 'connection_lost'],
    ['ERR_ASSERTION', 'connection_lost'],
  ])("%s is %s, and the error's text stays internal", (code, errorClass) => {
    const failure = toFailure(withCode(code));
    expect(failure).toMatchObject({ errorClass, internal: { code, detail: 'at 10.0.0.7:443' } });
    expect(failure.message).not.toContain('10.0.0.7');
  });

  test('a hang-up during the handshake is a TLS error', () => {
    const text = 'Client network socket disconnected before secure TLS connection was established';
    expect(toFailure(withCode('ECONNRESET', text)).errorClass).toBe('tls_error');
  });

  test('finds wrapped errors', () => {
    const own = new OutboundError('blocked_address', 'no', { address: '10.0.0.7' });
    const wrapped = withCode('ERR_GOT_REQUEST_ERROR', 'outer', withCode('ERR_SOMETHING', 'middle', own));
    expect(toFailure(wrapped)).toBe(own.failure);
    expect(toFailure(withCode('ERR_GOT_REQUEST_ERROR', 'outer', withCode('EPROTO'))).errorClass).toBe(
      'tls_error',
    );
  });
});

describe('our failures are thrown', () => {
  test.each([
    [withCode('EMFILE')],
    [withCode('ENOMEM')],
    [withCode('UND_ERR_CLOSED')],
    [withCode('ERR_INVALID_ARG_TYPE')],
    [new TypeError('x is not a function')],
    [withCode('ERR_GOT_REQUEST_ERROR', 'outer', new TypeError('x is not a function'))],
    ['a string'],
    [undefined],
  ])('%p', (error) => {
    let thrown: unknown;
    try {
      toFailure(error);
      throw new Error('took it for a failure of the receiver');
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
  });

  test('a cyclic chain of causes ends', () => {
    const loop: Error & { cause?: unknown } = new Error('loop');
    loop.cause = loop;
    expect(() => toFailure(loop)).toThrow('loop');
  });
});
