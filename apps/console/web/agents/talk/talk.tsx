// Talk to an agent, by text or by voice. It runs the version that callers get.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Bring } from '../../flows/talk/bring.tsx';
import { listens, Listen, speaks, useAloud } from '../../flows/talk/voice.tsx';
import { NoAccess, useAccess } from '../../session/access.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Empty, Problem } from '../../ui/page.tsx';
import type { Agent } from '../api.ts';
import { FlowName } from '../flow-name.tsx';
import { Bubble, Lines } from './lines.tsx';
import { findAwaited, useTalk } from './use-talk.ts';

export function Talk({ agent }: { agent: Agent }) {
  const access = useAccess()('flow-builder');
  const { can } = usePermissions('flow-builder');
  if (agent.flow_id === null)
    return (
      <Empty icon="conversations" title="This agent has no flow">
        The console can talk to agents that run a flow. Choose one in the settings.
      </Empty>
    );
  if (access !== 'signed_in') return <NoAccess service="flow-builder" access={access} icon="conversations" />;
  if (!can('read'))
    return (
      <Empty icon="conversations" title="Your key may not run flows">
        Talking to an agent needs the scope read at Flow builder.
      </Empty>
    );
  return <Conversation agent={agent} />;
}

function Conversation({ agent }: { agent: Agent }) {
  const talk = useTalk(agent);
  const [isAloud, setAloud] = useState(false);
  const { last, lines } = talk;
  const spoken = last?.outputs.map(({ text }) => text).join('\n') ?? '';
  useAloud(spoken, agent.language, isAloud, lines.length);
  const say = (said: string) => talk.bring({ said });
  const isRunning = lines.length > 0 || talk.isBusy;
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <section
        aria-label="Conversation with the agent"
        className={`flex min-h-80 flex-col overflow-hidden rounded-xl border border-line ${isRunning ? 'h-[min(36rem,calc(100dvh-16rem))]' : ''}`}
      >
        {!isRunning ? (
          <Begin name={agent.name} onStart={talk.start} error={talk.error} />
        ) : (
          <>
            <Transcript talk={talk} />
            <Answer
              talk={talk}
              language={agent.language}
              onSay={say}
              onHeard={(text) => {
                setAloud(speaks());
                say(text);
              }}
            />
          </>
        )}
      </section>
      <Beside agent={agent} isAloud={isAloud} setAloud={setAloud} isDraft={last?.published === false} />
    </div>
  );
}

type TalkState = ReturnType<typeof useTalk>;

function Begin({ name, onStart, error }: { name: string; onStart: () => void; error: Error | null }) {
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-3 p-6 text-center">
      <p className="text-base font-semibold" dir="auto">
        Talk to {name}
      </p>
      <p className="text-ink-2">
        You are the caller, and the agent answers as on a call. Nothing is recorded and no tool is called.
      </p>
      <Button kind="primary" icon="conversations" onClick={onStart}>
        Start conversation
      </Button>
      {error && <Problem error={error} onRetry={onStart} />}
    </div>
  );
}

function Transcript({ talk }: { talk: TalkState }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [talk.lines.length, talk.isBusy]);
  return (
    <div role="region" aria-label="Messages" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-4">
      <div role="log" aria-label="What was said" className="flex flex-col gap-3">
        <Lines lines={talk.lines} />
        {talk.pending !== null && <Bubble isCaller>{talk.pending}</Bubble>}
        {talk.isBusy && <p className="text-xs text-ink-2">The agent is answering …</p>}
        {talk.error && <Problem error={talk.error} />}
      </div>
      <div ref={end} />
    </div>
  );
}

interface AnswerProps {
  readonly talk: TalkState;
  readonly language: string;
  readonly onSay: (text: string) => void;
  readonly onHeard: (text: string) => void;
}

/** What the flow waits for: words, the result of a tool, or nothing because it has ended. */
function Answer({ talk, language, onSay, onHeard }: AnswerProps) {
  const { last, isBusy, lines } = talk;
  const awaited = last === undefined ? null : findAwaited(last);
  if (awaited !== null)
    return (
      <Foot>
        <Bring key={lines.length} awaited={awaited} onBring={(answer) => talk.bring({ answer })} />
      </Foot>
    );
  if (last?.next_node === null)
    return (
      <Foot>
        <StartAgain onStart={talk.start} />
      </Foot>
    );
  return (
    <Foot>
      <Say isBusy={isBusy} language={language} onSay={onSay} onHeard={onHeard} />
      <div className="flex flex-wrap gap-1">
        <Button kind="quiet" className="h-6! px-2! text-xs" onClick={() => talk.bring({ said: null })}>
          Stay silent
        </Button>
        <Button kind="quiet" className="h-6! px-2! text-xs" onClick={talk.start}>
          Start again
        </Button>
      </div>
    </Foot>
  );
}

/** It takes the focus of the field that is gone. */
function StartAgain({ onStart }: { onStart: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Button ref={button} kind="primary" className="self-center" onClick={onStart}>
      Start again
    </Button>
  );
}

const Foot = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-col gap-1.5 border-t border-line bg-surface-2 p-3">{children}</div>
);

type SayProps = Omit<AnswerProps, 'talk'> & { readonly isBusy: boolean };

function Say({ isBusy, language, onSay, onHeard }: SayProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="flex flex-wrap gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '' || isBusy) return;
        onSay(text.trim());
        setText('');
      }}
    >
      <input
        ref={field}
        aria-label="What the caller says"
        placeholder="Type what the caller says"
        autoComplete="off"
        dir="auto"
        className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5 text-sm"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Listen language={language} disabled={isBusy} onHeard={onHeard} />
      <Button type="submit" kind="primary" busy={isBusy}>
        Send
      </Button>
    </form>
  );
}

interface BesideProps {
  readonly agent: Agent;
  readonly isAloud: boolean;
  readonly setAloud: (isAloud: boolean) => void;
  readonly isDraft: boolean;
}

function Beside({ agent, isAloud, setAloud, isDraft }: BesideProps) {
  return (
    <aside aria-label="About this conversation" className="flex flex-col gap-4">
      <div>
        <h2 className="mb-1 font-semibold">Flow</h2>
        <FlowName agent={agent} />
        {isDraft && (
          <p className="mt-1">
            <Badge tone="warn">draft</Badge> Nothing is published, so the newest version answered.
          </p>
        )}
      </div>
      <div className="flex flex-col gap-2">
        <h2 className="font-semibold">Voice</h2>
        {speaks() && (
          <Checkbox
            label="Read answers aloud"
            hint="With a voice of this browser, not the voice of the agent"
            checked={isAloud}
            onChange={({ target }) => setAloud(target.checked)}
          />
        )}
        <p className="text-ink-2">
          {listens()
            ? 'Press the microphone and speak one sentence. Some browsers use a service of their vendor for this.'
            : 'This browser cannot recognise speech, so type what the caller says. Chrome, Edge and Safari can.'}
        </p>
      </div>
    </aside>
  );
}
