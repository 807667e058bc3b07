// The heavy job that teaches a branch from a recorded turn (docs/why.md#teach).
import { AppError } from '@parley/envelopes';
import { applyLesson, compareWays, readLesson, writeTest, type NotTeachable } from '@parley/flow-analysis';
import { compileFlow, readParsedFlow, type AuthoredFlow } from '@parley/flow-engine';
import { parseTurns, readModels, type RecordedOn, type SelectedVersion } from './explain-jobs.ts';
import { limitAnswer, readDefinition } from './job-parts.ts';

export type TeachInput = SelectedVersion & {
  /** JSON of the author's definition, where the flow calls others; else ''. */
  readonly authored: string;
  readonly sessionId: string;
  readonly turn: number;
  /** null: the branch that the turn took is wrong. */
  readonly edge: number | null;
  readonly turns: readonly unknown[];
  readonly recordedOn: RecordedOn;
};

/** @throws AppError invalid_request, unprocessable, limit_exceeded */
export async function teach({ flowId, authored, ...input }: TeachInput) {
  const turns = parseTurns(input.turns);
  const runs = readDefinition(input).definition as AuthoredFlow;
  const version = input.version ?? 0;
  const before = compileFlow(readParsedFlow(runs));
  const models = readModels(input.recordedOn).set(version, before.model);
  const recordedOn = (turn: { readonly flow_id: string; readonly version: number }) =>
    turn.flow_id === flowId ? (models.get(turn.version) ?? null) : null;
  const taughtBy = turns.find(
    (turn) =>
      turn.input?.session_id === input.sessionId && turn.turn === input.turn && turn.flow_id === flowId,
  );
  if (taughtBy === undefined) throw turnNotSent();
  const definition = authored === '' ? runs : (JSON.parse(authored) as AuthoredFlow);
  const lesson = orRefuse(readLesson(taughtBy, input.edge, recordedOn(taughtBy), before.model));
  if (lesson.edge >= (definition.edges ?? []).length)
    throw new AppError('unprocessable', 'The edge belongs to a called flow. Teach that flow instead.');
  const after = compileFlow(readParsedFlow(orRefuse(applyLesson(runs, lesson))));
  const bounds = { stepsMax: input.stepsMax, stepsProvedMax: input.stepsProvedMax };
  const test = orRefuse(writeTest(after, taughtBy, lesson, bounds));
  const ways = compareWays([before, after], turns, { ...bounds, of: { flowId, version }, recordedOn });
  const taught = orRefuse(applyLesson(definition, lesson));
  const { source } = before.model.edges[lesson.edge]!;
  return limitAnswer({ definition: taught, lesson: { ...lesson, node_id: source }, test, ways });
}

function orRefuse<T extends object>(result: T | NotTeachable): T {
  if ('problem' in result) throw new AppError('unprocessable', result.problem);
  return result;
}

function turnNotSent(): AppError {
  const path = '/turn';
  return new AppError('invalid_request', 'the turn that teaches is not among `turns`', {
    fields: [{ path, message: 'must be the number of one of `turns` of this session and flow' }],
  });
}
