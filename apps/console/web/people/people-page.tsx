// Everything about one person, found by phone number, e-mail address or user id.
import { getRouteApi } from '@tanstack/react-router';
import { Filters, TextFilter } from '../ui/filters.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { usePerson } from './api.ts';
import { Callers } from './callers.tsx';
import { ErasePerson } from './erase-person.tsx';
import { KIND_LABELS, toHandle, type Handle } from './person.rules.ts';
import { Reach } from './reach.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/shell/people');

export function PeoplePage() {
  const { who } = route.useSearch();
  const handle = who === undefined ? null : toHandle(who);
  return (
    <Page title="People" actions={handle && <ErasePerson handle={handle} />}>
      <Filters label="Find a person">
        <TextFilter name="who" label="Phone number, e-mail address or user id" value={who} wide />
      </Filters>
      {handle === null ? (
        <>
          <Empty icon="people" title="Find a person">
            Enter a phone number, an e-mail address or a user id to see the calls, chats, notifications,
            devices and preferences of one person.
          </Empty>
          <Callers />
        </>
      ) : (
        <Found key={who} who={who ?? ''} handle={handle} />
      )}
    </Page>
  );
}

function Found({ who, handle }: { readonly who: string; readonly handle: Handle }) {
  const person = usePerson(handle);
  return (
    <>
      <p className="flex items-center gap-1">
        <span className="text-base font-semibold wrap-anywhere">{who}</span>
        <CopyButton text={who} label={`the ${KIND_LABELS[handle.kind]}`} />
        <span className="text-ink-2">{KIND_LABELS[handle.kind]}</span>
      </p>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Timeline person={person} />
        <Reach handle={handle} person={person} />
      </div>
    </>
  );
}
