import { startStack, lineReport, bundleApps } from './src/index.ts';
let t = performance.now();
await bundleApps({
  root: process.cwd(),
  outDir: '/tmp/stkdist',
  apps: ['voice-api', 'notifications', 'cli'],
});
console.log('bundle', performance.now() - t);
t = performance.now();
const names = (process.argv[3]?.split(',') ?? undefined) as never;
const stack = await startStack({
  root: process.cwd(),
  home: process.argv[2]!,
  env: process.env,
  services: names,
  distDir: '/tmp/stkdist',
  report: lineReport(console.log, () => performance.now()),
});
console.log(stack, performance.now() - t);
t = performance.now();
await stack.stop();
console.log('stopped', performance.now() - t);
