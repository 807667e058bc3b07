// A text and its variants (docs/flow-language.md#variants): which of them is said is told by the session, the node and the turn, so that
// a turn that is repeated says the same.
import { bookkeepingName, ownMember, type Scope } from '../read/paths.ts';
import { compileTemplate, type Template } from './interpolate.ts';

/** One of several texts; each is as likely. */
export function compileWordings(nodeId: string, texts: readonly [string, ...string[]]): Template {
  const [first, ...others] = texts.map(compileTemplate) as [Template, ...Template[]];
  if (others.length === 0) return first;
  const all = [first, ...others];
  return (scope) => all[placeOf(scope, nodeId, all.length)]!(scope);
}

function placeOf({ session, variables }: Scope, nodeId: string, count: number): number {
  const turn = ownMember(ownMember(variables, bookkeepingName), 'turn');
  return fnv1a(`${session ?? ''}\n${nodeId}\n${String(turn)}`) % count;
}

/** FNV-1a, 32 bits (RFC 9923) over UTF-16 units: spreads the texts, and keeps no secret. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
