// From a refusal to the field that it is about.
import { Link } from '@tanstack/react-router';
import { rowLink } from '../../ui/table.tsx';
import { channelLabel } from '../channels.ts';
import type { Part } from './words.rules.ts';

export function ShowPlace({
  place: { language, channel },
}: {
  place: { language?: string; channel?: Part };
}) {
  return (
    <Link
      to="."
      search={
        ((was: object) => ({ ...was, ...(language === undefined ? {} : { language }), channel })) as never
      }
      className={rowLink}
    >
      Show{' '}
      {[channel === undefined ? 'what all channels say' : channelLabel(channel), language]
        .filter(Boolean)
        .join(', ')}
    </Link>
  );
}
