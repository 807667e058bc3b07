// A proposal with what its author needs to judge it: what goes outside, diff, findings, the step
// bound, tests, coverage, and what callers notice.
import { useState, type ReactNode } from 'react';
import type { FlowDiff, Validation } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import type { Proposal } from '../api.ts';
import { useFlow } from '../document/flow-store.ts';
import { FindingList } from '../problems/finding-list.tsx';
import type { Behaviour } from '../tests/behaviour.ts';
import { BehaviourView } from '../versions/behaviour-view.tsx';
import { Sentences } from '../versions/diff-list.tsx';
import { apply, discardReply, useAssistant } from './assistant-store.ts';

interface ProposalViewProps {
  readonly proposal: Proposal;
  /** Called when the proposal was applied or discarded. */
  readonly onDone: () => void;
  readonly children: ReactNode;
}

export function ProposalView({ proposal, onDone, children }: ProposalViewProps) {
  const [confirms, setConfirms] = useState(false);
  const asked = useAssistant((state) => state.asked);
  const isOld = useFlow((state) => state.doc.flow) !== asked;
  const { definition, diff, validation, tests, coverage, behaviour, outside } = proposal;
  const end = (work: () => void) => () => {
    work();
    onDone();
  };
  return (
    <section aria-label="Proposal" className="flex flex-col gap-3">
      {outside.length > 0 && <Outside effects={outside} />}
      <Part title="Changes">
        <Sentences diff={diff as unknown as FlowDiff} />
      </Part>
      <Part title="Checks">
        <Checks validation={validation as unknown as Validation} tests={tests} coverage={coverage} />
        {children}
      </Part>
      {behaviour !== null && (
        <Part title="Effect on callers">
          <BehaviourView behaviour={behaviour as unknown as Behaviour} />
        </Part>
      )}
      {outside.length > 0 && (
        <Checkbox
          label="I have checked what leaves the flow"
          checked={confirms}
          onChange={(event) => setConfirms(event.target.checked)}
        />
      )}
      {isOld && <p className="text-warn">The draft has changed since. Ask again to get a proposal for it.</p>}
      <div className="flex gap-2">
        <Button
          kind="primary"
          disabled={isOld || (outside.length > 0 && !confirms)}
          onClick={end(() => apply(definition as unknown as AuthoredFlow))}
        >
          Apply to draft
        </Button>
        <Button onClick={end(discardReply)}>Discard proposal</Button>
      </div>
    </section>
  );
}

const KINDS: Readonly<Record<Proposal['outside'][number]['kind'], string>> = {
  webhook: 'Sends to',
  agent: 'The agent sends to',
  action: 'Runs the action',
  flow: 'Calls the flow',
  handoff: 'Hands over to',
  text: 'Names',
};

function Outside({ effects }: { readonly effects: Proposal['outside'] }) {
  return (
    <section aria-label="What leaves the flow" className="rounded-md bg-warn-soft px-2.5 py-2 text-warn">
      <h2 className="font-medium">What leaves the flow</h2>
      <ul className="flex list-disc flex-col gap-0.5 pl-4">
        {effects.map(({ node_id, kind, to, change }) => (
          <li key={`${node_id} ${kind} ${to}`} className="break-all">
            {KINDS[kind]} <code className="font-mono text-xs">{to}</code>
            {node_id !== null && <> in {node_id}</>} ({change === 'added' ? 'new' : 'changed'})
          </li>
        ))}
      </ul>
    </section>
  );
}

type ChecksProps = { readonly validation: Validation } & Pick<Proposal, 'tests' | 'coverage'>;

function Checks({ validation: { warnings, stats }, tests, coverage }: ChecksProps) {
  const failed = tests.results.filter((result) => !result.passed);
  return (
    <>
      <ul className="flex flex-col gap-0.5">
        <li>No errors, {stats.max_steps_per_turn ?? 0} nodes per turn at most</li>
        <li className={failed.length > 0 ? 'text-bad' : ''}>
          {tests.results.length === 0
            ? 'No stored tests'
            : `${tests.passed} of ${tests.results.length} stored tests pass`}
          {failed.length > 0 && `; failing: ${failed.map(({ name }) => name).join(', ')}`}
        </li>
        {coverage !== null && (
          <li>
            Generated conversations take {coverage.taken} of {coverage.all} edges
          </li>
        )}
      </ul>
      <FindingList
        findings={warnings.map((one) => ({ ...one, severity: 'warning' as const, witness: [] }))}
      />
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1">
      <h2 className="font-medium">{title}</h2>
      {children}
    </section>
  );
}
