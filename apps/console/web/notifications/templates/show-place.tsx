// Links an error to the field that caused it.
import { Link } from '@tanstack/react-router';
import { rowLink } from '../../ui/link.ts';
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
      {[channel === undefined ? 'all channels' : channelLabel(channel), language].filter(Boolean).join(', ')}
    </Link>
  );
}
