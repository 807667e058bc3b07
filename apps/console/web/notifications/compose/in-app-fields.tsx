// Fields of an inbox item: link, up to three buttons, icon and category.
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Action } from './draft.rules.ts';
import type { DraftFieldsProps } from './whom-fields.tsx';

const ACTIONS_MAX = 3;

export function InAppFields({ draft, onChange }: DraftFieldsProps) {
  const { actions } = draft;
  const changeAction = (index: number, part: Partial<Action>) =>
    onChange({ actions: actions.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="font-medium">Inbox item</summary>
      <div className="flex flex-col gap-4 pt-3">
        <TextField
          label="Link"
          hint="A path of your site, or an address"
          maxLength={2048}
          placeholder="/orders/7"
          value={draft.inAppUrl}
          onChange={(event) => onChange({ inAppUrl: event.target.value })}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">Buttons</legend>
          {actions.map(({ label, leadsTo }, index) => (
            <div key={index} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
              <TextField
                label={`Label ${index + 1}`}
                required
                maxLength={80}
                value={label}
                onChange={(event) => changeAction(index, { label: event.target.value })}
              />
              <TextField
                label={`Link ${index + 1}`}
                maxLength={2048}
                value={leadsTo}
                onChange={(event) => changeAction(index, { leadsTo: event.target.value })}
              />
              <Button
                kind="quiet"
                aria-label={`Remove button ${index + 1}`}
                onClick={() => onChange({ actions: actions.filter((_, at) => at !== index) })}
              >
                Remove
              </Button>
            </div>
          ))}
          <p className="text-xs text-ink-2">
            A button opens a path or an address. Any other value is passed to your page.
          </p>
          <div>
            <Button
              icon="plus"
              disabled={actions.length >= ACTIONS_MAX}
              onClick={() => onChange({ actions: [...actions, { label: '', leadsTo: '' }] })}
            >
              Add button
            </Button>
          </div>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Icon"
            hint="Address of an image"
            maxLength={2048}
            value={draft.inAppIcon}
            onChange={(event) => onChange({ inAppIcon: event.target.value })}
          />
          <TextField
            label="Inbox category"
            hint="A filter of the inbox. Default: the category"
            maxLength={64}
            value={draft.inAppCategory}
            onChange={(event) => onChange({ inAppCategory: event.target.value })}
          />
        </div>
      </div>
    </details>
  );
}
