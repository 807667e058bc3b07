// The transcript that an agent that talks sees (docs/flow-language.md#agents-that-talk). The caller
// carries it in `_transcript`, so a broken entry counts as absent.
import type { AutonomousNode } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import { utf8Bytes } from '../read/json-bytes.ts';
import { ownMember, transcriptName } from '../read/paths.ts';
import { talkTurnsAt } from './bookkeeping.ts';
import type { JsonSchema } from './extraction.ts';
import type { Candidate } from './turn.ts';
import { spoken, type Walk } from './walk-state.ts';

/** In the form of chat messages: `user` is the caller, `assistant` the flow. */
export interface TranscriptEntry {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The part of a run spec that makes an agent talk. */
export interface AgentTalk {
  readonly transcript: readonly TranscriptEntry[];
  /** The natural-language edges that may hold now. None while the agent speaks first. */
  readonly branches: readonly Candidate[];
  /** Utterances that the agent may answer after this one. */
  readonly turnsLeft: number;
  /** A JSON Schema of the values to find out. Absent = none. */
  readonly extraction?: JsonSchema | undefined;
}

export function toTalk(walk: Walk, { id, routes, values }: AutonomousNode, turnsMax: number): AgentTalk {
  const turns = talkTurnsAt(walk.variables, id);
  const asked = turns === 0 ? [] : routes.choices;
  return {
    transcript: readTranscript(walk),
    branches: asked.map(({ nl, label }, index) => ({ index, nl, label })),
    turnsLeft: Math.max(0, turnsMax - turns),
    ...(values === null ? {} : { extraction: values.schema }),
  };
}

/** Stores the transcript with the words of this turn. */
export function storeTranscript(walk: Walk): void {
  const transcript = readTranscript(walk);
  walk.budget.json(transcript);
  walk.variables[transcriptName] = transcript;
}

/** The last entries within the limits, up to the words of this turn. */
function readTranscript(walk: Walk): TranscriptEntry[] {
  const { turn, variables, outputs } = walk;
  const stored = variables[transcriptName];
  // Words beside a result answer nothing; the caller sends them again.
  const said = turn.answer == null ? spoken(walk) : null;
  const entries = [
    ...(Array.isArray(stored) ? stored.slice(-limits.transcriptEntriesMax).flatMap(readEntry) : []),
    ...(said === null ? [] : [toEntry('user', said)]),
    ...outputs.slice(-limits.transcriptEntriesMax).map(({ text }) => toEntry('assistant', text)),
  ].slice(-limits.transcriptEntriesMax);
  let first = entries.length;
  let bytes = 2;
  while (first > 0) {
    bytes += utf8Bytes(JSON.stringify(entries[first - 1])) + 1;
    if (bytes > limits.transcriptBytesMax) break;
    first -= 1;
  }
  return entries.slice(first);
}

/** Cuts between two characters. */
const toEntry = (role: TranscriptEntry['role'], text: string): TranscriptEntry => ({
  role,
  content: text.slice(0, limits.transcriptTextCharsMax).replace(/[\ud800-\udbff]$/, ''),
});

function readEntry(entry: unknown): TranscriptEntry[] {
  const [role, content] = [ownMember(entry, 'role'), ownMember(entry, 'content')];
  if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string') return [];
  return [toEntry(role, content)];
}
