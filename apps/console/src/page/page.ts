// Serves the built page, which is read and compressed once at the start.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Handler } from 'express';
import { refuse } from '../refusal.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

interface File {
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
}

/** @throws Error when there is no build in `folder`. */
export function createPage(folder: string): Handler {
  if (!existsSync(join(folder, 'index.html')))
    throw new Error(`There is no page in ${folder}. Run npm run build.`);
  const files = readBuild(folder);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response.set('allow', 'GET, HEAD'), 'wrong_method', 'Use GET or HEAD.');
    const asked = files.get(request.path);
    // A missing asset is 404, never the page, so that a tab of an older build reloads instead
    // of failing on the MIME type.
    const file = asked ?? (extname(request.path) === '' ? files.get('/index.html') : undefined);
    if (!file) return refuse(response, 'nothing_here', `There is nothing at ${request.path}.`);
    response.set({
      'content-type': file.type,
      'cache-control': request.path.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
      vary: 'accept-encoding',
    });
    if (request.acceptsEncodings('gzip')) response.set('content-encoding', 'gzip').end(file.gzip);
    else response.end(file.body);
  };
}

/** Without source maps and the manifest. */
function readBuild(folder: string): ReadonlyMap<string, File> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const served = paths.filter(
    (path) => !path.endsWith('.map') && !relative(folder, path).startsWith('.vite'),
  );
  return new Map(
    served.map((path) => {
      const body = readFileSync(path);
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      return [`/${relative(folder, path).replaceAll(sep, '/')}`, { body, gzip: gzipSync(body), type }];
    }),
  );
}
