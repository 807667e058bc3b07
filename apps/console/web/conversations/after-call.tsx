// Results of a conversation: success, tags, cost and recording.
import { isHttpsAddress } from '@parley/envelopes';
import { Link } from '@tanstack/react-router';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { rowLink } from '../ui/link.ts';
import { recordingLink, type Conversation } from './api.ts';

/** For a row of the list. */
export function Outcome({ of: one }: { of: Conversation }) {
  const tags = one.tags ?? [];
  if (one.success === undefined && one.sentiment === undefined && tags.length === 0) return null;
  return (
    <span className="mt-0.5 flex flex-wrap gap-1">
      <Success of={one} />
      {one.sentiment && <Badge title="Sentiment">{one.sentiment}</Badge>}
      {tags.map((tag) => (
        <Badge key={tag} tone="accent">
          {tag}
        </Badge>
      ))}
    </span>
  );
}

export function Success({ of: { success } }: { of: Conversation }) {
  if (success === undefined) return null;
  return success ? <Badge tone="good">success</Badge> : <Badge tone="bad">failure</Badge>;
}

/** Each tag links to the conversations that have it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Link
          key={tag}
          to="/conversations"
          search={{ tags: tag }}
          className="inline-flex min-h-6 items-center"
        >
          <Badge tone="accent">{tag}</Badge>
        </Link>
      ))}
    </span>
  );
}

type Cost = NonNullable<Conversation['cost']>;

/** A call often costs a fraction of a cent. */
const money = (currency: string, amount: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);

export function CostTotal({ cost: { currency, total } }: { cost: Cost }) {
  return <span className="tabular-nums">{money(currency, total)}</span>;
}

export function CostParts({ cost: { currency, parts } }: { cost: Cost }) {
  if (parts === undefined || parts.length === 0) return null;
  return (
    <ul className="text-xs text-ink-2 tabular-nums">
      {parts.map(({ name, amount }, index) => (
        <li key={index}>
          {name} {money(currency, amount)}
        </li>
      ))}
    </ul>
  );
}

/** The copy in the organisation's bucket where there is one, else the address of the recording. */
export function RecordingOf({ of: { id, recording_url: url, recording_copy: copy } }: { of: Conversation }) {
  return (
    <span className="flex flex-col items-start gap-1">
      {copy?.status === 'copied' ? <OpenCopy id={id} /> : url !== undefined && <Recording url={url} />}
      {copy?.status === 'waiting' && <span className="text-xs text-ink-2">The copy is being made</span>}
      {copy?.error && <span className="text-xs text-bad">No copy: {copy.error}</span>}
    </span>
  );
}

function OpenCopy({ id }: { readonly id: string }) {
  const open = useAction(() => recordingLink(id), {
    says: 'The recording opens in a new tab',
    then: ({ url }) => window.open(url, '_blank', 'noopener,noreferrer'),
  });
  return (
    <>
      <Button kind="quiet" busy={open.isPending} onClick={() => open.mutate()}>
        <Icon name="external" size={12} />
        Play the copy
      </Button>
      {open.error && <span className="text-bad">{open.error.message}</span>}
    </>
  );
}

/** Opens in a new tab: the content security policy forbids requests to other origins. */
function Recording({ url }: { url: string }) {
  // Old rows may have another scheme.
  if (!isHttpsAddress(url)) return <span>{url}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer" className={`inline-flex items-center gap-1 ${rowLink}`}>
      {new URL(url).host}
      <Icon name="external" size={12} />
      <span className="sr-only">, in a new tab</span>
    </a>
  );
}
