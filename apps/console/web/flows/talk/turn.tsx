// One turn of the chat: input, messages, and on demand the trace.
import type { Action } from '@parley/flow-engine';
import { ownNode } from '../../engine/called.ts';
import { shownValue } from '../../engine/shown.ts';
import type { PlayedTurn } from '../../engine/converse.ts';
import { buttonClass } from '../../ui/button.tsx';
import { revealNode } from '../canvas/view.ts';
import { QuestionCard } from './question.tsx';
import { Reading } from './reading.tsx';
import { Said } from './turn-input.tsx';
import { answer, choose, rewind } from './talk-store.ts';
import { Trace } from './trace.tsx';
import { Variables } from './variables.tsx';

interface TurnProps {
  readonly turn: PlayedTurn;
  readonly number: number;
  readonly isLast: boolean;
  readonly isChosen: boolean;
}

const SMALL = buttonClass('quiet', 'h-6! px-1.5! text-xs');

export function Turn({ turn, number, isLast, isChosen }: TurnProps) {
  const { input, brought, asked, outcome, read } = turn;
  // An utterance that triggers a command is no answer.
  const isAnswer = outcome.kind !== 'turn' || (outcome.input !== null && outcome.input.status !== 'command');
  const isOpening = number === 0 && input === null && brought === null;
  return (
    <li className="group flex flex-col gap-1.5" data-chosen={isChosen || undefined}>
      {!isOpening && <Said turn={turn} number={number} />}
      {read !== null && isAnswer && <Reading read={read} />}
      {outcome.kind === 'turn' && (
        <div className="flex flex-col items-start gap-1">
          {outcome.outputs.map(({ nodeId, text, type }, at) => (
            <button
              key={at}
              type="button"
              title={`${type} of ${nodeId}`}
              className="max-w-[85%] rounded-lg rounded-bl-sm bg-surface-3 px-2.5 py-1 text-left break-words hover:outline hover:outline-line-strong"
              onClick={() => revealNode(ownNode(nodeId))}
            >
              {text}
            </button>
          ))}
          {outcome.actions.map((action, at) => (
            <p
              key={at}
              className="rounded border border-line px-2 py-0.5 font-mono text-xs break-all text-ink-2"
            >
              {describeAction(action)}
            </p>
          ))}
        </div>
      )}
      {outcome.kind === 'asks' && (
        <QuestionCard
          key={asked.length}
          question={outcome.question}
          onAnswer={(given) => answer(number, asked.length, given)}
        />
      )}
      <Ending turn={turn} />
      {outcome.kind === 'turn' && (
        <div className="flex items-center gap-1">
          <button
            type="button"
            className={SMALL}
            aria-expanded={isChosen}
            onClick={() => choose(isChosen && !isLast ? null : number)}
          >
            {isChosen ? '▾' : '▸'} Turn {number + 1}: {outcome.steps} {outcome.steps === 1 ? 'node' : 'nodes'}
            {outcome.nextNode !== null && <code className="font-mono">→ {outcome.nextNode}</code>}
          </button>
          {!isLast && (
            <button
              type="button"
              className={`${SMALL} ml-auto opacity-0 group-hover:opacity-100 focus:opacity-100`}
              onClick={() => rewind(number)}
            >
              Rewind to here
            </button>
          )}
        </div>
      )}
      {isChosen && outcome.kind === 'turn' && (
        <div className="flex flex-col gap-2 rounded-md border border-line bg-surface-2 px-2.5 py-2">
          {asked.map(({ question, answer: given }, at) => (
            <QuestionCard
              key={at}
              question={question}
              given={given}
              onAnswer={(other) => answer(number, at, other)}
            />
          ))}
          <Trace steps={outcome.trace ?? []} />
          <div className="border-t border-line pt-1.5">
            <Variables before={turn.variables} after={outcome.variables} />
          </div>
        </div>
      )}
    </li>
  );
}

const ENDS: Readonly<Record<string, string>> = {
  waiting_for_tool: 'The flow waits for the tool result.',
  completed: 'The flow is complete.',
  handed_off: 'The conversation is handed off.',
  no_route: 'No edge matches, so the conversation cannot continue. Add a default edge.',
};

function Ending({ turn: { outcome } }: { readonly turn: PlayedTurn }) {
  switch (outcome.kind) {
    case 'turn': {
      const comesBack = outcome.status === 'handed_off' && outcome.nextNode !== null;
      const text = comesBack ? 'The conversation is handed off and may return.' : ENDS[outcome.status];
      if (text === undefined) return null;
      return (
        <p className={`text-center text-xs ${outcome.status === 'no_route' ? 'text-bad' : 'text-ink-2'}`}>
          {text}
        </p>
      );
    }
    case 'unknown_node':
      return <p className="text-xs text-bad">The flow has no node {outcome.nodeId ?? 'to start at'}.</p>;
    case 'turn_did_not_settle':
      return (
        <p className="text-xs text-bad">
          The turn visited more than {outcome.stepsMax} nodes without waiting for input.
        </p>
      );
    case 'turn_too_costly':
      return (
        <p className="text-xs text-bad">The turn exceeds the limit of {outcome.cost.replaceAll('_', ' ')}.</p>
      );
    case 'too_late':
      return <p className="text-center text-xs text-ink-2">The conversation ends before this turn.</p>;
    case 'asks':
      return null;
    case 'tool_result_mismatch':
    case 'handoff_result_mismatch':
      return (
        <p className="text-xs text-bad">
          {outcome.nodeId ?? 'The start of the flow'} expects another kind of input than this turn brings.
        </p>
      );
  }
}

function describeAction(action: Action): string {
  switch (action.type) {
    case 'tool':
      return `${action.tool ?? 'tool'}(${action.args === null || action.args === undefined ? '' : shownValue(action.args)})`;
    case 'handoff':
      return `hand off to ${action.target ?? 'no target'}${action.reason === null ? '' : `: ${action.reason}`}`;
    case 'autonomous':
      return action.mode === 'in_process'
        ? `agent: ${action.outcome.status}`
        : `agent dispatched: ${action.spec.goal ?? ''}`;
  }
}
