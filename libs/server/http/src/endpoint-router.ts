// Finds the endpoint of a request in a radix tree (find-my-way). Express tries the rows one after
// the other, twice for a face: an eighth of an execute request.
import { METHODS } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Endpoint } from './endpoint.ts';
import type { FaceTable } from './openapi.ts';
import { serveEndpoint, type MatchedRoute, type PipelineOptions } from './pipeline.ts';
import { refuseMethod } from './refusal.ts';

/** A path parameter may be an id of 255 characters, each percent-encoded in up to twelve. */
const PARAMETER_CHARACTERS_MAX = 255 * 12;

type Served = (request: Request, response: Response, matched: MatchedRoute) => Promise<void> | void;

/**
 * Serves the endpoints of the faces, refuses other methods on their paths, and passes on other
 * paths.
 */
export function endpointRouter(usual: PipelineOptions, faces: readonly FaceTable[]): RequestHandler {
  const router = findMyWay({
    caseSensitive: true,
    maxParamLength: PARAMETER_CHARACTERS_MAX,
    onBadUrl: notCalled,
  });
  const on = (methods: readonly string[], path: string, serve: Served) => {
    router.on([...methods] as HTTPMethod[], path.replaceAll(/\{(\w+)\}/g, ':$1'), notCalled, serve);
  };
  for (const { base, face, endpoints, dialect } of faces) {
    const options = dialect ? { ...usual, dialect } : usual;
    const byPath = new Map<string, Endpoint[]>();
    for (const endpoint of endpoints) {
      byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint]);
    }
    for (const [path, rows] of byPath) {
      const name = `${base}${path}`;
      for (const row of rows) {
        const serve = serveEndpoint(options, row, face, name);
        for (const served of [path, ...(row.alsoAt ?? [])]) on(listMethods(row), `${base}${served}`, serve);
      }
      const allowed = rows.flatMap(listMethods);
      const others = METHODS.filter((method) => !allowed.includes(method));
      on(others, name, (request, response) =>
        refuseMethod(options, request, response, allowed.join(', '), name),
      );
    }
  }

  return (request, response, next) => {
    const found = router.find(request.method as HTTPMethod, request.url);
    if (found === null) return next();
    const { params, searchParams: query } = found;
    // An empty id names nothing: `DELETE /flows//publish` is not about a flow.
    if (Object.values(params).includes('')) return next();
    const serve = found.store as Served | null;
    if (serve === null) return next(new URIError('not percent-encoded UTF-8'));
    return serve(request, response, { params, query });
  };
}

/** A GET implies a HEAD (RFC 9110 §9.3.2): Node sends no body for it. */
function listMethods({ method }: Endpoint): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}

/**
 * The server function is the route's store, because the tree calls handlers with other arguments.
 */
function notCalled(): void {
  throw new Error('the endpoint is called with what was matched');
}
