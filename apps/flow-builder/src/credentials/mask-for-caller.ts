// Decides who sees credentials in definitions: callers with the scope `write`. Others get masks in
// place of header values (docs/platform.md#secrets).
import { hasScope, type Caller } from '@parley/server/http';
import { createMask, type CredentialMask } from './mask.ts';

const noMask: CredentialMask = { definition: (document) => document, actions: (actions) => actions };

/** Use one mask for one response. */
export function createMaskFor(caller: Caller): CredentialMask {
  return maySeeCredentials(caller) ? noMask : createMask();
}

export function maySeeCredentials(caller: Caller): boolean {
  return hasScope(caller, 'write');
}
