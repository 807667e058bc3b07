'use client';
// A bell with the number of unread items, and the panel that it opens.
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { createPortal } from 'react-dom';
import { useInbox } from '../headless.tsx';
import { Icon } from './icons.tsx';
import { InboxPanel, type InboxPanelProps } from './panel.tsx';
import { placePanel } from './place-panel.ts';
import { useSetting } from './provider.tsx';
import { useControlled } from './use-controlled.ts';

export interface InboxProps extends InboxPanelProps {
  /** Default: the button controls it. */
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  /** Parent element of the panel, outside of anything that clips it. Default: the body. */
  readonly container?: Element;
  /** Replaces the icon and its badge inside the button. */
  readonly renderBell?: (unreadCount: number) => ReactNode;
}

/** Larger numbers show as "99+". */
const BADGE_MAX = 99;

export function Inbox({ open: given, onOpenChange, container, renderBell, ...props }: InboxProps) {
  const { words, formats } = useSetting();
  const { unreadCount, unseenCount, seeAll } = useInbox();
  const [isOpen, setOpen] = useControlled(given, false, onOpenChange);
  const bell = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const maySee = useRef(true);
  useEffect(() => {
    if (!isOpen) maySee.current = true;
    else if (unseenCount > 0 && maySee.current)
      // After a refusal, do not try again while the panel is open. The user needs no message.
      seeAll().catch(() => {
        maySee.current = false;
      });
  }, [isOpen, unseenCount, seeAll]);
  return (
    <>
      <button
        ref={bell}
        type="button"
        className="parley-inbox parley-inbox-bell"
        aria-label={words.bell(unreadCount)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {renderBell?.(unreadCount) ?? (
          <>
            <Icon name="bell" />
            {unreadCount > 0 && (
              <span className="parley-inbox-badge">
                {formats.number(Math.min(unreadCount, BADGE_MAX))}
                {unreadCount > BADGE_MAX && '+'}
              </span>
            )}
          </>
        )}
      </button>
      {isOpen && typeof document !== 'undefined' && (
        <Popover
          id={panelId}
          bell={bell}
          props={props}
          container={container ?? document.body}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface PopoverProps {
  readonly id: string;
  readonly bell: RefObject<HTMLButtonElement | null>;
  readonly container: Element;
  readonly props: InboxPanelProps;
  readonly close: () => void;
}

const FOCUSABLE = 'a[href], button:not(:disabled), input, select, textarea, [tabindex="0"]';

function Popover({ id, bell, container, props, close }: PopoverProps) {
  const { words } = useSetting();
  const panel = useRef<HTMLDivElement>(null);
  const closing = useRef(close);
  useLayoutEffect(() => {
    closing.current = close;
  });

  useLayoutEffect(() => {
    const [from, shown] = [bell.current!, panel.current!];
    const place = () => placePanel(from, shown);
    const onPress = ({ target }: Event) => {
      if (target instanceof Node && !shown.contains(target) && !from.contains(target)) closing.current();
    };
    place();
    shown.focus();
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    document.addEventListener('pointerdown', onPress);
    return () => {
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
      document.removeEventListener('pointerdown', onPress);
      // Return the focus to the button.
      if (shown.contains(document.activeElement)) from.focus();
    };
  }, [bell]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      return close();
    }
    if (event.key !== 'Tab') return;
    // The panel is at the end of the page, so Tab must continue after the button.
    const reached = [...panel.current!.querySelectorAll<HTMLElement>(FOCUSABLE)];
    const isAtEnd = document.activeElement === (event.shiftKey ? reached[0] : reached.at(-1));
    const isBefore = event.shiftKey && document.activeElement === panel.current;
    if (!isAtEnd && !isBefore) return;
    if (event.shiftKey) event.preventDefault();
    bell.current!.focus();
    close();
  };

  return createPortal(
    // The dialog handles keys of its content.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={panel}
      id={id}
      role="dialog"
      aria-label={words.title}
      className="parley-inbox parley-inbox-popover"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <InboxPanel {...props} />
    </div>,
    container,
  );
}
