// A text and its variants (docs/flow-language.md#variants). Session, node and turn choose one, so a
// repeated turn says the same.
import { bookkeepingName, ownMember, type Scope } from '../read/paths.ts';
import { compileTemplate, type Template } from './interpolate.ts';

/** Each text is equally likely. */
export function compileWordings(nodeId: string, texts: readonly [string, ...string[]]): Template {
  const [first, ...others] = texts.map(compileTemplate) as [Template, ...Template[]];
  if (others.length === 0) return first;
  const all = [first, ...others];
  return (scope) => all[chooseText(scope, nodeId, all.length)]!(scope);
}

function chooseText({ session, variables }: Scope, nodeId: string, count: number): number {
  const turn = ownMember(ownMember(variables, bookkeepingName), 'turn');
  return fnv1a(`${session ?? ''}\n${nodeId}\n${String(turn)}`) % count;
}

/** FNV-1a, 32 bits (RFC 9923) over UTF-16 units: spreads the texts; not a secure hash. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
