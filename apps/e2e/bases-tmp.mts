// asks each operation's least body of a running stack
import { mkdtempSync } from 'node:fs'; import { tmpdir } from 'node:os'; import { join } from 'node:path';
import { startStack, SERVICES, lineReport } from '@parley/local-stack';
import { bodyOperations, describeBody, hostileBodies, NOT_ATTACKED, pathOf } from './src/siege/derived/derived.ts';
import { leastBody } from './src/siege/derived/places.rules.ts';
import { send, written } from './src/siege/send.ts';
const root='/work/w/templates';
const stack = await startStack({ root, home: mkdtempSync(join(tmpdir(),'bases-')), env: {...process.env, LOG_LEVEL:'warn'}, report: lineReport((l)=>console.log(l), () => performance.now()), services: SERVICES, throwaway: true, signal: new AbortController().signal });
try {
for (const service of SERVICES) for (const op of bodyOperations(service)) {
  if (NOT_ATTACKED[op.id]) continue;
  const { origin, apiKey } = stack.services[service];
  const ask = (r: never) => send(origin, apiKey, written(r), new AbortController().signal);
  const path = await pathOf({ ask } as never, service, op.path);
  const { status, text } = await ask({ method: op.method, path, body: leastBody(describeBody(op)) } as never);
  let n = 0, bytes = 0; for (const { body } of hostileBodies(op)) { n++; bytes += JSON.stringify(body).length; }
  console.log(status < 300 ? 'ok ' : 'NO ', service, op.id, path, status, n, (bytes/1e6).toFixed(1), status < 300 ? '' : text.slice(0, 300));
}
} finally { await stack.stop(); }
