// Paths of a certificate for 127.0.0.1 and localhost, for clients that trust its authority
// (NODE_EXTRA_CA_CERTS).
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'fixtures', 'push-service');

export const loopbackCertificate = {
  ca: join(folder, 'ca.pem'),
  cert: join(folder, 'server.pem'),
  key: join(folder, 'server-key.pem'),
} as const;
