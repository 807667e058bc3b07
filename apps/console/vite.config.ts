// How the page is built (dist/apps/console/web), and served while it is worked on: `npx nx serve
// console` beside a running `npm start`.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The running console, which is signed in to and forwards to the services. */
const target = process.env['CONSOLE_URL'] ?? 'http://127.0.0.1:3000';
/** It refuses writes from the page of another origin, and this one is another port. */
const proxy = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  root: path('web'),
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2023',
    outDir: path('../../dist/apps/console/web'),
    emptyOutDir: true,
    sourcemap: true, // they lie beside the build, and are not served
    assetsInlineLimit: 0, // no data: URLs for fonts and pictures: the policy of the page would have to allow them
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        // In one chunk with zod, the setting is made before anything that imports zod makes a
        // schema, in every chunk.
        codeSplitting: { groups: [{ name: 'zod', test: /node_modules[\\/]zod[\\/]|zod-jitless/ }] },
      },
    },
  },
  worker: { format: 'es' },
  server: { host: '127.0.0.1', proxy: { '^/api/[a-z-]+/': proxy, '/session': proxy } },
});
