// Optional fields of an e-mail: copies, reply-to, HTML and attachments.
import { useQuery } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/page.tsx';
import { sendersQuery } from '../api.ts';
import { ATTACHED_MAX, isBrought, tooMuch, type Attached, type MailDraft } from './mail.rules.ts';
import type { DraftFieldsProps } from './whom-fields.tsx';

export function MailFields({ draft, onChange }: DraftFieldsProps) {
  const { mail, whom, says } = draft;
  const change = (part: Partial<MailDraft>) => onChange({ mail: { ...mail, ...part } });
  const toTopic = whom === 'topic';
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="font-medium">Sender, copies and attachments of the e-mail</summary>
      <div className="flex flex-col gap-4 pt-3">
        {!toTopic && (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Cc"
              hint="Comma-separated addresses, at most 20"
              value={mail.cc}
              onChange={(event) => change({ cc: event.target.value })}
            />
            <TextField
              label="Bcc"
              hint="Hidden from the other recipients"
              value={mail.bcc}
              onChange={(event) => change({ bcc: event.target.value })}
            />
          </div>
        )}
        <FromField value={mail.from} onChange={(from) => change({ from })} />
        <TextField
          label="Reply to"
          hint="Empty: the organisation’s default"
          type="email"
          value={mail.replyTo}
          onChange={(event) => change({ replyTo: event.target.value })}
        />
        {says === 'words' && (
          <TextArea
            label="HTML"
            hint="The message is attached as plain text"
            rows={4}
            maxLength={262_144}
            spellCheck={false}
            className="font-mono text-xs"
            value={mail.html}
            onChange={(event) => change({ html: event.target.value })}
          />
        )}
        <Attachments
          attached={toTopic ? mail.attached.filter((one) => !isBrought(one)) : mail.attached}
          byAddressOnly={toTopic}
          onChange={(attached) => change({ attached })}
        />
      </div>
    </details>
  );
}

/** Suggests the senders of the organisation; an address of an allowed domain is typed. */
function FromField({ value, onChange }: { value: string; onChange: (from: string) => void }) {
  const id = useId();
  const senders = useQuery(sendersQuery).data?.items ?? [];
  const domains = senders.filter(({ kind }) => kind === 'domain').map(({ sender }) => sender);
  return (
    <>
      <TextField
        label="From"
        hint={
          domains.length > 0
            ? `Empty: the default. Also any address that ends with ${domains.join(' or ')}`
            : 'Empty: the default. Otherwise one of the senders that the operator lists'
        }
        maxLength={400}
        list={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {senders
          .filter(({ kind }) => kind === 'address')
          .map(({ sender }) => (
            <option key={sender} value={sender} />
          ))}
      </datalist>
    </>
  );
}

interface AttachmentsProps {
  readonly attached: readonly Attached[];
  readonly byAddressOnly: boolean;
  readonly onChange: (attached: readonly Attached[]) => void;
}

function Attachments({ attached, byAddressOnly, onChange }: AttachmentsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const bring = useAction(
    async (files: readonly File[]) => {
      const problem = tooMuch(attached, files);
      if (problem !== undefined) throw new Error(problem);
      return Promise.all(files.map(broughtOf));
    },
    {
      says: (brought) => `Attached ${brought.map(({ filename }) => filename).join(', ')}`,
      isShown: true,
      then: (brought) => onChange([...attached, ...brought]),
    },
  );
  const isFull = attached.length >= ATTACHED_MAX;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Attachments</legend>
      {attached.map((one, index) => {
        const put = (next: readonly Attached[]) => onChange(attached.toSpliced(index, 1, ...next));
        const remove = (
          <Button kind="quiet" aria-label={`Remove attachment ${index + 1}`} onClick={() => put([])}>
            Remove
          </Button>
        );
        return 'url' in one ? (
          <div key={index} className="grid grid-cols-[2fr_3fr_auto] items-end gap-2">
            <TextField
              label={`File name ${index + 1}`}
              required
              maxLength={200}
              placeholder="terms.pdf"
              value={one.filename}
              onChange={(event) => put([{ ...one, filename: event.target.value }])}
            />
            <TextField
              label={`Address ${index + 1}`}
              required
              type="url"
              maxLength={2048}
              placeholder="https://example.com/terms.pdf"
              value={one.url}
              onChange={(event) => put([{ ...one, url: event.target.value }])}
            />
            {remove}
          </div>
        ) : (
          <div key={index} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{one.filename}</span>
            <span className="text-xs text-ink-2 tabular-nums">{Math.ceil(one.bytes / 1024)} KiB</span>
            {remove}
          </div>
        );
      })}
      {bring.error && <Problem error={bring.error} />}
      <div className="flex flex-wrap gap-2">
        {!byAddressOnly && (
          <Button icon="plus" disabled={isFull} onClick={() => chooser.current?.click()}>
            Add files
          </Button>
        )}
        <Button
          icon="plus"
          disabled={isFull}
          onClick={() => onChange([...attached, { filename: '', url: '' }])}
        >
          Add address
        </Button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ target }) => {
            bring.mutate([...(target.files ?? [])]);
            target.value = ''; // the same file may be chosen again
          }}
        />
      </div>
      <p className="text-xs text-ink-2">
        {byAddressOnly && 'Sends to a topic attach files by address only. '}
        Parley fetches addresses when it sends the e-mail. At most 10 MiB in total.
      </p>
    </fieldset>
  );
}

async function broughtOf(file: File): Promise<Attached> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string); // of readAsDataURL
    reader.onerror = () => reject(new Error(`${file.name} could not be read. Choose it again.`));
    reader.readAsDataURL(file);
  });
  return {
    filename: file.name,
    content: address.slice(address.indexOf(',') + 1),
    contentType: file.type,
    bytes: file.size,
  };
}
