// One call in its own process, for tests of environment variables. Prints the outcome.
// Arguments: client, URL, and the address that its host resolves to.
import { pino } from 'pino';
import { createAddressPolicy, createOutbound } from '../src/index.ts';

const [client, url, address] = process.argv.slice(2) as ['request' | 'deliver', string, string];
const outbound = createOutbound({
  policy: createAddressPolicy({ allow: ['127.0.0.1'], ports: [Number(new URL(url).port)] }),
  log: pino({ level: 'silent' }),
  resolve: async () => [address],
});
console.log(JSON.stringify(await outbound[client]({ url, timeoutMs: 10_000 })));
await outbound.close();
