// The preferences of a recipient by category and channel, as on their own page.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { May, usePermissions } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loading, Problem, Section } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { Table } from '../../ui/table.tsx';
import { channelLabel, CHANNELS } from '../channels.ts';
import {
  linkToPreferences,
  preferencesQuery,
  putPreferences,
  type Preferences,
  type PutPreferences,
} from './api.ts';

type Reached = keyof Preferences['channels'];
type Choices = Pick<
  Preferences['categories'][number],
  'id' | 'name' | 'description' | 'required' | 'channels'
>;

/** The first row: the channels of all categories. No category has an empty id. */
const ALL: Choices = { id: '', name: 'All categories', description: null, required: false, channels: {} };

export function PreferencesOf({ userId }: { userId: string }) {
  const { data, error, isPending, refetch } = useQuery(preferencesQuery(userId));
  return (
    <Section
      title="Preferences"
      actions={
        <May service="notifications" scope="write">
          <LinkTo userId={userId} />
        </May>
      }
    >
      {isPending && <Loading subject="preferences" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <Choosing preferences={data} />}
      {data?.categories.length === 0 && (
        <p className="text-ink-2">
          The organisation has no{' '}
          <Link to="/notifications/categories" className={rowLink}>
            categories
          </Link>{' '}
          yet. Recipients can switch off single categories once there are some.
        </p>
      )}
    </Section>
  );
}

function Choosing({ preferences }: { preferences: Preferences }) {
  const { user_id: user, all, channels: onChannels, categories } = preferences;
  const queryClient = useQueryClient();
  const { can } = usePermissions('notifications');
  const put = useAction((change: PutPreferences) => putPreferences(user, change), {
    says: 'Preferences saved',
    isShown: true,
    then: (now) => queryClient.setQueryData(preferencesQuery(user).queryKey, now),
  });
  // Without web push there is no such column.
  const reached = CHANNELS.filter((channel): channel is Reached => channel in onChannels);
  const box = (label: string, checked: boolean, change: PutPreferences, lockedBy?: string) => (
    <input
      type="checkbox"
      aria-label={label}
      title={lockedBy}
      className="mt-0.5 size-4 accent-accent"
      checked={checked}
      disabled={lockedBy !== undefined || put.isPending || !can('write')}
      onChange={() => put.mutate(change)}
    />
  );
  return (
    <>
      {put.error && <Problem error={put.error} />}
      <label className="flex items-start gap-2">
        {box('All notifications', all, { all: !all })}
        <span>
          <span className="font-medium">All notifications</span>
          <span className="block text-xs text-ink-2">
            Off: nothing is sent except required categories. The choices below stay as they are.
          </span>
        </span>
      </label>
      <Table
        label="Preferences"
        items={[ALL, ...categories]}
        rowId={({ id }) => id}
        columns={{
          category: {
            head: 'Category',
            className: 'min-w-36',
            cell: ({ name, description, required }) => (
              <>
                <span className="font-medium">{name}</span> {required && <Badge>always</Badge>}
                <span className="block text-xs text-ink-2">{description}</span>
              </>
            ),
          },
          ...Object.fromEntries(
            reached.map((channel) => [
              channel,
              {
                head: channelLabel(channel),
                cell: ({ id, name, required, channels }: Choices) => {
                  const isOn = id === '' ? (onChannels[channel] ?? true) : (channels[channel] ?? false);
                  const choice = { [channel]: !isOn };
                  return box(
                    `${name}: ${channelLabel(channel)}`,
                    isOn,
                    id === '' ? { channels: choice } : { categories: { [id]: choice } },
                    required ? 'This category is required.' : undefined,
                  );
                },
              },
            ]),
          ),
        }}
        plain
      />
    </>
  );
}

function LinkTo({ userId }: { userId: string }) {
  const make = useAction(() => linkToPreferences(userId), { says: 'Link created', isShown: true });
  return (
    <>
      <Button busy={make.isPending} onClick={() => make.mutate()}>
        Create link
      </Button>
      {(make.data ?? make.error) && (
        <Dialog title="Link to the preferences" open onClose={() => make.reset()}>
          <div className="flex flex-col gap-3">
            {make.error && <Problem error={make.error} />}
            {make.data && (
              <>
                <p className="text-ink-2">
                  Anyone with this link can read and change the preferences of {userId} without signing in. It
                  works until you delete the recipient.
                </p>
                <CodeBlock text={make.data.page_url ?? make.data.link} label="the link" />
                {make.data.page_url === null && (
                  <p className="text-xs text-ink-2">
                    Append it to your own page as ?link=, because the service has no PUBLIC_URL.
                  </p>
                )}
              </>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
