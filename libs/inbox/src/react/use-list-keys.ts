// Keyboard navigation: arrows, Home and End move between titles. A removed item passes the focus to
// the next one.
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Item } from '../changes.ts';
import type { View } from '../views.ts';

const itemsIn = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>('[data-item]')];
const titleIn = (item: HTMLElement | undefined) =>
  item?.querySelector<HTMLElement>('.parley-inbox-item-title') ??
  item?.querySelector<HTMLElement>('a[href], button');

/** Returns a ref for the element around the list, which gets the focus when no item is left. */
export function useListKeys(items: readonly Item[], view: View): RefObject<HTMLDivElement | null> {
  const around = useRef<HTMLDivElement>(null);
  const focused = useRef<{ element: Element; index: number } | null>(null);

  useEffect(() => {
    const list = around.current!;
    const onKey = (event: KeyboardEvent) => {
      const found = itemsIn(list);
      const index = found.findIndex((item) => item.contains(document.activeElement));
      const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: found.length - 1 }[event.key];
      if (index === -1 || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      if ((event.target as Element).matches('input, textarea, select')) return; // inputs in `renderBody` keep their keys
      event.preventDefault();
      titleIn(found[next])?.focus();
    };
    list.addEventListener('keydown', onKey);
    return () => list.removeEventListener('keydown', onKey);
  }, []);

  // Runs before React renders the change, so the focused element still exists.
  useEffect(
    () =>
      view.subscribe(() => {
        const { activeElement: element } = document;
        if (!element || !around.current?.contains(element)) return;
        const index = itemsIn(around.current).findIndex((item) => item.contains(element));
        focused.current = { element, index };
      }),
    [view],
  );

  useLayoutEffect(() => {
    const was = focused.current;
    focused.current = null;
    if (was === null || was.element.isConnected) return;
    const left = itemsIn(around.current!);
    (titleIn(left[was.index]) ?? titleIn(left.at(-1)) ?? around.current)?.focus();
  }, [items]);

  return around;
}
