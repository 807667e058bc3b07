// Stands in for a bundled service in the tests of startStack: says what it was given, is ready when
// it is told to be.
import { createServer } from 'node:http';

const { STAND_IN = '{}', PORT, HOST } = process.env;
const { dies = false, readyAfterMs = 0, accepts = true } = JSON.parse(STAND_IN);
const startedAtMs = Date.now();
console.log('stand-in with', dies ? 'a broken configuration' : 'everything');
if (dies) process.exit(3);

createServer((request, response) => {
  const ready = Date.now() - startedAtMs >= readyAfterMs;
  if (request.url === '/ready') response.writeHead(ready ? 200 : 503).end(ready ? 'yes' : 'no store yet');
  else if (request.url === '/env') response.writeHead(200).end(JSON.stringify(process.env));
  else response.writeHead(accepts ? 200 : 401).end();
}).listen(Number(PORT), HOST);
