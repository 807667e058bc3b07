// What the tables of members say of each: members.ts, node-members.ts.
import { limits } from './limits.ts';
import type { NodeType } from './node-types.ts';

/** JSON Schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export interface MemberSpec {
  /** The node types that read it; absent: all, or it is no member of a node. */
  readonly on?: readonly NodeType[];
  readonly meaning: string;
  /** The value that holds where it is absent or null; or, in words, how that is found. */
  readonly default?: unknown;
  readonly otherwise?: string;
  /** Where the type that parsing demands does not say it all; of a member with `on`, only on nodes that read it. */
  readonly schema?: Schema;
}

/** Names and aliases of a table. */
export const spellings = (
  table: Readonly<Record<string, { readonly aliases: readonly string[] }>>,
): Schema => ({
  enum: Object.entries(table).flatMap(([name, { aliases }]) => [name, ...aliases]),
});

export const text: Schema = { type: 'string', maxLength: limits.textCharsMax };
