// Whether an agent works: its state, its flow, and its calls of the last seven days. Pure.
import type { Tone } from '../ui/badge.tsx';
import type { Agent, ListedFlow } from './api.ts';

/** A higher share of failed calls makes an agent fail, a lower one is a warning. */
const FAILING_RATE = 0.2;
const WARNING_RATE = 0.05;

export interface CallFigures {
  readonly conversations: number;
  readonly error_rate: number | null;
}

export interface Health {
  readonly tone: Tone;
  readonly label: string;
  /** Why, and what to do. */
  readonly detail: string | null;
}

/** Null: there is no such flow. Undefined: it is not known, for example without a key. */
export type KnownFlow = Pick<ListedFlow, 'name' | 'published_version'> | null | undefined;

/** @param figures undefined when they are not known */
export function judgeHealth(agent: Agent, flow: KnownFlow, figures: CallFigures | undefined): Health {
  if (agent.status === 'archived') return { tone: 'neutral', label: 'Archived', detail: null };
  const broken = agent.flow_id === null ? null : judgeFlow(agent, flow);
  if (broken !== null) return broken;
  if (agent.status === 'paused') return { tone: 'neutral', label: 'Paused', detail: null };
  if (figures === undefined) return { tone: 'neutral', label: 'Active', detail: null };
  return judgeCalls(figures);
}

function judgeFlow({ flow_version }: Agent, flow: KnownFlow): Health | null {
  if (flow === null)
    return { tone: 'bad', label: 'Flow missing', detail: 'The flow was deleted. Choose another one.' };
  if (flow !== undefined && flow_version === null && (flow.published_version ?? null) === null)
    return { tone: 'bad', label: 'Not published', detail: `Publish a version of “${flow.name}”.` };
  return null;
}

function judgeCalls({ conversations, error_rate }: CallFigures): Health {
  if (conversations === 0)
    return { tone: 'neutral', label: 'No calls', detail: 'None ended in the last 7 days' };
  const rate = error_rate ?? 0;
  if (rate < WARNING_RATE) return { tone: 'good', label: 'Healthy', detail: null };
  const detail = `${Math.round(rate * 100)} % of ${conversations.toLocaleString('en')} calls failed`;
  return rate < FAILING_RATE
    ? { tone: 'warn', label: 'Some fail', detail }
    : { tone: 'bad', label: 'Failing', detail };
}
