// "This should have gone to …": teaches the draft a branch from a recorded turn
// (docs/why.md#teach). First it shows which other turns change.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { components } from '@parley/sdk/flow-builder';
import { flowBuilder, readBody } from '../../api/clients.ts';
import { readFlowTurns } from '../../api/recorded-turns.ts';
import type { FlowSnapshot } from '../../engine/replay.ts';
import { flowQuery } from '../../flows/api.ts';
import { INPUT } from '../../flows/controls/controls.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/page.tsx';
import { rowLink } from '../../ui/link.ts';
import { listBranches, type Branch } from './branches.ts';

type Teaching = components['schemas']['Teaching'];
const NONE = 'none';

interface TeachProps {
  readonly turn: RecordedTurn;
  readonly ranOn: FlowSnapshot | undefined;
}

export function Teach({ turn, ranOn }: TeachProps) {
  const id = useId();
  const latest = useQuery(flowQuery(turn.flow_id));
  const [choice, setChoice] = useState('');
  const teach = useAction(
    async ({ to, isDry }: { readonly to: string; readonly isDry: boolean }) => {
      const turns = (await readFlowTurns(turn.flow_id, turn)).map((one) => ({ ...one }));
      const session_id = turn.input?.session_id ?? '';
      const what = { session_id, turn: turn.turn, turns, dry_run: isDry };
      const body = to === NONE ? { ...what, none: true as const } : { ...what, edge: Number(to) };
      const params = { path: { flow_id: turn.flow_id } };
      return readBody(flowBuilder.POST('/v1/flows/{flow_id}/teach', { params, body }));
    },
    {
      says: ({ version }) => (version === null ? 'Effect shown' : `Saved version ${version}`),
      isShown: true,
      reloads: [['flow', turn.flow_id]],
    },
  );
  const branches =
    latest.data && ranOn ? listBranches(turn, ranOn.definition, latest.data.definition) : undefined;
  const { can } = usePermissions('flow-builder');
  if (branches === undefined || branches.edges.length === 0 || !can('write')) return null;
  const taught = teach.data;
  return (
    <section aria-label="Teach" className="flex flex-col gap-2 rounded-md border border-line px-2.5 py-2">
      <label htmlFor={id} className="font-medium">
        This should have gone to …
      </label>
      <select
        id={id}
        className={`${INPUT} h-8`}
        value={choice}
        onChange={({ target: { value } }) => {
          setChoice(value);
          teach.reset();
          if (value !== '') teach.mutate({ to: value, isDry: true });
        }}
      >
        <option value="">Select a branch</option>
        {branches.edges.map((branch) => (
          <option key={branch.index} value={branch.index}>
            {labelBranch(branch)}
          </option>
        ))}
        {branches.isTaken && <option value={NONE}>None of these branches</option>}
      </select>
      <div aria-live="polite" className="flex flex-col gap-2">
        {teach.isPending && <p className="text-ink-2">Replaying recorded turns…</p>}
        {teach.error && <Problem error={teach.error} />}
        {taught && <Changes taught={taught} definition={latest.data!.definition} />}
        {taught?.version === null && (
          <Button
            kind="primary"
            className="self-start"
            busy={teach.isPending}
            onClick={() => teach.mutate({ to: choice, isDry: false })}
          >
            Save {taught.member === 'examples' ? 'example' : 'counter-example'}
          </Button>
        )}
        {taught && taught.version !== null && <Saved taught={taught} />}
      </div>
    </section>
  );
}

const labelBranch = ({ nl, label, target }: Branch): string => `${label ?? nl} → ${target}`;

function Saved({ taught: { flow_id, version, test } }: { readonly taught: Teaching }) {
  return (
    <p className="text-good">
      Saved in{' '}
      <Link to="/flows/$flowId" params={{ flowId: flow_id }} className={rowLink}>
        version {version}
      </Link>
      , with the test {test.name}. Publish the version to use it.
    </p>
  );
}

const CHANGES_SHOWN = 50;

/** Which other turns would go another way. */
function Changes({ taught, definition }: { readonly taught: Teaching; readonly definition: AuthoredFlow }) {
  const { looked_at, changes, unknown } = taught;
  const describe = (way: Teaching['changes'][number]['from']) => {
    if (way === null) return 'the model decides';
    const edge = definition.edges?.[way.edge_index ?? -1];
    return edge?.label ?? edge?.nl ?? way.target ?? 'the turn ends';
  };
  return (
    <>
      <p>
        {changes.length === 0 ? 'No turn' : changes.length === 1 ? '1 turn' : `${changes.length} turns`} of
        the last {looked_at.toLocaleString('en')} would go another way
        {changes.length === 0 ? '.' : ':'}
      </p>
      <ul className="flex max-h-64 flex-col gap-1.5 overflow-y-auto">
        {changes.slice(0, CHANGES_SHOWN).map(({ session_id, turn, user_input, from, to }) => (
          <li key={`${session_id} ${turn}`} className="min-w-0">
            <Link
              to="/conversations/$conversationId/why"
              params={{ conversationId: session_id ?? '' }}
              search={{ turn }}
              className="block truncate text-accent hover:underline"
            >
              {user_input ?? `Turn ${turn}`}
            </Link>
            <span className="block break-words text-xs">
              <del className="text-bad">{describe(from)}</del>{' '}
              <ins className="text-good no-underline">{describe(to)}</ins>
            </span>
          </li>
        ))}
      </ul>
      {changes.length > CHANGES_SHOWN && (
        <p className="text-xs text-ink-2">{changes.length - CHANGES_SHOWN} more are not shown.</p>
      )}
      {unknown > 0 && (
        <p className="text-xs text-ink-2">
          {unknown.toLocaleString('en')} cannot be replayed from their recording.
        </p>
      )}
    </>
  );
}
