import { startEmbeddedPostgres } from './src/embedded-postgres.ts';
import { openLedger } from './src/process-ledger.ts';
import pg from 'pg';
const home = process.argv[2]!;
const ledger = openLedger(home + '/processes.json');
console.log(await ledger.endLeftovers());
let t = performance.now();
const s = await startEmbeddedPostgres({
  root: process.cwd(),
  home,
  ledger,
  throwaway: process.argv[3] === 't',
});
console.log('start', performance.now() - t, s.pid);
t = performance.now();
for (let i = 0; i < 100; i++) {
  const c = new pg.Client({ connectionString: s.url });
  await c.connect();
  await c.end();
}
console.log('per connection ms', (performance.now() - t) / 100);
const c = new pg.Client({ connectionString: s.url });
await c.connect();
console.log(
  (await c.query('show scram_iterations')).rows,
  (await c.query(`select rolpassword from pg_authid where rolname='postgres'`)).rows,
  (await c.query(`select datcollate, datlocale, datlocprovider from pg_database limit 1`)).rows,
);
await c.end();
if (process.argv[4]) process.kill(process.pid, 'SIGKILL');
t = performance.now();
console.log(await s.stop(), performance.now() - t);
