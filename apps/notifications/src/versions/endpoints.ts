// The endpoints of content with versions: list, save, read, publish and delete. Only on /v1: the
// product face only sends.
import { z } from 'zod';
import { pageQuery } from '@parley/envelopes';
import { del, get, post, put, Reply, type Caller, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { contentId, headMembers, versionNumber, versionQuery } from './schemas.ts';
import {
  deleteContent,
  getVersion,
  listHeads,
  publishVersion,
  saveVersion,
  toWireHead,
  type Head,
  type Kind,
} from './versions.ts';

export interface VersionedContent<Request extends z.ZodType> {
  readonly kind: Kind;
  /** Members of a version as it is read, besides those of its head. */
  readonly members: z.ZodRawShape;
  /** Those of a new version; has `publish`. */
  readonly request: Request;
  /** The stored form of a request. @throws AppError invalid_request */
  readonly toContent: (caller: Caller, request: z.output<Request>) => Promise<object>;
  readonly toMembers: (content: string) => object;
}

export function versionEndpoints<Request extends z.ZodType<{ publish: boolean }>>(
  deps: Deps,
  { kind, members, request, toContent, toMembers }: VersionedContent<Request>,
): Endpoint[] {
  const { name, params, head, saved, version, publication } = describeVersions(kind, members);
  const path = `/${kind}s/{${kind}_id}`;
  const toKey = (given: z.output<typeof params>) => ({ kind, id: given[`${kind}_id`]! });
  const toWire = (row: Head) => ({ [`${kind}_id`]: row.id, ...toWireHead(row) });
  return [
    get(
      `/${kind}s`,
      {
        operationId: `list${name}s`,
        summary: `List ${kind}s by id`,
        scope: 'read',
        query: z.strictObject(pageQuery()),
        replies: { 200: z.strictObject({ items: z.array(head), next_cursor: z.string().nullable() }) },
      },
      ({ caller, query }) => listHeads(deps, caller, kind, query, toWire),
    ),
    put(
      path,
      {
        operationId: `save${name}`,
        stores: true,
        summary: `Save a new version of a ${kind}. Equal content does not create a version`,
        scope: 'write',
        params,
        body: request,
        replies: { 200: saved, 201: saved },
        refusals: ['limit_exceeded'],
      },
      async ({ caller, params: given, body }) => {
        const content = JSON.stringify(await toContent(caller, body));
        const made = await saveVersion(deps, caller, toKey(given), { content, publish: body.publish });
        return new Reply({ ...toWire(made.head), version: made.version }, { status: made.isNew ? 201 : 200 });
      },
    ),
    get(
      path,
      {
        operationId: `get${name}`,
        summary: `Get a version of a ${kind}`,
        scope: 'read',
        params,
        query: versionQuery,
        replies: { 200: version },
        refusals: ['not_found'],
      },
      async ({ caller, params: given, query }) => {
        const found = await getVersion(deps, caller, toKey(given), query.version);
        return { ...toWire(found.head), version: found.version, ...toMembers(found.content) };
      },
    ),
    post(
      `${path}/publish`,
      {
        operationId: `publish${name}`,
        summary: `Move the publish pointer of a ${kind}`,
        scope: 'write',
        params,
        body: publication,
        replies: { 200: head },
        refusals: ['not_found'],
      },
      async ({ caller, params: given, body }) =>
        toWire(await publishVersion(deps, caller, toKey(given), body.version)),
    ),
    del(
      path,
      {
        operationId: `delete${name}`,
        summary: `Delete a ${kind} with all versions`,
        scope: 'delete',
        params,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params: given }) => deleteContent(deps, caller, toKey(given)),
    ),
  ];
}

function describeVersions(kind: Kind, members: z.ZodRawShape) {
  const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
  const head = z.strictObject({ [`${kind}_id`]: z.string(), ...headMembers }).meta({ id: `${name}Head` });
  const saved = z.strictObject({ ...head.shape, version: z.int() }).meta({ id: `Saved${name}` });
  return {
    name,
    params: z.strictObject({ [`${kind}_id`]: contentId }),
    head,
    saved,
    version: z
      .strictObject({ ...saved.shape, ...members })
      .meta({ id: name, description: `A version of a ${kind}.` }),
    publication: z
      .strictObject({ version: versionNumber.nullable().describe(`null: unpublishes the ${kind}`) })
      .meta({ id: `${name}Publish` }),
  };
}
