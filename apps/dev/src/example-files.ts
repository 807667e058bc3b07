// The example flows of the flow builder, as files: an app's source is not the launcher's to import,
// what lies in its examples/ folder is. What a file may hold is checked by the flow builder's own
// test of them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Example {
  readonly flow_id: string;
  readonly name: string;
  readonly description: string;
  /** A FlowDefinition. */
  readonly definition: object;
  /** Stored tests by name. */
  readonly tests: Readonly<Record<string, object>>;
  readonly conversation: readonly Line[];
}

/** One turn that the caller takes. */
export interface Line {
  /** null: the turn that opens the conversation, or silence. Absent where a result is brought. */
  readonly user_input?: string | null;
  /**
   * Said only while the flow waits at this node: a question that is asked only when a model did not
   * find the answer.
   */
  readonly at?: string;
  /**
   * What the flow waits for, in place of words (docs/flow-language.md#waits). Which call it answers
   * is read off the turn before.
   */
  readonly tool_result?: ToolResult;
  readonly handoff_result?: HandoffResult;
  /**
   * What the caller's own systems write into the bag before the turn: results of tools and agents
   * that are not waited for.
   */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly expect?: { readonly status?: string; readonly next_node?: string | null };
}

export type ToolResult =
  { readonly result: unknown } | { readonly error: { readonly code: string; readonly message: string } };

export interface HandoffResult {
  readonly status: 'failed' | 'returned';
  readonly reason?: string;
}

/** Every example, by file name. */
export function readExamples(root: string): Example[] {
  const folder = join(root, 'apps', 'flow-builder', 'examples');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Example);
}
