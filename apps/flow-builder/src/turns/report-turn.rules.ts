// Builds the messages that report a turn: to the voice API when the request names a bot, and to
// webhook nodes when the flow has ended. The same turn gives the same messages with the same ids,
// so a repeated call is reported once (docs/flow-language.md#what-a-turn-tells-others).
import { createHash } from 'node:crypto';
import type { RecordedTurn, Redactor } from '@parley/flow-analysis';
import type {
  Bag,
  CallerAnswer,
  CompiledFlow,
  CompiledWebhook,
  TurnBudget,
  TurnResult,
} from '@parley/flow-engine';
import type { OutgoingMessage } from '@parley/jobs';
import { describeToolResult, describeToolCall } from './reported-tools.rules.ts';

export interface ReportedTurn {
  readonly organizationId: string;
  readonly flowId: string;
  readonly version: number;
  readonly botId: string | null;
  readonly sessionId: string | null;
  /** The node where the turn resumed. */
  readonly currentNode: string | null;
  readonly userInput: string | null;
  /** The result of a tool or a handoff. */
  readonly answer: CallerAnswer | null;
  readonly nowMs: number;
  readonly trace: { readonly requestId: string; readonly traceparent: string };
}

/**
 * Transcript positions of one turn. A turn has fewer texts: it visits at most 200 nodes.
 */
const POSITIONS_PER_TURN = 100_000;

/**
 * Maximum of a text in the voice API. It refuses events with longer texts, so the recorded turn
 * travels with another event.
 */
const CARRIER_CHARACTERS_MAX = 100_000;

export interface TurnRecording {
  /** The recorded turn; null without a bot. */
  readonly recorded: RecordedTurn | null;
  /** Hides the values that the flow redacts (docs/flow-language.md#redaction). */
  readonly redactor: Redactor | null;
}

/** @param budget for all webhooks together: a flow may have a thousand, each with the variables */
export function buildReports(
  turn: ReportedTurn,
  flow: CompiledFlow,
  result: TurnResult,
  budget: TurnBudget,
  notes: TurnRecording,
): OutgoingMessage[] {
  return [
    ...buildConversationEvents(turn, flow, result, notes),
    ...buildWebhookDeliveries(turn, flow, result, budget, notes.redactor),
  ];
}

/**
 * Events in this order: started, user text or tool result, bot messages, tool call, ended. Each has
 * the same id in a repeated call. An utterance beside a result answers nothing and is not reported;
 * one beside a tool that is still running is.
 */
function buildConversationEvents(
  turn: ReportedTurn,
  flow: CompiledFlow,
  result: TurnResult,
  { recorded, redactor }: TurnRecording,
): OutgoingMessage[] {
  const { botId, sessionId } = turn;
  if (botId === null || sessionId === null) return [];
  const number = turnNumber(result);
  const facts = listFacts(turn, flow, result, redactor);
  const canCarryRecording = ({ data: { text } }: ConversationFact) =>
    typeof text !== 'string' || text.length <= CARRIER_CHARACTERS_MAX;
  // The last event carries the recording, after all others have arrived. A turn without a text gets
  // an event of its own.
  if (recorded !== null && !facts.some(canCarryRecording)) facts.push({ type: 'turn.recorded', data: {} });
  const carrier = facts.findLast(canCarryRecording);
  return facts.map(({ type, data }, index) => ({
    contract: 'conversation.event',
    organizationId: turn.organizationId,
    trace: turn.trace,
    payload: {
      id: computeId('evt', [botId, sessionId, number, index]),
      type,
      conversation_id: sessionId,
      bot_id: botId,
      occurred_at: new Date(turn.nowMs).toISOString(),
      data,
      ...(recorded !== null && facts[index] === carrier ? { turn: recorded } : {}),
    },
  }));
}

interface ConversationFact {
  readonly type: ConversationEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

function listFacts(
  turn: ReportedTurn,
  flow: CompiledFlow,
  result: TurnResult,
  redactor: Redactor | null,
): ConversationFact[] {
  const { flowId: flow_id, version: flow_version, currentNode, userInput } = turn;
  const number = turnNumber(result);
  const textFact = (
    type: ConversationEventType,
    index: number,
    text: string,
    nodeId: string | null,
  ): ConversationFact => ({
    type,
    data: {
      turn_index: (number - 1) * POSITIONS_PER_TURN + index,
      text,
      flow_id,
      flow_version,
      turn: number,
      ...(nodeId === null ? {} : { node_id: nodeId }),
    },
  });
  const redact = (text: string, nodeId: string) => redactor?.redactText(text, nodeId) ?? text;

  const facts: ConversationFact[] = [];
  if (number === 1)
    facts.push({ type: 'conversation.started', data: { channel: 'chat', flow_id, flow_version } });
  if (isHeard(turn) && userInput !== null && userInput.trim() !== '')
    facts.push(textFact('speech.final', 0, redactor?.utterance(userInput) ?? userInput, currentNode));
  for (const text of describeToolResult(turn, flow))
    facts.push(textFact('tool.returned', 0, redact(text, currentNode ?? ''), currentNode));
  for (const [index, { text, nodeId }] of result.outputs.entries())
    facts.push(textFact('bot.message', index + 1, redact(text, nodeId), nodeId));
  for (const text of describeToolCall(result))
    facts.push(
      textFact('tool.called', result.outputs.length + 1, redact(text, result.lastNode), result.lastNode),
    );
  if (result.nextNode === null)
    facts.push({
      type: 'conversation.ended',
      data: { end_reason: result.status === 'handed_off' ? 'handed_off' : 'flow_completed' },
    });
  return facts;
}

/** An utterance beside a result answers nothing; one while a tool still runs may call a command. */
function isHeard({ answer }: ReportedTurn): boolean {
  return answer === null || (answer.kind === 'tool_result' && answer.outcome.status === 'pending');
}

type ConversationEventType =
  | 'conversation.started'
  | 'speech.final'
  | 'bot.message'
  | 'tool.called'
  | 'tool.returned'
  | 'conversation.ended'
  | 'turn.recorded';

/** One delivery request for each webhook node that is subscribed to this end. */
function buildWebhookDeliveries(
  turn: ReportedTurn,
  flow: CompiledFlow,
  result: TurnResult,
  budget: TurnBudget,
  redactor: Redactor | null,
): OutgoingMessage[] {
  const { status, variables } = result;
  if (status !== 'completed' && status !== 'handed_off') return [];
  return flow.webhooks.flatMap((webhook): OutgoingMessage[] => {
    if (!webhook.events.has(status)) return [];
    const url = webhook.renderUrl?.(variables, budget, turn.nowMs);
    if (typeof url !== 'string') return [];
    const headers = webhook.renderHeaders?.(variables, budget, turn.nowMs) as Members | undefined;
    const event = `flow.${status}` as const;
    const data = buildPayload(webhook, turn, variables, budget, redactor);
    const identity = [turn.flowId, turn.sessionId, turnNumber(result), webhook.nodeId];
    // Without a session a repeated call cannot be recognised: every call gets its own id.
    const unique = turn.sessionId === null ? [turn.trace.requestId, turn.nowMs] : [];
    return [
      {
        contract: 'webhook.deliver',
        organizationId: turn.organizationId,
        trace: turn.trace,
        ...(turn.sessionId === null ? {} : { about: turn.sessionId }),
        payload: {
          url,
          event,
          ...(headers === undefined ? {} : { headers: selectTexts(headers) }),
          body: {
            id: computeId('evt', [...identity, ...unique]),
            event,
            timestamp: new Date(turn.nowMs).toISOString(),
            data,
          },
        },
      },
    ];
  });
}

/**
 * A payload that is too large to render is omitted. The turn has happened, so the receiver is
 * notified without it.
 */
function buildPayload(
  webhook: CompiledWebhook,
  turn: ReportedTurn,
  variables: Bag,
  budget: TurnBudget,
  redactor: Redactor | null,
): unknown {
  const { flowId: flow_id, version, sessionId: session_id } = turn;
  const payload =
    webhook.renderPayload === null
      ? budget.fits(variables)
        ? { flow_id, version, session_id, variables: redactor?.bag(variables) ?? variables }
        : undefined
      : webhook.renderPayload(variables, budget, turn.nowMs);
  return payload === undefined ? { flow_id, version, session_id, omitted: 'turn_too_costly' } : payload;
}

/** The engine counts turns in the variables. */
function turnNumber(result: TurnResult): number {
  return (result.variables['_flow'] as { turn: number }).turn;
}

type Members = Readonly<Record<string, unknown>>;

function selectTexts(headers: Members): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function computeId(prefix: string, identity: readonly unknown[]): string {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)}`;
}
