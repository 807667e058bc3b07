// Buttons. Links that look like buttons use `buttonClass`.
import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

const KINDS = {
  primary: 'bg-accent text-accent-ink border-transparent hover:opacity-90',
  plain: 'bg-surface text-ink border-line-strong/60 hover:bg-surface-2',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-surface-3 hover:text-ink',
  danger: 'bg-surface text-bad border-bad/50 hover:bg-bad-soft',
} as const;

export type ButtonKind = keyof typeof KINDS;

export function buttonClass(kind: ButtonKind = 'plain', more = ''): string {
  return `inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${KINDS[kind]} ${more}`;
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  /** Shows a spinner and ignores presses. The button stays enabled, or it would lose focus. */
  readonly busy?: boolean;
}

export function Button({ kind, icon, busy = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={buttonClass(kind, className)}
      aria-busy={busy}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with only an icon. `label` is its accessible name and tooltip. */
export function IconButton({
  label,
  icon,
  className = '',
  ...rest
}: { label: string; icon: IconName } & Omit<ComponentProps<'button'>, 'children'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={buttonClass('quiet', `w-8 px-0 ${className}`)}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}

export function Spinner(): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
