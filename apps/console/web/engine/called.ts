// What a flow calls, as it runs: the page reads it from the service, and the engine puts it in the place of the calls, as saving does.
import {
  expandCalls,
  type AuthoredFlow,
  type CalledVersion,
  type CalledVersions,
  type Expansion,
  type PinnedCall,
} from '@parley/flow-engine';

/** A version as it is stored, with what it calls itself. */
export interface StoredCall extends Omit<CalledVersion, 'calls'> {
  readonly flowId: string;
  readonly calls: readonly PinnedCall[];
  readonly inner: StoredCalls;
}
/** By calledKey. */
export type StoredCalls = Readonly<Record<string, StoredCall>>;

export interface Called {
  /** Of the flow that calls: nothing may lead back to it. */
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

/** @param called null = it is not known yet: calls stay as they are */
export const expanded = (definition: AuthoredFlow, called: Called | null): Expansion =>
  called === null
    ? { definition, calls: [], problems: new Map(), nodeOwners: [], edgeOwners: [] }
    : expandCalls(definition, called.flowId, asItRuns(called.versions));

/** The node of the author's own definition that an id is of: `who/ask` is inside the call `who`. */
export const ownNode = (id: string): string => id.split('/', 1)[0]!;
