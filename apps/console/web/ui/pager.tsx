// Pages of a list that only goes on: the address holds the cursor, so a page can be sent to somebody, and Back leads back.
import { Link } from '@tanstack/react-router';
import { buttonClass } from './button.tsx';

export function Pager({ cursor, next }: { cursor: string | undefined; next: string | null }) {
  if (cursor === undefined && next === null) return null;
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2">
      {cursor !== undefined && (
        <Link to="." search={withCursor(undefined)} className={buttonClass()}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="." search={withCursor(next)} className={buttonClass()}>
          Older
        </Link>
      )}
    </nav>
  );
}

/** The page that this stands on has a cursor among its parameters; which page that is, is not known here. */
const withCursor = (cursor: string | undefined) => ((was: object) => ({ ...was, cursor })) as never;
