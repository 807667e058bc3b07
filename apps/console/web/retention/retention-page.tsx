// How long parts of conversations are stored, and why: for the organisation, or for one agent.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { botsQuery } from '../api/bots.ts';
import { NoAccess, useAccess } from '../session/access.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Refused, Select, TextField } from '../ui/field.tsx';
import { Loading, Page, Problem } from '../ui/page.tsx';
import { StorageRule } from './storage-rule.tsx';
import { putRetention, retentionQuery, type Retention } from './api.ts';
import {
  describeRule,
  PART_NAMES,
  PARTS,
  toForm,
  toRequest,
  type Part,
  type RetentionForm,
  type RuleForm,
} from './form.rules.ts';

const route = getRouteApi('/shell/organization/retention');

export function RetentionPage() {
  const access = useAccess()('voice-api');
  const { agent } = route.useSearch();
  const navigate = route.useNavigate();
  const bots = useQuery({ ...botsQuery, enabled: access === 'signed_in' });
  const retention = useQuery({ ...retentionQuery(agent), enabled: access === 'signed_in' });
  return (
    <Page title="Retention">
      {access !== 'signed_in' && <NoAccess service="voice-api" access={access} icon="conversations" />}
      <p className="max-w-2xl text-ink-2">
        Parley removes parts of conversations when their days are over. The conversation stays, with its
        figures, and says what was removed and why. Conversations with a legal hold lose nothing.
      </p>
      {access === 'signed_in' && (
        <Select
          label="Rules of"
          className="max-w-80"
          value={agent ?? ''}
          onChange={({ target }) =>
            void navigate({ search: target.value === '' ? {} : { agent: target.value } })
          }
        >
          <option value="">The organisation</option>
          {bots.data?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {retention.isLoading && <Loading subject="the retention" />}
      {retention.error && <Problem error={retention.error} onRetry={() => void retention.refetch()} />}
      {retention.data && <Rules key={agent ?? ''} agent={agent} retention={retention.data} />}
    </Page>
  );
}

function Rules({ agent, retention }: { readonly agent: string | undefined; readonly retention: Retention }) {
  const [form, setForm] = useState<RetentionForm>(() => toForm(retention));
  const { can } = usePermissions('voice-api');
  const queries = useQueryClient();
  const save = useAction(() => putRetention(agent, toRequest(form)), {
    says: 'Retention saved',
    reloads: ['retention'],
    then: (now) => queries.setQueryData(retentionQuery(agent).queryKey, now),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const { effective } = retention;
  return (
    <form aria-label="Retention" className="flex max-w-3xl flex-col gap-6" onSubmit={submit}>
      <Refused error={save.error}>
        {PART_NAMES.map((part) => (
          <Rule
            key={part}
            part={part}
            effective={effective[part]}
            form={form.parts[part]}
            onChange={(rule) => setForm({ ...form, parts: { ...form.parts, [part]: rule } })}
          />
        ))}
        <StorageRule
          form={form.storage}
          isOfAgent={agent !== undefined}
          onChange={(storage) => setForm({ ...form, storage })}
        />
        <Select
          label="Redact transcripts"
          name="redact_transcripts"
          hint="Numbers, e-mail addresses and values that flows redact are hidden from everybody without the scope “pii”"
          className="max-w-80"
          value={form.redact}
          onChange={({ target }) => setForm({ ...form, redact: target.value as RetentionForm['redact'] })}
        >
          <option value="">No rule here ({effective.redact_transcripts ? 'now on' : 'now off'})</option>
          <option value="true">On</option>
          <option value="false">Off</option>
        </Select>
      </Refused>
      {save.error && <Problem error={save.error} />}
      {can('admin') ? (
        <div>
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      ) : (
        <p className="text-ink-2">Administrators change these rules: it needs the scope “admin”.</p>
      )}
    </form>
  );
}

interface RuleProps {
  readonly part: Part;
  readonly effective: Retention['effective'][Part];
  readonly form: RuleForm;
  readonly onChange: (rule: RuleForm) => void;
}

function Rule({ part, effective, form, onChange }: RuleProps) {
  const { label, hint } = PARTS[part];
  const put = (patch: Partial<RuleForm>) => onChange({ ...form, ...patch });
  const isBody = part === 'delivery_bodies';
  return (
    <fieldset className="flex flex-col gap-2 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">{label}</legend>
      <p className="text-xs text-ink-2">{hint}</p>
      <p>{describeRule(effective)}</p>
      <div className="grid gap-3 sm:grid-cols-[12rem_8rem_1fr]">
        <Select
          label="Rule"
          value={form.kind}
          onChange={({ target }) => put({ kind: target.value as RuleForm['kind'] })}
        >
          <option value="inherit">No rule here</option>
          <option value="days">Remove after days</option>
          {!isBody && <option value="forever">No limit</option>}
        </Select>
        {form.kind === 'days' && (
          <TextField
            label="Days"
            name={`${part}/days`}
            type="number"
            required
            min={isBody ? 2 : 1}
            max={isBody ? 30 : 3_650}
            value={form.days}
            onChange={({ target }) => put({ days: target.value })}
          />
        )}
        {form.kind !== 'inherit' && (
          <TextField
            label="Reason"
            name={`${part}/reason`}
            required
            maxLength={500}
            value={form.reason}
            onChange={({ target }) => put({ reason: target.value })}
          />
        )}
      </div>
    </fieldset>
  );
}
