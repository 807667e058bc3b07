// Light or dark theme: the system's until the person chooses. public/theme.js applies it before the
// first paint.
import { useSyncExternalStore } from 'react';

const root = document.documentElement;
const listeners = new Set<() => void>();

export type Theme = 'light' | 'dark';
const current = (): Theme => (root.dataset['theme'] === 'dark' ? 'dark' : 'light');

export function chooseTheme(theme: Theme): void {
  root.dataset['theme'] = theme;
  localStorage.setItem('theme', theme);
  for (const listener of listeners) listener();
}

/** For drawing on a canvas; everything else takes its colours from CSS. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}
