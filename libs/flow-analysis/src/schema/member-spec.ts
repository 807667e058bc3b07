// The columns of the tables of members (members.ts, node-members.ts).
import { limits } from '@parley/flow-engine/define/limits';
import type { NodeType } from '@parley/flow-engine/define/node-types';

/** JSON Schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export interface MemberSpec {
  /** The node types that read it; absent: all, or it is no member of a node. */
  readonly on?: readonly NodeType[];
  /** Its name for people. */
  readonly label: string;
  /** Its name on some node types. */
  readonly labelOn?: Readonly<Partial<Record<NodeType, string>>>;
  readonly meaning: string;
  /** One line below its field, where `meaning` would not help a designer. */
  readonly help?: string;
  /** Names of the values of an enumeration, for people. */
  readonly options?: Readonly<Record<string, string>>;
  /** For authors who know JSON, patterns or the engine. */
  readonly advanced?: true;
  /** The effective value when it is absent or null, or a sentence that says how it is found. */
  readonly default?: unknown;
  readonly otherwise?: string;
  /**
   * Overrides or narrows the type that parsing requires; for a member with `on`, only on nodes that
   * read it.
   */
  readonly schema?: Schema;
}

/** Names and aliases of a table. */
export const spellings = (
  table: Readonly<Record<string, { readonly aliases: readonly string[] }>>,
): Schema => ({
  enum: Object.entries(table).flatMap(([name, { aliases }]) => [name, ...aliases]),
});

export const text: Schema = { type: 'string', maxLength: limits.textCharsMax };
