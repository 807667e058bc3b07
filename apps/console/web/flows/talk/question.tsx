// Lets a person answer in place of a model, so that every branch can be tried without one.
import { useState } from 'react';
import type { AgentOutcome, Bag, Classification } from '@parley/flow-engine';
import type { Question, ScriptedAnswer } from '../../engine/converse.ts';
import { Button } from '../../ui/button.tsx';
import { edgesFrom, edgesOf } from '../document/doc.ts';
import { showPath, useFlow } from '../document/flow-store.ts';
import { INPUT, JsonControl } from '../controls/controls.tsx';

interface QuestionCardProps {
  readonly question: Question;
  /** The earlier answer, if any. */
  readonly given?: ScriptedAnswer;
  readonly onAnswer: (answer: ScriptedAnswer) => void;
}

export function QuestionCard({ question, given, onAnswer }: QuestionCardProps) {
  switch (question.kind) {
    case 'classify':
      return (
        <Classify
          question={question.question}
          given={given?.kind === 'classify' ? given.answer : undefined}
          onAnswer={(answer) => onAnswer({ kind: 'classify', answer })}
        />
      );
    case 'extract':
      return (
        <Extract
          names={namesIn(question.question.schema)}
          given={
            given?.kind === 'extract' && given.answer.kind === 'extracted' ? given.answer.values : undefined
          }
          onAnswer={(values) =>
            onAnswer({
              kind: 'extract',
              answer:
                values === null ? { kind: 'unavailable', reason: 'timeout' } : { kind: 'extracted', values },
            })
          }
        />
      );
    case 'run_agent':
      return (
        <Agent
          goal={question.spec.goal}
          given={given?.kind === 'run_agent' ? given.answer : undefined}
          onAnswer={(answer) => onAnswer({ kind: 'run_agent', answer })}
        />
      );
  }
}

const CARD = 'flex flex-col gap-1.5 rounded-md border border-accent/50 bg-accent-soft px-2.5 py-2';
const CHOICE =
  'flex items-baseline gap-2 rounded px-1.5 py-1 text-left hover:bg-surface aria-pressed:bg-surface aria-pressed:font-medium';

type ClassifyQuestion = Extract<Question, { kind: 'classify' }>['question'];

function Classify({
  question,
  given,
  onAnswer,
}: {
  readonly question: ClassifyQuestion;
  readonly given: Classification | undefined;
  readonly onAnswer: (answer: Classification) => void;
}) {
  const ways = useWaysOut(question);
  const others: readonly { readonly label: string; readonly answer: Classification }[] = [
    { label: 'None of these', answer: { kind: 'none' } },
    { label: 'Timeout', answer: { kind: 'unavailable', reason: 'timeout' } },
  ];
  return (
    <div role="group" aria-label="Classifier result" className={CARD}>
      <p className="text-xs">
        {given === undefined ? 'Choose' : 'Change'} the classifier’s result for “{question.utterance}”.
      </p>
      <div className="flex flex-col">
        {question.candidates.map(({ index, nl, label }) => (
          <button
            key={index}
            type="button"
            className={CHOICE}
            aria-pressed={given?.kind === 'chosen' && given.index === index}
            {...pointsAt(ways?.[index]?.index)}
            onClick={() => onAnswer({ kind: 'chosen', index, confidence: 1 })}
          >
            <span className="text-xs text-ink-2 tabular-nums">{index + 1}</span>
            <span>{nl}</span>
            {label !== null && <span className="text-xs text-ink-2">{label}</span>}
            {ways?.[index] !== undefined && (
              <code className="ml-auto truncate font-mono text-xs text-ink-2">→ {ways[index].target}</code>
            )}
          </button>
        ))}
        {others.map(({ label, answer }) => (
          <button
            key={label}
            type="button"
            className={`${CHOICE} text-ink-2`}
            aria-pressed={given?.kind === answer.kind}
            onClick={() => onAnswer(answer)}
          >
            <span className="text-xs">–</span>
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

/**
 * The edges of the classifier's candidates; null when the question has other candidates too, such
 * as commands.
 */
function useWaysOut({ nodeId, candidates }: ClassifyQuestion) {
  const flow = useFlow((state) => state.doc.flow);
  const sketches = useFlow((state) => state.checked?.edges);
  const inWords = edgesFrom(flow, nodeId).filter((index) => sketches?.[index]?.kind === 'nl');
  return inWords.length === candidates.length
    ? inWords.map((index) => ({ index, target: edgesOf(flow)[index]!.target }))
    : null;
}

/** Highlights the edge of a choice while it is hovered or focused. */
function pointsAt(edge: number | undefined) {
  if (edge === undefined) return {};
  const [show, hide] = [() => showPath([], [edge]), () => showPath([])];
  return { onPointerEnter: show, onFocus: show, onPointerLeave: hide, onBlur: hide };
}

function namesIn(schema: Readonly<Record<string, unknown>>): string[] {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function Extract({
  names,
  given,
  onAnswer,
}: {
  readonly names: readonly string[];
  readonly given: Bag | undefined;
  readonly onAnswer: (values: Bag | null) => void;
}) {
  const [values, setValues] = useState<unknown>(given ?? {});
  const isBag = typeof values === 'object' && values !== null && !Array.isArray(values);
  return (
    <div role="group" aria-label="Extractor result" className={CARD}>
      <JsonControl
        label="Extractor result"
        hint={`Values for ${names.join(', ') || 'its schema'}.`}
        value={values}
        onChange={setValues}
      />
      <div className="flex gap-2">
        <Button kind="primary" disabled={!isBag} onClick={() => onAnswer(values as Bag)}>
          Send result
        </Button>
        <Button onClick={() => onAnswer(null)}>Timeout</Button>
      </div>
    </div>
  );
}

const STATUSES: readonly AgentOutcome['status'][] = [
  'goal_reached',
  'max_iterations',
  'budget_exhausted',
  'error',
];

function Agent({
  goal,
  given,
  onAnswer,
}: {
  readonly goal: string | null;
  readonly given: AgentOutcome | undefined;
  readonly onAnswer: (answer: AgentOutcome) => void;
}) {
  const [status, setStatus] = useState(given?.status ?? 'goal_reached');
  const [text, setText] = useState(given?.answer ?? '');
  return (
    <form
      aria-label="Agent result"
      className={CARD}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ status, answer: text === '' ? null : text, iterations: 1, toolCalls: [] });
      }}
    >
      <p className="text-xs">Agent: {goal ?? 'no goal'}</p>
      <div className="grid grid-cols-[9rem_1fr] gap-1.5">
        <select
          aria-label="Agent outcome"
          className={`${INPUT} h-7`}
          value={status}
          onChange={(event) => setStatus(event.target.value as AgentOutcome['status'])}
        >
          {STATUSES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          aria-label="Agent answer"
          placeholder="Answer"
          className={`${INPUT} h-7`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Button kind="primary" type="submit" className="self-start">
        Send result
      </Button>
    </form>
  );
}
