// Imports messages and questions of a Dialogflow CX agent: fulfillments, and the parameters of a
// form.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { toMembersList, getMember, findText, toList, toMembers, toText, type Members } from '../source.ts';
import { placeholders, toTemplate, toVariableName } from '../words.ts';
import type { CxGenerators, ToolCall } from './dialogflow-cx-generators.ts';

export interface TextChoice {
  readonly text: string;
  readonly variants: readonly string[];
  readonly set: readonly object[];
  /** Tools that the caller runs before it speaks. */
  readonly calls: readonly ToolCall[];
  /** The number of a transfer; '' for a person. */
  readonly target: string;
  readonly handsOff: boolean;
  readonly over: boolean;
}

export class CxSpeech {
  private readonly language: string;
  private readonly entities: ReadonlyMap<string, Members[]>;
  private readonly generators: CxGenerators;

  constructor(language: string, entities: ReadonlyMap<string, Members[]>, generators: CxGenerators) {
    this.language = language;
    this.entities = entities;
    this.generators = generators;
  }

  speaks(language: unknown): boolean {
    return language === undefined || toText(language).toLowerCase() === this.language;
  }

  wordsOf(fulfillment: unknown): TextChoice {
    const messages = toMembersList(getMember(fulfillment, 'messages')).filter(({ languageCode }) =>
      this.speaks(languageCode),
    );
    const all = messages.map(textsOf).filter((told) => told.length > 0);
    const [only, ...more] = all;
    const set = toMembersList(getMember(fulfillment, 'setParameterActions')).flatMap(
      ({ parameter, value }) => {
        const variable = toVariableName(toText(parameter));
        if (variable === null) return [];
        const to = typeof value === 'string' ? toTemplate(value, placeholders.dollar) : value;
        return [to == null ? { variable, clear: true } : { variable, to }];
      },
    );
    const webhook = toText(getMember(fulfillment, 'webhook'));
    const call: ToolCall = {
      tool: findText(getMember(fulfillment, 'tag'), webhook),
      args: toText(getMember(fulfillment, 'tag')) === '' ? {} : { webhook },
    };
    const phone = messages.map((message) => getMember(message, 'telephonyTransferCall', 'phoneNumber'));
    return {
      text: all.map(([first]) => first).join('\n'),
      variants: more.length === 0 ? (only ?? []).slice(1, 1 + limits.variantsMax) : [],
      set: set.slice(0, limits.assignmentsMax),
      calls: [...this.generators.callsOf(fulfillment), ...(webhook === '' ? [] : [call])],
      target: findText(...phone),
      handsOff: messages.some(
        (message) => 'liveAgentHandoff' in message || 'telephonyTransferCall' in message,
      ),
      over: messages.some((message) => 'endInteraction' in message),
    };
  }

  /** A form: one sentence may fill several parameters, and filled ones are not asked. */
  *form(parameters: readonly Members[], idOf: (suffix: string) => string): Generator<AuthoredNode> {
    const filled = parameters.map((parameter) => {
      const { variable, cast = 'string' } = this.question(parameter, '');
      return wholeAnswers.has(cast ?? 'string') ? '' : (variable ?? '');
    });
    for (const [place, parameter] of parameters.entries()) {
      const question = this.question(parameter, idOf(toText(parameter['displayName'])));
      const later = filled.slice(place + 1).filter((name) => name !== '' && name !== question.variable);
      const also = question.cast === 'list' ? [] : [...new Set(later)].slice(0, limits.alsoMax);
      yield { ...question, ...(also.length === 0 ? {} : { also }), skip_if_set: true };
    }
  }

  private question(parameter: Members, id: string): AuthoredNode {
    const fill = parameter['fillBehavior'];
    const { text, variants } = this.wordsOf(getMember(fill, 'initialPromptFulfillment'));
    const handlers = toMembersList(getMember(fill, 'repromptEventHandlers'));
    const retry = handlers.find(({ event }) => toText(event).startsWith('sys.no-match'));
    const reprompt = this.wordsOf(retry?.['triggerFulfillment']).text;
    return {
      id,
      type: 'collect',
      prompt: text,
      variable: toVariableName(toText(parameter['displayName'])) ?? 'answer',
      ...(variants.length === 0 ? {} : { variants }),
      ...(reprompt === '' ? {} : { reprompt }),
      ...this.castOf(toText(parameter['entityType']), parameter['isList'] === true),
    };
  }

  private castOf(entity: string, isList: boolean): Partial<AuthoredNode> {
    if (isList) return { cast: 'list' };
    const known = casts.get(entity);
    if (known !== undefined) return { cast: known };
    const choices = (this.entities.get(entity.replace(/^@/u, '')) ?? []).flatMap(({ value, synonyms }) => {
      const others = toList(synonyms)
        .map(toText)
        .filter((one) => one !== '' && one !== toText(value));
      return toText(value) === ''
        ? []
        : [others.length === 0 ? toText(value) : { value: toText(value), synonyms: others }];
    });
    return choices.length === 0
      ? {}
      : { cast: 'enum', choices: choices.slice(0, limits.classifierChoicesMax) };
  }
}

/** The ways to say one message. */
function textsOf(message: Members): readonly string[] {
  const spoken = getMember(message, 'outputAudioText');
  const markup = toText(getMember(spoken, 'ssml')).replaceAll(/<[^<>]*>/gu, ' ');
  const listed = toList(getMember(message, 'text', 'text') ?? getMember(spoken, 'text')).map(toText);
  const one = findText(getMember(spoken, 'text'), markup);
  const rich = toList(getMember(message, 'payload', 'richContent'))
    .flatMap(toList)
    .flatMap(richTexts);
  return [...listed, one, rich.join('\n')]
    .filter((text) => text !== '')
    .map((text) => toTemplate(text, placeholders.dollar));
}

/**
 * Elements that say something; chips and buttons are choices without a sentence. Source:
 * cloud.google.com/dialogflow/cx/docs/concept/integration/dialogflow-messenger/fulfillment
 */
const sayingElements: ReadonlySet<unknown> = new Set(['description', 'info', 'accordion', 'list']);

function richTexts(element: unknown): readonly string[] {
  if (!sayingElements.has(getMember(element, 'type'))) return [];
  const { title, subtitle, text } = toMembers(element);
  return [title, subtitle, text]
    .flat()
    .map(toText)
    .filter((line) => line !== '');
}

/** Casts that take the whole answer, so an answer to another question cannot contain one. */
const wholeAnswers: ReadonlySet<string> = new Set(['string', 'boolean', 'list', 'json']);

/** The nodes of a fulfillment, in order. */
export function createMessageNodes(
  { text, variants, set, calls, target, handsOff, over }: TextChoice,
  id: (suffix: string) => string,
): AuthoredNode[] {
  const nodes: AuthoredNode[] = [];
  const says = text === '' ? {} : { text };
  for (const { tool, args, variable } of calls)
    nodes.push({
      id: id(variable === undefined ? 'webhook' : 'generator'),
      type: 'tool',
      tool,
      args,
      wait_for_result: true,
      ...(variable === undefined ? {} : { output_var: variable }),
    });
  if (handsOff) nodes.push({ id: id('handoff'), type: 'handoff', target: target || 'agent', ...says });
  else if (over) nodes.push({ id: id('end'), type: 'end', ...says });
  else if (text !== '' || set.length > 0)
    nodes.push({
      id: id('says'),
      type: text === '' ? 'branch' : 'message',
      ...says,
      ...(variants.length === 0 ? {} : { variants }),
      ...(set.length === 0 ? {} : { set }),
    });
  return nodes;
}

const casts = new Map(
  Object.entries({
    '@sys.number': 'number',
    '@sys.number-integer': 'integer',
    '@sys.cardinal': 'number',
    '@sys.date': 'date',
    '@sys.time': 'time',
    '@sys.date-time': 'datetime',
    '@sys.email': 'email',
    '@sys.phone-number': 'phone',
    '@sys.url': 'url',
  }),
);
