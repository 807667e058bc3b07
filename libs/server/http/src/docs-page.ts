// Serves GET /docs, the reference page, from files of this process
// (docs/platform.md#operations-endpoints). All its addresses are relative, because the console
// shows it below /api/<service> (docs/console.md#references-and-queues).
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Router } from 'express';
import helmet from 'helmet';
import { shippedPath } from '@parley/server/runtime';

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'];

const page = (title: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="api"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
`;

/**
 * "Try it out" requests go below the page's address, while the document's paths begin at the root.
 */
const start = `const below = location.pathname.replace(/docs$/, '');
SwaggerUIBundle({
  ...{ url: 'openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null },
  requestInterceptor: (request) => {
    const url = new URL(request.url, location.href);
    if (!url.pathname.startsWith(below)) url.pathname = below + url.pathname.slice(1);
    return Object.assign(request, { url: url.href });
  },
});
`;

/**
 * The page, its script and its style. The style needs inline styles; the policy refuses everything
 * else.
 */
export function docsPage(title: string): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  const folder = assetFolder();
  const policy = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false, // TLS ends at the ingress, which decides this for the host
  });
  router.use('/docs', policy);
  router.get('/docs', (_request, response) => void response.type('html').send(page(title)));
  router.get('/docs/start.js', (_request, response) => void response.type('js').send(start));
  for (const name of ASSETS) {
    router.get(`/docs/${name}`, (_request, response) =>
      response.sendFile(name, { root: folder, maxAge: '1h' }),
    );
  }
  return router;
}

function assetFolder(): string {
  return shippedPath('swagger-ui', () =>
    dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
  );
}
