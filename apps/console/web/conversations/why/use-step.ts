// Steps from turn to turn with buttons and arrow keys.
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';

const route = getRouteApi('/shell/conversations/$conversationId/why');

export interface Step {
  readonly at: number;
  readonly before: RecordedTurn | undefined;
  readonly after: RecordedTurn | undefined;
  go(to: RecordedTurn | undefined): void;
}

export function useStep(turns: readonly RecordedTurn[], current: RecordedTurn): Step {
  const navigate = route.useNavigate();
  const at = turns.indexOf(current);
  const [before, after] = [turns[at - 1], turns[at + 1]];
  /** Replaces the history entry, so that Back leaves the page. */
  const go = (to: RecordedTurn | undefined) => {
    if (to === undefined) return;
    void navigate({ search: (was) => ({ ...was, turn: to.turn, node: undefined }), replace: true });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || isWriting(event.target)) return;
      if (event.key === 'ArrowLeft') go(before);
      if (event.key === 'ArrowRight') go(after);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  return { at, before, after, go };
}

/** Elements in which arrow keys already have a meaning. */
const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null;
