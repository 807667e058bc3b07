// Expands the calls of a flow as saving does, with called flows that the page loaded from the
// service.
import { expandCalls, type Expansion } from '@parley/flow-analysis';
import type { AuthoredFlow, CalledVersion, CalledVersions, PinnedCall } from '@parley/flow-engine';

/** A stored version with the flows that it calls. */
export interface StoredCall extends Omit<CalledVersion, 'calls'> {
  readonly flowId: string;
  readonly calls: readonly PinnedCall[];
  readonly inner: StoredCalls;
}
/** By calledKey. */
export type StoredCalls = Readonly<Record<string, StoredCall>>;

export interface Called {
  /** The calling flow, to detect cycles. */
  readonly flowId: string;
  readonly versions: StoredCalls;
}

function asItRuns(stored: StoredCalls): CalledVersions {
  return Object.fromEntries(
    Object.entries(stored).map(([key, { flowId, inner, definition, ...version }]) => [
      key,
      { ...version, definition: expandCalls(definition, flowId, asItRuns(inner)).definition },
    ]),
  );
}

/** @param called null while loading: calls stay unexpanded */
export const expanded = (definition: AuthoredFlow, called: Called | null): Expansion =>
  called === null
    ? { definition, calls: [], problems: new Map(), nodeOwners: [], edgeOwners: [] }
    : expandCalls(definition, called.flowId, asItRuns(called.versions));

/** The author's own node of an expanded id: `who/ask` is inside the call `who`. */
export const ownNode = (id: string): string => id.split('/', 1)[0]!;
