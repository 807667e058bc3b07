// Toasts confirm an action for five seconds. Errors are shown in place instead (`Problem` in
// page.tsx).
import { create } from 'zustand';

const SHOWN_MS = 5_000;

const useToast = create<{ readonly text: string | null }>(() => ({ text: null }));
let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(text: string): void {
  clearTimeout(timer);
  useToast.setState({ text });
  timer = setTimeout(() => useToast.setState({ text: null }), SHOWN_MS);
}

/** Rendered once, by the root. */
export function Toasts() {
  const text = useToast((state) => state.text);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4">
      {text !== null && <p className="rounded-md bg-ink px-3 py-2 text-sm text-surface shadow-lg">{text}</p>}
    </div>
  );
}
