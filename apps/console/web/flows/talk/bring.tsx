// Enters the result of a tool or a handoff that the flow waits for.
import { useState } from 'react';
import type { CallerAnswer } from '@parley/flow-engine';
import type { PlayedTurn } from '../../engine/converse.ts';
import { Button } from '../../ui/button.tsx';
import { INPUT, JsonControl } from '../controls/controls.tsx';

/** The result that the next turn must bring; null = an utterance or nothing. */
export function awaitedAfter({ outcome }: PlayedTurn): CallerAnswer['kind'] | null {
  if (outcome.kind !== 'turn' || outcome.nextNode === null) return null;
  if (outcome.status === 'waiting_for_tool') return 'tool_result';
  return outcome.status === 'handed_off' ? 'handoff_result' : null;
}

interface BringProps<Answer> {
  readonly given?: Answer | undefined;
  readonly onBring: (answer: CallerAnswer) => void;
}

type ToolResult = Extract<CallerAnswer, { kind: 'tool_result' }>;
type HandoffResult = Extract<CallerAnswer, { kind: 'handoff_result' }>;

export function Bring({
  awaited,
  given = null,
  onBring,
}: {
  readonly awaited: CallerAnswer['kind'];
  readonly given?: CallerAnswer | null;
  readonly onBring: (answer: CallerAnswer) => void;
}) {
  return awaited === 'tool_result' ? (
    <BringResult given={given?.kind === 'tool_result' ? given : undefined} onBring={onBring} />
  ) : (
    <BringBack given={given?.kind === 'handoff_result' ? given : undefined} onBring={onBring} />
  );
}

const CARD = 'flex flex-col gap-1.5 rounded-md border border-accent/50 bg-accent-soft px-2.5 py-2';
const LINE = `${INPUT} h-7`;

function BringResult({ given, onBring }: BringProps<ToolResult>) {
  const before = given?.outcome;
  const [failed, setFailed] = useState(before?.status === 'error');
  const [result, setResult] = useState<unknown>(before?.status === 'ok' ? before.result : {});
  const [code, setCode] = useState(before?.status === 'error' ? before.code : '');
  return (
    <form
      aria-label="Tool result"
      className={CARD}
      onSubmit={(event) => {
        event.preventDefault();
        onBring({
          kind: 'tool_result',
          callId: null,
          outcome: failed ? { status: 'error', code, message: '' } : { status: 'ok', result: result ?? null },
        });
      }}
    >
      <select
        aria-label="Tool outcome"
        className={LINE}
        value={failed ? 'error' : 'ok'}
        onChange={(event) => setFailed(event.target.value === 'error')}
      >
        <option value="ok">Success with result</option>
        <option value="error">Failure with error code</option>
      </select>
      {failed ? (
        <input
          aria-label="Error code"
          placeholder="timeout"
          className={LINE}
          value={code}
          onChange={(event) => setCode(event.target.value.trim())}
        />
      ) : (
        <JsonControl label="Result" hint="Any JSON." value={result} onChange={setResult} />
      )}
      <Button kind="primary" type="submit" className="self-start" disabled={failed && code === ''}>
        Send result
      </Button>
    </form>
  );
}

function BringBack({ given, onBring }: BringProps<HandoffResult>) {
  const [status, setStatus] = useState<HandoffResult['status']>(given?.status ?? 'returned');
  const [reason, setReason] = useState(given?.reason ?? '');
  return (
    <form
      aria-label="Handoff result"
      className={CARD}
      onSubmit={(event) => {
        event.preventDefault();
        onBring({ kind: 'handoff_result', status, reason: reason === '' ? null : reason });
      }}
    >
      <div className="grid grid-cols-[8rem_1fr] gap-1.5">
        <select
          aria-label="Handoff outcome"
          className={LINE}
          value={status}
          onChange={(event) => setStatus(event.target.value as HandoffResult['status'])}
        >
          <option value="returned">Returned</option>
          <option value="failed">Failed</option>
        </select>
        <input
          aria-label="Reason"
          placeholder="Reason"
          className={LINE}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      <Button kind="primary" type="submit" className="self-start">
        Send result
      </Button>
    </form>
  );
}
