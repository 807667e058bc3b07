// The messages of a conversation with an agent.
import type { ReactNode } from 'react';
import type { Line } from './use-talk.ts';

export function Lines({ lines }: { lines: readonly Line[] }) {
  return lines.map((line, at) => <Exchange key={at} line={line} isFirst={at === 0} />);
}

const BROUGHT = { tool_result: 'The tool has answered.', handoff_result: 'The handoff has ended.' } as const;

function Exchange({ line: { said, answered, turn }, isFirst }: { line: Line; isFirst: boolean }) {
  const end = describeEnd(turn);
  return (
    <>
      {said !== null && <Bubble isCaller>{said}</Bubble>}
      {answered !== null && <Note>{BROUGHT[answered]}</Note>}
      {said === null && answered === null && !isFirst && <Note>The caller stays silent.</Note>}
      {turn.outputs.map(({ text }, at) => (
        <Bubble key={at}>{text}</Bubble>
      ))}
      {turn.actions.map((action, at) => (
        <Note key={at}>{describeAction(action)}</Note>
      ))}
      {end !== null && <Note>{end}</Note>}
    </>
  );
}

export function Bubble({ isCaller = false, children }: { isCaller?: boolean; children: ReactNode }) {
  const looks = isCaller
    ? 'self-end rounded-br-sm bg-accent text-accent-ink'
    : 'self-start rounded-bl-sm bg-surface-3';
  return (
    <p dir="auto" className={`max-w-[85%] rounded-xl px-3 py-1.5 break-words whitespace-pre-wrap ${looks}`}>
      <span className="sr-only">{isCaller ? 'Caller: ' : 'Agent: '}</span>
      {children}
    </p>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <p className="text-center text-xs text-ink-2">{children}</p>
);

type Turn = Line['turn'];

function describeAction(action: Turn['actions'][number]): string {
  const named = (member: string) => (typeof action[member] === 'string' ? ` ${action[member]}` : '');
  switch (action.type) {
    case 'tool':
      return `The platform would call the tool${named('tool')}.`;
    case 'handoff':
      return `The platform would hand over to${named('target') || ' a person'}.`;
    case 'autonomous':
      return 'The platform would run the agent of this node.';
  }
}

function describeEnd({ status }: Turn): string | null {
  switch (status) {
    case 'completed':
      return 'The conversation is over.';
    case 'no_route':
      return 'No edge of the flow matches, so the conversation cannot continue.';
    case 'handed_off':
      return 'The conversation is handed over.';
    default:
      return null;
  }
}
