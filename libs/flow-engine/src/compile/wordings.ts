// A text and its variants (docs/flow-language.md#variants). Session, node and turn choose one, so a
// repeated turn says the same.
import { bookkeepingName, ownMember, type Scope } from '../read/paths.ts';
import { chooseSpoken, type SpokenText } from './spoken.ts';

/** Each text is equally likely. */
export function compileWordings(nodeId: string, texts: readonly [SpokenText, ...SpokenText[]]): SpokenText {
  if (texts.length === 1) return texts[0];
  return chooseSpoken(texts, (scope) => chooseText(scope, nodeId, texts.length));
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
