// What a typed text says about a person. Pure.
import type { Moment } from '../ui/time.tsx';
import { toDate } from '../ui/time.tsx';

export type Handle =
  | { readonly kind: 'phone'; readonly phone: string }
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'id'; readonly id: string };

const PHONE = /^\+?[\d\s()./-]{6,24}$/;

/** A phone number loses its blanks and marks, as conversations store it. */
export function toHandle(text: string): Handle {
  const typed = text.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(typed)) return { kind: 'email', email: typed };
  if (PHONE.test(typed)) return { kind: 'phone', phone: typed.replaceAll(/[\s()./-]/g, '') };
  return { kind: 'id', id: typed };
}

export const KIND_LABELS: Readonly<Record<Handle['kind'], string>> = {
  phone: 'phone number',
  email: 'e-mail address',
  id: 'user id',
};

/** Lists of one object each, as one list, newest first, every object once. */
export function toTimeline<Entry extends { readonly key: string; readonly at: Moment }>(
  ...lists: readonly (readonly Entry[])[]
): Entry[] {
  const byKey = new Map(lists.flat().map((entry) => [entry.key, entry] as const));
  return [...byKey.values()].sort((a, b) => toDate(b.at).getTime() - toDate(a.at).getTime());
}
