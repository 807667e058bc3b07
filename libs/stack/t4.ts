import { bundleApps } from './src/index.ts';
for (let i = 0; i < 2; i++) {
  const t = performance.now();
  await bundleApps({
    root: process.cwd(),
    outDir: '/tmp/stkdist',
    apps: ['voice-api', 'notifications', 'cli'],
  });
  console.log('bundle', performance.now() - t);
}
