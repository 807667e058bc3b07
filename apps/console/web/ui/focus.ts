// Keeps focus when the element that had it is gone or disabled: it goes to what replaced the
// element, to the next row of its list, to what began the action, or to a title. Never to the body,
// where the keyboard would start at the top of the page.

const FIELDS =
  ':is(input, select, textarea):not(:disabled, [hidden], [type=hidden], [type=checkbox], [type=radio])';
const STOPS = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled, [hidden])';
const ROWS = 'tbody > tr, li';

/** The first field of a dialog; `true` where it has none, for the default of the library. */
export const firstField = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>(FIELDS) ?? true;

/** Where an element is, for when it is gone. */
interface Place {
  readonly element: HTMLElement;
  /** The elements around it, from the inside. */
  readonly around: readonly HTMLElement[];
  readonly row: number;
  /** What opened the dialog that it is in. A dialog that follows another one has the same. */
  readonly opener: Place | null;
}

let place: Place | null = null;

const dialogOf = (element: Element) => element.closest('[role=dialog], [role=alertdialog]');

function toPlace(element: HTMLElement, before: Place | null): Place {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
    around.push(at);
  const row = element.closest(ROWS);
  const isInDialog = dialogOf(element) !== null;
  const wasInDialog = before?.around.some((one) => one.matches('[role=dialog], [role=alertdialog]'));
  return {
    element,
    around,
    row: row === null ? -1 : [...row.parentElement!.children].indexOf(row),
    opener: !isInDialog ? null : wasInDialog ? before!.opener : before,
  };
}

const isLost = (): boolean => {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches(':disabled');
};

const isUsable = (element: HTMLElement): boolean => element.isConnected && !element.matches(':disabled');

/** @param added elements that came with the change */
function findNext({ element, around, row, opener }: Place, added: readonly Element[]): HTMLElement | null {
  if (isUsable(element)) return element;
  for (const at of around.filter(({ isConnected }) => isConnected)) {
    const found = element.isConnected ? at.querySelector(STOPS) : findIn(at, row, added);
    if (found instanceof HTMLElement) return found;
  }
  return opener === null ? null : findNext(opener, added);
}

function findIn(at: HTMLElement, row: number, added: readonly Element[]): Element | null | undefined {
  const rows = row === -1 ? [] : [...at.children].filter((one) => one.matches(ROWS));
  if (rows.length > 0) return rows[Math.min(row, rows.length - 1)];
  const came = added.find((one) => one.parentElement === at);
  const stop = came?.matches(STOPS) ? came : came?.querySelector(STOPS);
  if (stop) return stop;
  return at.matches(ROWS) ? at : at.querySelector('[role=region][tabindex="0"], h1, h2');
}

function focusOn(element: HTMLElement): void {
  if (!element.matches(STOPS) && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.focus();
}

const titleOfPage = () => document.querySelector<HTMLElement>('#main h1');

/** Focuses the title of the page, unless an element has focus. */
export function focusPage(): void {
  const title = titleOfPage() ?? document.getElementById('main');
  if (title !== null && isLost()) focusOn(title);
}

/** Without a title the page still loads: the next change tries again. */
function restore(added: readonly Element[]): void {
  if (place === null || !isLost() || isUsable(place.element)) return;
  const next = findNext(place, added) ?? titleOfPage();
  if (next !== null) focusOn(next);
}

/** Started once, by the root. Returns what stops it. */
export function keepFocus(): () => void {
  const arrive = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && target !== document.body) place = toPlace(target, place);
  };
  // A press on an empty part of the page is a choice.
  const leave = () =>
    setTimeout(() => {
      if (place?.opener === null && isLost() && isUsable(place.element)) place = null;
    });
  let added: Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new MutationObserver((changes) => {
    if (!isLost() || place === null) return;
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element) added.push(node);
    // After effects and dialogs, which may focus what they know better.
    timer ??= setTimeout(() => {
      timer = undefined;
      const came = added;
      added = [];
      restore(came.filter(({ isConnected }) => isConnected));
    });
  });
  document.addEventListener('focusin', arrive);
  document.addEventListener('pointerdown', leave);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  return () => {
    document.removeEventListener('focusin', arrive);
    document.removeEventListener('pointerdown', leave);
    observer.disconnect();
    clearTimeout(timer);
    place = null;
  };
}
