// What heavy jobs share: how a definition comes in, and how much may go out.
import { AppError } from '@parley/envelopes';
import {
  jsonBytes,
  parseFlow,
  readParsedFlow,
  type AuthoredFlow,
  type FlowIdentity,
  type FlowModel,
} from '@parley/flow-engine';

/** Bytes of one answer as JSON: what a process must hold, and a caller read, for one request. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** @throws AppError invalid_request or limit_exceeded, each place as a JSON pointer into the request body. */
export function parseDefinition(document: unknown, identity: FlowIdentity = {}): FlowModel {
  const parsed = parseFlow(document, identity);
  if (parsed.ok) return parsed.flow;
  const fields = parsed.problems.map((problem) => ({
    path: `/definition${problem.path}`,
    message: problem.message,
    code: 'limit' in problem ? problem.limit : 'not_a_definition',
  }));
  throw parsed.kind === 'limit_exceeded'
    ? new AppError('limit_exceeded', 'the definition is larger than a limit allows', { fields })
    : new AppError('invalid_request', 'the document is not a flow definition', { fields });
}

export type Playable =
  | {
      readonly definition: unknown;
      /** It was parsed before it was stored; nodes of called flows have ids that no author may give. */
      readonly stored?: boolean;
    }
  /** A stored definition as the text that Postgres has: large, and not parsed where everybody is answered. */
  | { readonly json: string };

export function flowOf(playable: Playable): FlowModel {
  const { definition, stored } = definitionOf(playable);
  return stored ? readParsedFlow(definition as AuthoredFlow) : parseDefinition(definition);
}

export function definitionOf(playable: Playable): Extract<Playable, { definition: unknown }> {
  return 'json' in playable ? { definition: JSON.parse(playable.json) as unknown, stored: true } : playable;
}

/** What may be written to see how long it is. One string far beyond what is left of a thread's heap ends the process, not the thread. */
const WRITTEN_BYTES_MAX = 4 * ANSWER_BYTES_MAX;

export function withinAnswer<T>(answer: T): T {
  if (jsonBytes(answer, WRITTEN_BYTES_MAX) > WRITTEN_BYTES_MAX) throw answerTooLarge();
  if (JSON.stringify(answer).length > ANSWER_BYTES_MAX) throw answerTooLarge();
  return answer;
}

export function answerTooLarge(): AppError {
  return new AppError('limit_exceeded', `the answer would take more than ${ANSWER_BYTES_MAX} bytes`);
}
