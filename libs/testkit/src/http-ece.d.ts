// http_ece has no types of its own. It is the oracle of the tests: what our services encrypt, it decrypts.
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';
  interface Parameters {
    version: 'aes128gcm';
    privateKey: ECDH;
    authSecret: string;
  }
  const ece: { decrypt(body: Buffer, parameters: Parameters): Buffer };
  export default ece;
}
