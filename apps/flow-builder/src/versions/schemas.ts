// Wire shapes that several folders share: ids, versions, definitions.
import { z } from 'zod';
import { flowBuilderDialect, freeForm, isPathId, pageQuery } from '@parley/envelopes';
import { idProblem } from '@parley/flow-engine';

/** Default page size (docs/platform.md#pages). */
export const FLOWS_PER_PAGE = 50;
/**
 * Large enough for the largest definition that the engine accepts. Other bodies may have 1 MiB
 * (docs/platform.md#limits).
 */
export const DEFINITION_BODY_BYTES_MAX = 2 * 1024 * 1024;
/** Maximum of a Postgres integer. */
const VERSION_MAX = 2_147_483_647;

export const time = flowBuilderDialect.timeSchema;

export const flowId = z
  .string()
  .superRefine((id, context) => {
    const message = idProblem(id) ?? (isPathId(id) ? null : 'Invalid id: it has dots alone');
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' });

/** The parser of the engine checks it and knows every place that can be wrong. */
export const definition = freeForm().meta({
  description: 'A FlowDefinition; unknown members are stored',
  externalDocs: { description: 'Its JSON Schema', url: '/schemas/flow-definition.json' },
});
export const versionNumber = z.int().min(1).max(VERSION_MAX);
export const versionQuery = z.coerce.number().int().min(1).max(VERSION_MAX);

export const flowParams = z.strictObject({ flow_id: z.string().max(128) });

export const validateQuery = z.strictObject({ version: versionQuery.optional() });

export const ledgerQuery = z.strictObject(pageQuery(FLOWS_PER_PAGE));

/** A request has a definition or names a stored version. */
export const oneVersion = ({ definition, version }: { definition?: unknown; version?: unknown }) =>
  definition === undefined || version === undefined;
export const onlyOneVersion = { path: ['version'], message: 'cannot be used with a definition' };
