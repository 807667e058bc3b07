// Creates a portal link of an application, and shows it to open or to copy.
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Time } from '../ui/time.tsx';
import { createPortalLink, type Application, type PortalLink } from './applications-api.ts';

const LIFETIMES = [
  [3_600, '1 hour'],
  [8 * 3_600, '8 hours'],
  [24 * 3_600, '24 hours'],
] as const;

interface PortalLinkDialogProps {
  readonly application: Application;
  readonly onClose: () => void;
}

export function PortalLinkDialog({ application, onClose }: PortalLinkDialogProps) {
  const [seconds, setSeconds] = useState<number>(LIFETIMES[0][0]);
  const [isReadOnly, setReadOnly] = useState(false);
  const create = useAction(
    () =>
      createPortalLink(application.id, {
        expires_in_seconds: seconds,
        read_only: isReadOnly,
        appearance: {},
      }),
    { says: 'Portal link created', isShown: true },
  );
  const title = `Portal of ${application.name}`;
  if (create.data) return <ShowLink title={title} link={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      verb="Create link"
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <p>Everybody with the link manages the webhooks of this application until the link expires.</p>
      <Select
        label="Expires after"
        value={seconds}
        onChange={(event) => setSeconds(Number(event.target.value))}
      >
        {LIFETIMES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <Checkbox
        label="Read only"
        hint="The portal shows everything and changes nothing"
        checked={isReadOnly}
        onChange={(event) => setReadOnly(event.target.checked)}
      />
    </FormDialog>
  );
}

function ShowLink({ title, link, onClose }: { title: string; link: PortalLink; onClose: () => void }) {
  const noun = link.url === null ? 'the token' : 'the link';
  const shown = link.url ?? link.token;
  return (
    <Dialog title={title} open onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p>
          Copy {noun} now: it is not shown again. It expires <Time at={link.expires_at} />.
        </p>
        {link.url === null && (
          <p className="text-ink-2">
            There is no page to open, because the voice API does not know its public address. Ask the operator
            to set PUBLIC_URL, or use the token in a page with @parley/portal.
          </p>
        )}
        <div className="flex items-center gap-1 rounded-md border border-line bg-surface-2 p-2">
          <code className="max-h-24 min-w-0 flex-1 overflow-y-auto py-1 font-mono text-xs break-all">
            {shown}
          </code>
          <CopyButton text={shown} label={noun} />
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Done</Button>
          {link.url !== null && (
            <a href={link.url} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
              Open portal
            </a>
          )}
        </div>
      </div>
    </Dialog>
  );
}
