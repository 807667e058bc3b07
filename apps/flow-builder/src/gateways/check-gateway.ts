// Tries classifier, extractor and agent with one small question each, and says what came back
// (docs/providers.md#check). The questions are ours, so no text of a customer leaves the service.
import type { BranchQuestion, ExtractQuestion } from '@parley/flow-engine';
import type { Classifier } from './classifier.ts';
import type { Extractor } from './extractor.ts';
import { GOAL_REACHED, readToolSet } from './agent-tools.ts';
import { failureTexts, type GatewayFailure } from './failures.ts';
import type { Meter } from './meter.ts';
import { storableText } from './outside-json.ts';
import type { ModelUse, Provider } from './provider.ts';

/** For the slowest of the three; they run together. */
const CHECK_TIMEOUT_MS = 20_000;
/** Characters of an answer in a message. */
const SHOWN_CHARS_MAX = 120;

export const PROVIDER_SOURCES = ['deployment', 'organization', 'fallback', 'flow'] as const;
/** Whose configuration the provider comes from; `flow`: a provider that flows name. */
export type ProviderSource = (typeof PROVIDER_SOURCES)[number];

export interface GatewayCheck {
  readonly provider: ProviderSource;
  readonly use: ModelUse;
  readonly status: 'ok' | 'failed' | 'not_configured';
  readonly model: string | null;
  readonly ms: number | null;
  /** A class of failure, or `wrong_answer`. */
  readonly reason: GatewayFailure | 'wrong_answer' | null;
  readonly message: string;
}

export interface CheckedGateways {
  readonly source: ProviderSource;
  readonly provider: Provider;
  readonly classifier: Classifier;
  readonly extractor: Extractor | null;
  readonly models: Readonly<Record<ModelUse, string | undefined>>;
  readonly meter: Meter;
}

type Finding = Pick<GatewayCheck, 'status' | 'reason' | 'message'>;

const ok = (message: string): Finding => ({ status: 'ok', reason: null, message });
const wrong = (message: string): Finding => ({ status: 'failed', reason: 'wrong_answer', message });
const failed = (reason: GatewayFailure): Finding => ({
  status: 'failed',
  reason,
  message: failureTexts[reason],
});

export async function checkGateways(checked: CheckedGateways): Promise<readonly GatewayCheck[]> {
  const { source, provider, classifier, extractor, models, meter } = checked;
  const checks = await Promise.all([
    check('classifier', models.classifier, () => checkClassifier(classifier, meter)),
    check('extractor', models.extractor, () => checkExtractor(extractor!, meter)),
    check('agent', models.agent, (model) => checkAgent(provider, model, meter)),
  ]);
  return checks
    .filter(({ status }) => source !== 'flow' || status !== 'not_configured')
    .map((one): GatewayCheck => ({ provider: source, ...one }));
}

/** Without a provider. */
export const uncheckedGateways: readonly GatewayCheck[] = [
  notConfigured('classifier', 'No provider is configured: the lexical classifier compares words.'),
  notConfigured('extractor', 'No provider is configured: nothing is extracted.'),
  notConfigured('agent', 'No provider is configured: callers run autonomous nodes.'),
].map((one) => ({ provider: 'deployment', ...one }));

type UseCheck = Omit<GatewayCheck, 'provider'>;

async function check(
  use: ModelUse,
  model: string | undefined,
  run: (model: string) => Promise<Finding>,
): Promise<UseCheck> {
  if (model === undefined) return notConfigured(use, `No model of the ${use} is configured.`);
  const startedAt = performance.now();
  const { status, reason, message } = await run(model);
  return { use, status, model, ms: Math.round(performance.now() - startedAt), reason, message };
}

function notConfigured(use: ModelUse, message: string): UseCheck {
  return { use, status: 'not_configured', model: null, ms: null, reason: null, message };
}

const branch: BranchQuestion = {
  nodeId: 'check',
  utterance: 'I would like my money back, please.',
  persona: null,
  candidates: [
    { index: 0, nl: 'the caller wants a refund', label: 'Refund' },
    { index: 1, nl: 'the caller wants to change an address', label: 'Address' },
  ],
};

async function checkClassifier(classifier: Classifier, meter: Meter): Promise<Finding> {
  const answer = await classifier.classify(branch, CHECK_TIMEOUT_MS, { meter });
  switch (answer.kind) {
    case 'chosen': {
      const { nl } = branch.candidates[answer.index]!;
      const said = `For "${branch.utterance}" it chose "${nl}" with confidence ${answer.confidence}.`;
      return answer.index === 0 ? ok(said) : wrong(`${said} Use a stronger model.`);
    }
    case 'none':
      return wrong(`For "${branch.utterance}" it chose no condition. Use a stronger model.`);
    case 'unavailable':
      return failed((answer.failure as GatewayFailure | undefined) ?? 'timeout');
  }
}

const extraction: ExtractQuestion = {
  nodeId: 'check',
  utterance: 'My name is Ada, and we stay two nights.',
  prompt: 'What is your name, and how many nights do you stay?',
  schema: { type: 'object', properties: { name: { type: 'string' }, nights: { type: 'integer' } } },
};

async function checkExtractor(extractor: Extractor, meter: Meter): Promise<Finding> {
  const answer = await extractor.extract(extraction, CHECK_TIMEOUT_MS, { meter });
  if (answer.kind === 'unavailable') return failed(answer.reason as GatewayFailure);
  const said = `From "${extraction.utterance}" it read ${shorten(JSON.stringify(answer.values))}.`;
  const { name, nights } = answer.values;
  return name === 'Ada' && nights === 2 ? ok(said) : wrong(`${said} Use a stronger model.`);
}

async function checkAgent(provider: Provider, model: string, meter: Meter): Promise<Finding> {
  const answer = await provider.chat({
    use: 'agent',
    model,
    messages: [
      { role: 'system', content: `Greet the person: call the tool "${GOAL_REACHED}" with your greeting.` },
      { role: 'user', content: 'Hello, I am Ada.' },
    ],
    options: { tools: readToolSet({ tools: null, toolDispatch: null }).wire },
    timeoutMs: CHECK_TIMEOUT_MS,
    meter,
  });
  if (answer.kind === 'failed') return failed(answer.failure);
  const { content, toolCalls } = answer.completion;
  if (toolCalls.some(({ function: { name } }) => name === GOAL_REACHED)) {
    return ok(`It called the tool "${GOAL_REACHED}".`);
  }
  const said = `It called no tool and answered ${JSON.stringify(shorten(content ?? ''))}.`;
  return wrong(`${said} Use a model that calls tools, and a server that passes the calls on.`);
}

const shorten = (text: string): string => storableText(text).slice(0, SHOWN_CHARS_MAX);
