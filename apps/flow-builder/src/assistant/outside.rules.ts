// What a proposal sends outside, and which addresses it may name. An address in a proposal must be
// in the author's instruction or in the draft: neither the model nor a caller can bring one.
import type { AuthoredFlow, AuthoredNode } from '@parley/flow-engine';

export interface OutsideEffect {
  readonly node_id: string | null;
  readonly kind: 'webhook' | 'agent' | 'action' | 'flow' | 'handoff' | 'text';
  readonly to: string;
  readonly change: 'added' | 'changed';
}

type Members = Readonly<Record<string, unknown>>;

/** Members that decide what a node sends, and where it is sent. */
const kinds = [
  { kind: 'webhook', type: /^webhook$/i, members: ['url', 'payload', 'headers', 'events'] },
  {
    kind: 'agent',
    type: /^(?:autonomous|agent)$/i,
    members: ['tools', 'tool_dispatch', 'mcp', 'documents', 'context_vars'],
  },
  { kind: 'action', type: /^(?:tool|action)$/i, members: ['tool', 'args'] },
  { kind: 'flow', type: /^(?:branch|condition)$/i, members: ['call'] },
  { kind: 'handoff', type: /^handoff$/i, members: ['target'] },
] as const;

/** Effects of the proposal that the draft has not, in the order of its nodes. */
export function findOutsideEffects(draft: AuthoredFlow, proposed: AuthoredFlow): OutsideEffect[] {
  const before = new Map(draft.nodes.map((node) => [node.id, node]));
  const effects = proposed.nodes.flatMap((node) => {
    const known = before.get(node.id);
    const kind = kinds.find(({ type }) => type.test(node.type ?? ''));
    if (kind === undefined) return [];
    const wasSame = known !== undefined && kind.type.test(known.type ?? '');
    const isSame = wasSame && kind.members.every((name) => isEqual(node[name], known[name]));
    const to = listTargets(kind.kind, node);
    if (isSame || to.length === 0) return [];
    const change = wasSame ? ('changed' as const) : ('added' as const);
    return to.map((one): OutsideEffect => ({ node_id: node.id, kind: kind.kind, to: one, change }));
  });
  const shown = new Set(effects.map(({ to }) => to));
  const texts = findNewAddresses([draft], proposed).filter(
    ({ address }) => ![...shown].some((to) => to.includes(address)),
  );
  return [
    ...effects,
    ...texts.map(({ node_id, address }): OutsideEffect => ({
      node_id,
      kind: 'text',
      to: address,
      change: 'added',
    })),
  ];
}

function listTargets(kind: OutsideEffect['kind'], node: AuthoredNode): string[] {
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? [value] : []);
  if (kind === 'webhook') return text(node['url']);
  if (kind === 'action') return text(node.tool);
  if (kind === 'handoff') return text(node.target);
  if (kind === 'flow') return text((node['call'] as Members | null | undefined)?.['flow_id']);
  const called = [...listStrings(node.tool_dispatch), ...listStrings(node.mcp)].filter((one) =>
    /^\w+:\/\//.test(one),
  );
  if (called.length > 0) return [...new Set(called)];
  return [node.tools, node.documents, node.context_vars].some((list) => (list ?? []).length > 0)
    ? ['the model of the agent']
    : [];
}

export interface NewAddress {
  readonly node_id: string | null;
  /** As it is compared: lower case, a number without blanks. */
  readonly address: string;
}

/** Addresses of the proposal that none of `known` has: texts, or values with texts. */
export function findNewAddresses(known: readonly unknown[], proposed: AuthoredFlow): NewAddress[] {
  const allowed = new Set(known.flatMap(listStrings).flatMap(readAddresses));
  const { nodes, ...rest } = proposed;
  const places = [...nodes.map((node) => [node.id, node] as const), [null, rest] as const];
  return places.flatMap(([node_id, place]) =>
    [...new Set(listStrings(place).flatMap(readAddresses))]
      .filter((address) => !allowed.has(address))
      .map((address) => ({ node_id, address })),
  );
}

const PLACEHOLDER = /\{\{[^{}]*\}\}/g;
const DATE = /\b(?:\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})\b/g;
/** Digits of the shortest telephone number that counts as one. */
const NUMBER_DIGITS_MIN = 6;

/** Web addresses as host, other URLs with their scheme, numbers as digits, the rest whole. */
export function readAddresses(text: string): string[] {
  const found: string[] = [];
  const take = (pattern: RegExp, rest: string, read: (match: string) => string | null): string =>
    rest.replaceAll(pattern, (match) => {
      const address = read(match);
      if (address !== null) found.push(address.toLowerCase());
      return ' ';
    });
  // The host may have placeholders or credentials: such an address is only equal to itself.
  let rest = take(/\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#"'<>]*/gi, text, (url) => url.replace(/^https?:\/\//i, ''));
  rest = rest.replaceAll(PLACEHOLDER, ' ');
  rest = take(/\b(?:tel|sips?|mailto):[^\s"'<>]+/gi, rest, (uri) => uri);
  rest = take(/[^\s@<>"']+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/giu, rest, (mail) => mail);
  // Without a blank it is the path of a variable.
  if (/\s|^www\./i.test(text.trim()))
    rest = take(/(?<![\p{L}\d.-])(?:[a-z\d-]+\.)+[a-z]{2,24}(?![\p{L}\d-])/giu, rest, (host) => host);
  rest = rest.replaceAll(DATE, ' ');
  take(/\+?\d(?:[\s()/.-]{0,3}\d)+/g, rest, (number) => {
    const digits = number.replaceAll(/\D/g, '');
    return digits.length < NUMBER_DIGITS_MIN ? null : digits;
  });
  return found;
}

/** Names of members count too: they may be texts that are sent. */
export function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Members).flatMap(([name, member]) =>
    Array.isArray(value) ? listStrings(member) : [name, ...listStrings(member)],
  );
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
