// The list by keyboard: arrows, Home and End go from title to title, and what goes while it has the focus hands it to the next item.
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Item } from '../changes.ts';
import type { View } from './views.ts';

const itemsIn = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>('[data-item]')];
const titleIn = (item: HTMLElement | undefined) =>
  item?.querySelector<HTMLElement>('.parley-inbox-item-title');

/** @returns what the element around the list takes as its `ref`; it is focused where no item is left */
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
      if ((event.target as Element).matches('input, textarea, select')) return; // of `renderBody`: its own keys
      event.preventDefault();
      titleIn(found[next])?.focus();
    };
    list.addEventListener('keydown', onKey);
    return () => list.removeEventListener('keydown', onKey);
  }, []);

  // Told before React draws what has changed: what had the focus is still there.
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
