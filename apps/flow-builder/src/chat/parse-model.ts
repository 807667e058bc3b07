// The name of a model: `<flow_id>`, or `<flow_id>@<version>`.
import { AppError } from '@parley/envelopes';
import { idProblem } from '@parley/flow-engine';

/** Flow ids have no `@`. @throws AppError not_found */
export function parseModel(model: string): { flowId: string; version: number | undefined } {
  const [, flowId = '', version] = /^([^@]*)(?:@([1-9]\d{0,8}))?$/.exec(model) ?? [];
  if (idProblem(flowId) !== null) throw new AppError('not_found', `there is no model "${model}"`);
  return { flowId, version: version === undefined ? undefined : Number(version) };
}
