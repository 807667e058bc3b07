// What a caller is shown of a definition. Values of headers are credentials: who may write the flow sees them, everyone else a mask
// (docs/platform.md#secrets).
import { hasScope, type Caller } from '@parley/server/http';
import { masking, type Shown } from './masking.ts';

const asItIs: Shown = { definition: (document) => document, actions: (actions) => actions };

/** For one answer. */
export function shownTo(caller: Caller): Shown {
  return mayBeShownAll(caller) ? asItIs : masking();
}

export function mayBeShownAll(caller: Caller): boolean {
  return hasScope(caller, 'write');
}
