// Says what an action did: as a toast for five seconds, or only to screen readers where the page
// shows it. Errors are shown in place instead (`Problem` in page.tsx).
import { create } from 'zustand';

const SHOWN_MS = 5_000;

const useNotice = create<{ readonly text: string | null; readonly isToast: boolean }>(() => ({
  text: null,
  isToast: false,
}));
let timer: ReturnType<typeof setTimeout> | undefined;

function show(text: string, isToast: boolean): void {
  clearTimeout(timer);
  useNotice.setState({ text, isToast });
  timer = setTimeout(() => useNotice.setState({ text: null }), SHOWN_MS);
}

export const showToast = (text: string): void => show(text, true);
export const announce = (text: string): void => show(text, false);

const TOAST = 'rounded-md bg-ink px-3 py-2 text-sm text-surface shadow-lg';

/** Rendered once, by the root. A modal dialog hides all but regions with `aria-live`. */
export function Notices() {
  const { text, isToast } = useNotice();
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4"
    >
      {text !== null && <p className={isToast ? TOAST : 'sr-only'}>{text}</p>}
    </div>
  );
}
