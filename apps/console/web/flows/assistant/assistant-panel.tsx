// The assistant: a sentence of the author, and a proposal that is checked before it is shown
// (docs/assistant.md).
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { assistantQuery } from '../api.ts';
import { ask, openAssistant, useAssistant, write } from './assistant-store.ts';
import { FailedTurns } from './failed-turns.tsx';
import { ProposalView } from './proposal-view.tsx';

const INSTRUCTION_CHARS_MAX = 4_000;

export function AssistantPanel({ flowId }: { readonly flowId: string }) {
  useEffect(() => openAssistant(flowId), [flowId]);
  const state = useQuery(assistantQuery);
  const field = useRef<HTMLDivElement>(null);
  const toField = () => field.current?.querySelector('textarea')?.focus();
  const { instruction, failed, isAsking, error, reply } = useAssistant();
  if (state.error !== null) return <Problem error={state.error} />;
  if (state.data === undefined) return <Loading subject="the assistant" />;
  if (!state.data.ready) return <p className="text-ink-2">{state.data.message}</p>;
  return (
    <div className="flex flex-col gap-3">
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        {failed !== null && <FailedTurns failed={failed} />}
        <div ref={field}>
          <TextArea
            label="What should change?"
            hint="A model proposes a change of the draft. You see it before anything changes."
            rows={4}
            maxLength={INSTRUCTION_CHARS_MAX}
            value={instruction}
            onChange={(event) => write({ instruction: event.target.value })}
          />
        </div>
        <Button
          type="submit"
          kind="primary"
          className="self-start"
          busy={isAsking}
          disabled={instruction.trim() === ''}
        >
          Propose change
        </Button>
      </form>
      <div aria-live="polite" className="flex flex-col gap-2">
        {isAsking && <p className="text-ink-2">Writing, checking and testing a proposal …</p>}
        {error !== null && <Problem error={error} />}
        {reply !== null && reply.proposal === null && (
          <>
            <p>{reply.message}</p>
            <Problems items={reply.problems} />
          </>
        )}
        {reply?.proposal != null && (
          <p className="font-medium" dir="auto">
            {reply.proposal.summary}
          </p>
        )}
      </div>
      {reply?.proposal != null && (
        <ProposalView key={reply.proposal.summary} proposal={reply.proposal} onDone={toField}>
          <Problems items={reply.problems} />
        </ProposalView>
      )}
    </div>
  );
}

function Problems({ items }: { readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <ul aria-label="Not mended" className="flex list-disc flex-col gap-1 pl-4 text-xs text-warn">
      {items.map((item) => (
        <li key={item} className="break-words">
          {item}
        </li>
      ))}
    </ul>
  );
}
