// What happens to variables at a vertex of the graph for definite assignment.
import type { VariableRead } from '../variable-uses.ts';

/** The events at a vertex, in order. `unit` is the number of a variable that some node sets. */
export type AssignmentEvent =
  | { readonly kind: 'read'; readonly unit: number; readonly read: VariableRead }
  /** Set from here on. */
  | { readonly kind: 'set'; readonly unit: number }
  /** A tool was called: the caller sets the variable before the next wait is over. */
  | { readonly kind: 'promised'; readonly unit: number }
  /** Removed from the variables. */
  | { readonly kind: 'cleared'; readonly unit: number }
  | { readonly kind: 'wait' };
