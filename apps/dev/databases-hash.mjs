// Prints a hash of every schema and migration: an input of tests that copy the databases of
// services which they do not depend on (nx.json). As files they would make every project one that a
// migration of any service touches (`nx affected`).
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

const hash = createHash('sha256');
for (const path of readdirSync('prisma', { recursive: true }).sort()) {
  if (/\.(prisma|sql)$/.test(path)) hash.update(`${path}\0`).update(readFileSync(`prisma/${path}`));
}
console.log(hash.digest('hex'));
