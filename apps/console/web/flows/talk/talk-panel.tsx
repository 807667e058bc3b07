// Try it: a conversation with the current draft.
import { useEffect, useRef, useState } from 'react';
import { May } from '../../session/scopes.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { bringIntoSight } from '../canvas/view.ts';
import { useFlow } from '../document/flow-store.ts';
import { FlagControl, INPUT, JsonControl } from '../controls/controls.tsx';
import { Bring, awaitedAfter } from './bring.tsx';
import { SaveTest } from './save-test.tsx';
import { begin, bring, chosenOf, forget, say, set, useTalk } from './talk-store.ts';
import { TestList } from './test-list.tsx';
import { Turn } from './turn.tsx';
import { Listen, speaks, useAloud } from './voice.tsx';
import { walkedBy } from './walked.ts';

const SMALL = buttonClass('quiet', 'h-6! px-2! text-xs');

export function TalkPanel({ flowId }: { readonly flowId: string }) {
  const { script, played, chosen } = useTalk();
  const startNode = useFlow((state) =>
    state.selection.nodes.length === 1 ? state.selection.nodes[0]! : null,
  );
  const language = useFlow((state) => state.doc.flow['language']);
  const spoken = typeof language === 'string' && language !== '' ? language : undefined;
  const [isAloud, setAloud] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  const last = (played?.length ?? 0) - 1;
  const outcome = played?.[last]?.outcome;
  const awaited = played?.[last] === undefined ? null : awaitedAfter(played[last]);
  useAloud(
    outcome?.kind === 'turn' ? outcome.outputs.map(({ text }) => text).join('\n') : '',
    spoken,
    isAloud,
    last,
  );
  const isOver =
    played === null || (outcome !== undefined && (outcome.kind !== 'turn' || outcome.nextNode === null));
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [script.turns.length, outcome]);

  const reached = walkedBy(chosenOf({ played, chosen })).visited.at(-1);
  useEffect(() => {
    if (reached !== undefined) bringIntoSight(reached);
  }, [reached]);

  if (script.turns.length === 0)
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-ink-2">
          Talk to the current draft. It runs in this browser with the production engine, calls no tools and
          stores nothing.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" onClick={() => begin(null)}>
            Start conversation
          </Button>
          {startNode !== null && <Button onClick={() => begin(startNode)}>Start at {startNode}</Button>}
        </div>
        <Settings />
        <TestList flowId={flowId} />
      </div>
    );
  return (
    <div data-own-history className="flex min-h-full flex-col gap-3">
      <div className="flex flex-wrap items-center gap-1">
        <button type="button" className={SMALL} onClick={() => begin()}>
          Restart
        </button>
        <button type="button" className={SMALL} onClick={forget}>
          New conversation
        </button>
        <May service="flow-builder" scope="write">
          <SaveTest flowId={flowId} />
        </May>
        {speaks() && (
          <button
            type="button"
            className={`${SMALL} aria-pressed:text-accent`}
            aria-pressed={isAloud}
            title="The browser reads the bot’s messages aloud"
            onClick={() => setAloud(!isAloud)}
          >
            Read aloud
          </button>
        )}
        <details className="w-full">
          <summary className="text-xs text-ink-2">Variables, time and models</summary>
          <div className="pt-2">
            <Settings />
          </div>
        </details>
      </div>
      <ol aria-label="Conversation" className="flex flex-1 flex-col gap-3">
        {played?.map((turn, number) => (
          <Turn
            key={number}
            turn={turn}
            number={number}
            isLast={number === last}
            isChosen={chosen === number}
          />
        ))}
        {played === null && (
          <li className="text-bad">The draft cannot run. Correct the errors in the Problems panel.</li>
        )}
      </ol>
      <div ref={end} />
      {awaited === null ? (
        <Say disabled={isOver} language={spoken} />
      ) : (
        <Bring key={last} awaited={awaited} onBring={bring} />
      )}
    </div>
  );
}

function Say({ disabled, language }: { readonly disabled: boolean; readonly language: string | undefined }) {
  const [text, setText] = useState('');
  return (
    <form
      className="sticky -bottom-3 -mx-3 -mb-3 flex flex-wrap gap-1.5 border-t border-line bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        say(text);
        setText('');
      }}
    >
      <input
        aria-label="Caller’s input"
        placeholder={disabled ? '' : 'Type what the caller says'}
        className={`${INPUT} h-8 w-auto! min-w-0 flex-1`}
        autoComplete="off"
        disabled={disabled}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Listen language={language} disabled={disabled} onHeard={say} />
      <Button type="submit" kind="primary" disabled={disabled}>
        Send
      </Button>
      <Button disabled={disabled} title="The caller says nothing" onClick={() => say(null)}>
        Silence
      </Button>
    </form>
  );
}

function Settings() {
  const { variables, nowMs, extractor, agent } = useTalk((state) => state.script);
  return (
    <div className="flex w-full flex-col gap-2">
      <JsonControl
        label="Initial variables"
        value={variables}
        onChange={(value) => {
          if (value === undefined) set({ variables: {} });
          else if (typeof value === 'object' && value !== null && !Array.isArray(value))
            set({ variables: { ...value } });
        }}
      />
      {nowMs > 0 && (
        <label className="flex flex-col gap-0.5 text-xs font-medium text-ink-2">
          Current time for the flow
          <input
            type="datetime-local"
            className={`${INPUT} h-7`}
            value={localTime(nowMs)}
            onChange={(event) => {
              const ms = Date.parse(event.target.value);
              if (!Number.isNaN(ms)) set({ nowMs: ms });
            }}
          />
        </label>
      )}
      <FlagControl
        label="Ask me for extractor results"
        value={extractor}
        onChange={(value) => set({ extractor: value === true })}
      />
      <FlagControl
        label="Ask me for agent results"
        hint="Otherwise agents are dispatched to the caller."
        value={agent}
        onChange={(value) => set({ agent: value === true })}
      />
    </div>
  );
}

/** The value of a `datetime-local` input. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}
