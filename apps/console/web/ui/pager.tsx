// Pages of a list that only goes on: the address holds the cursor, so a page can be sent to somebody, and Back leads back.
import { Link } from '@tanstack/react-router';
import { buttonClass } from './button.tsx';

interface PagerProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
  /** Of the parameter, where a page has more than this list. */
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

/** The page that this stands on has a cursor among its parameters; which page that is, is not known here. */
const withCursor = (name: string, cursor: string | undefined) =>
  ((was: object) => ({ ...was, [name]: cursor })) as never;
