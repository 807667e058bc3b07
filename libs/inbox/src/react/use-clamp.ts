// Cuts a long text to a few lines, until the user wants all of it.
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

export interface Clamp {
  readonly text: RefObject<HTMLSpanElement | null>;
  /** The text is longer than the lines that are shown, or was before it was opened. */
  readonly isLong: boolean;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/** The style sheet cuts elements with `data-clamped`. */
export function useClamp(of: string): Clamp {
  const text = useRef<HTMLSpanElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = text.current;
    if (isOpen || element === null) return;
    const measure = () => setLong(element.scrollHeight > element.clientHeight + 1); // rounded lines
    measure();
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of, isOpen]);
  return { text, isLong, isOpen, toggle: () => setOpen(!isOpen) };
}
