// Where focus goes when the element that had it is gone: back to what began an action, or to the
// title of the page.
import { useEffect } from 'react';

const FIELDS =
  ':is(input, select, textarea):not(:disabled, [hidden], [type=hidden], [type=checkbox], [type=radio])';

/** The first field of a dialog; `true` where it has none, for the default of the library. */
export const firstField = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>(FIELDS) ?? true;

const isUsable = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement &&
  element !== document.body &&
  element.isConnected &&
  !element.matches(':disabled');

/** Focuses the title of the page, unless an element has focus. */
export function focusPage(): void {
  if (isUsable(document.activeElement)) return;
  const title = document.querySelector<HTMLElement>('#main h1') ?? document.getElementById('main');
  if (title === null) return;
  title.tabIndex = -1;
  title.focus();
}

/** What opened the dialog. A dialog that follows another one belongs to the same beginning. */
let began: Element | null = null;

/** Returns focus when a dialog closes. What it created may have focus already. */
export function useFocusBack(open: boolean): void {
  useEffect(() => {
    if (!open) return;
    return () => {
      setTimeout(() => {
        if (!isUsable(document.activeElement) && isUsable(began)) began.focus();
        focusPage();
      });
    };
  }, [open]);
}

/** Call before the dialog takes focus. */
export function noteBeginning(): void {
  const { activeElement } = document;
  if (isUsable(activeElement) && activeElement.closest('[role=dialog], [role=alertdialog]') === null)
    began = activeElement;
}
