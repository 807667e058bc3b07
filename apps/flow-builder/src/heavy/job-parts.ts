// Reads definitions for heavy jobs and limits their responses.
import { AppError } from '@parley/envelopes';
import {
  jsonBytes,
  parseFlow,
  readParsedFlow,
  type AuthoredFlow,
  type FlowIdentity,
  type FlowModel,
} from '@parley/flow-engine';

/** Bytes of one response as JSON: a process must hold them, and a caller read them. */
export const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** @throws AppError invalid_request or limit_exceeded, with JSON pointers into the request body */
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
      /** Parsed before it was stored. Nodes of called flows have ids that authors cannot use. */
      readonly stored?: boolean;
    }
  /** A stored definition as text: large, and not parsed on the main thread. */
  | { readonly json: string };

export function readFlow(playable: Playable): FlowModel {
  const { definition, stored } = readDefinition(playable);
  return stored ? readParsedFlow(definition as AuthoredFlow) : parseDefinition(definition);
}

export function readDefinition(playable: Playable): Extract<Playable, { definition: unknown }> {
  return 'json' in playable ? { definition: JSON.parse(playable.json) as unknown, stored: true } : playable;
}

/**
 * Bytes that may be serialised to measure them. One string beyond the heap of a thread ends the
 * process, not the thread.
 */
const WRITTEN_BYTES_MAX = 4 * ANSWER_BYTES_MAX;

export function limitAnswer<T>(answer: T): T {
  if (jsonBytes(answer, WRITTEN_BYTES_MAX) > WRITTEN_BYTES_MAX) throw answerTooLarge();
  if (JSON.stringify(answer).length > ANSWER_BYTES_MAX) throw answerTooLarge();
  return answer;
}

export function answerTooLarge(): AppError {
  return new AppError(
    'limit_exceeded',
    `the response would take more than ${ANSWER_BYTES_MAX} bytes; ask for less`,
  );
}
