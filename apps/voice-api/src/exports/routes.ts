// The endpoint table of exports.
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import { creates, get, type Endpoint } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { CONTENT_TYPES } from './formats.rules.ts';
import { createExport, getExport, getExportPart, listExports } from './manage-exports.ts';
import { exported, exportListQuery, exportParams, newExport, partParams } from './schemas.ts';

export function exportEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/exports',
      {
        operationId: 'createExport',
        stores: true,
        summary: 'Export conversations or deliveries to a file, which is available for a day',
        scope: 'read',
        boundKeys: true,
        body: newExport,
        sends: ['Location'],
        replies: { 201: exported },
        refusals: ['limit_exceeded'],
      },
      ({ caller, body, transaction }) => createExport(deps, caller, body, transaction),
    ),
    get(
      '/exports',
      {
        operationId: 'listExports',
        summary: 'List exports, newest first',
        scope: 'read',
        boundKeys: true,
        query: exportListQuery,
        replies: { 200: voiceApiDialect.pageSchema(exported) },
      },
      ({ caller, query }) => listExports(deps, caller, query),
    ),
    get(
      '/exports/{export_id}',
      {
        operationId: 'getExport',
        summary: 'Get the progress of an export',
        scope: 'read',
        boundKeys: true,
        params: exportParams,
        replies: { 200: exported },
      },
      ({ caller, params }) => getExport(deps, caller, params.export_id),
    ),
    get(
      '/exports/{export_id}/parts/{part}',
      {
        operationId: 'getExportPart',
        summary: 'Download a part of the file, about 1 MiB, numbered from 1; `Link` names the next part',
        scope: 'read',
        boundKeys: true,
        params: partParams,
        sends: ['Link', 'Content-Disposition'],
        replies: { 200: z.string() },
        produces: Object.values(CONTENT_TYPES),
        refusals: ['not_found'],
      },
      ({ caller, params }) => getExportPart(deps, caller, params.export_id, params.part),
    ),
  ];
}
