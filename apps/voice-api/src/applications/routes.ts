// The endpoint table of applications and their portal.
import { voiceApiDialect } from '@parley/envelopes';
import { creates, del, get, put, type Endpoint } from '@parley/server/http';
import type { Deps } from './deps.ts';
import {
  deleteApplication,
  getApplication,
  getPortal,
  listApplications,
  putApplication,
} from './manage-applications.ts';
import { createPortalLink, revokePortalLinks, verifyPortalToken } from './portal-links.ts';
import * as shapes from './schemas.ts';

const { pageSchema } = voiceApiDialect;
const params = shapes.applicationParams;

export function applicationEndpoints(deps: Deps): Endpoint[] {
  return [
    put(
      '/applications/{application_id}',
      {
        operationId: 'putApplication',
        summary: 'Create or rename an application: a customer of yours, who gets a portal',
        scope: 'write',
        params,
        body: shapes.putApplication,
        replies: { 200: shapes.application, 201: shapes.application },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params, body }) => putApplication(deps, caller, params.application_id, body),
    ),
    get(
      '/applications',
      {
        operationId: 'listApplications',
        summary: 'List applications by id',
        scope: 'read',
        query: shapes.applicationListQuery,
        replies: { 200: pageSchema(shapes.application) },
      },
      ({ caller, query }) => listApplications(deps, caller, query),
    ),
    get(
      '/applications/{application_id}',
      {
        operationId: 'getApplication',
        summary: 'Get an application',
        scope: 'read',
        params,
        replies: { 200: shapes.application },
      },
      ({ caller, params }) => getApplication(deps, caller, params.application_id),
    ),
    del(
      '/applications/{application_id}',
      {
        operationId: 'deleteApplication',
        summary: 'Delete an application with its webhooks and portal links',
        scope: 'delete',
        params,
        replies: { 200: shapes.deletedApplication },
      },
      ({ caller, params }) => deleteApplication(deps, caller, params.application_id),
    ),
    ...linkEndpoints(deps),
  ];
}

function linkEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/applications/{application_id}/portal-links',
      {
        operationId: 'createPortalLink',
        summary: 'Create a short-lived link to the portal of an application',
        scope: 'write',
        alsoScope: 'read', // the link reads deliveries
        params,
        body: shapes.newPortalLink,
        replies: { 201: shapes.portalLink },
        secretInForce: async (_sql, _caller, { token }: { readonly token: string }) =>
          (await verifyPortalToken(deps, token)) !== null,
      },
      ({ caller, params, body, transaction }) =>
        createPortalLink(deps, caller, params.application_id, body, transaction),
    ),
    del(
      '/applications/{application_id}/portal-links',
      {
        operationId: 'revokePortalLinks',
        summary: 'Revoke all portal links of an application',
        scope: 'delete',
        params,
        replies: { 200: shapes.revokedLinks },
      },
      ({ caller, params }) => revokePortalLinks(deps, caller, params.application_id),
    ),
    get(
      '/portal',
      {
        operationId: 'getPortal',
        summary: 'Get the application of the portal link that calls it, and what the link may do',
        scope: 'read',
        portal: true,
        replies: { 200: shapes.portal },
        refusals: ['not_found'],
      },
      ({ caller }) => getPortal(deps, caller),
    ),
  ];
}
