// POST /v1/flows/{flow_id}/tests/generate: conversations that take every edge that can be taken.
import { AppError } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { TESTS_CHARACTERS_MAX, TESTS_PER_FLOW_MAX, tooManyTests } from '../conversations/stored-tests.ts';
import { getHead } from '../versions/version-ledger.ts';
import { selectVersion } from './select-version.ts';
import type { GenerateRequest } from './schemas.ts';

/** The names of generated tests begin with this. Generating again replaces them. */
const GENERATED_PREFIX = 'generated.';

type GenerateDeps = Pick<Deps, 'sql' | 'transact' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;
type GeneratedTests = readonly { readonly name: string; readonly test: unknown }[];

/**
 * @throws AppError not_found, insufficient_scope, invalid_request, limit_exceeded,
 *   request_too_costly
 */
export async function generateFlowTests(
  deps: GenerateDeps,
  caller: Caller,
  flowId: string,
  body: GenerateRequest,
) {
  if (body.save && !hasScope(caller, 'write'))
    throw new AppError('insufficient_scope', 'saving tests needs the scope write');
  const looked = await selectVersion(deps, caller, flowId, body);
  const generated = await deps.heavyWork.run(caller.organizationId, 'generate', looked);
  const answer = { flow_id: flowId, version: looked.version, ...generated };
  if (!body.save) return answer;
  if (generated.tests_omitted > 0) throw tooManyTests();
  await saveTests(deps, caller, flowId, generated.tests);
  return { ...answer, saved: generated.tests.length };
}

/** Replaces the tests that were generated before, and no others. */
async function saveTests(
  deps: Pick<Deps, 'transact' | 'clock'>,
  caller: Caller,
  flowId: string,
  tests: GeneratedTests,
): Promise<void> {
  const key = [caller.organizationId, flowId];
  await deps.transact(async (sql) => {
    await getHead(sql, { organizationId: caller.organizationId, flowId }, 'FOR UPDATE');
    await sql(
      'DELETE FROM flow_tests WHERE organization_id = $1 AND flow_id = $2 AND starts_with(name, $3)',
      [...key, GENERATED_PREFIX],
    );
    const [others] = await sql<{ count: number; characters: number }>(
      `SELECT count(*)::int AS count, coalesce(sum(characters), 0)::float8 AS characters
       FROM flow_tests WHERE organization_id = $1 AND flow_id = $2`,
      key,
    );
    const characters = tests.reduce((sum, { test }) => sum + JSON.stringify(test).length, 0);
    if (others!.count + tests.length > TESTS_PER_FLOW_MAX)
      throw new AppError('limit_exceeded', `a flow has at most ${TESTS_PER_FLOW_MAX} stored tests`);
    if (others!.characters + characters > TESTS_CHARACTERS_MAX) throw tooManyTests();
    await sql(
      `INSERT INTO flow_tests (organization_id, flow_id, name, test, updated_at, updated_by)
       SELECT $1, $2, name, test, $3, $4 FROM jsonb_to_recordset($5::jsonb) AS made (name text, test jsonb)`,
      [
        ...key,
        new Date(deps.clock()),
        caller.principal,
        JSON.stringify(tests.map(({ name, test }) => ({ name, test }))),
      ],
    );
  });
}
