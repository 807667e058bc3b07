// Links to the pages of a list. The cursor is a URL parameter, so pages can be shared.
import { Link } from '@tanstack/react-router';
import { buttonClass } from './button.tsx';

interface PagerProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
  /** The URL parameter, for pages with several lists. */
  readonly name?: string;
}

export function Pager({ cursor, next, name = 'cursor' }: PagerProps) {
  if (cursor === undefined && next === null) return null;
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2">
      {cursor !== undefined && (
        <Link to="." search={withCursor(name, undefined)} className={buttonClass()}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="." search={withCursor(name, next)} className={buttonClass()}>
          Older
        </Link>
      )}
    </nav>
  );
}

/** Works on any page, so the type of its search parameters is unknown here. */
const withCursor = (name: string, cursor: string | undefined) =>
  ((was: object) => ({ ...was, [name]: cursor })) as never;
