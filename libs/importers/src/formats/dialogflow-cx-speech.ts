// Imports messages and questions of a Dialogflow CX agent: fulfillments, and the parameters of a
// form.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { toMembersList, getMember, findText, toList, toText, type Members } from '../source.ts';
import { placeholders, toTemplate, toVariableName } from '../words.ts';

export interface TextChoice {
  readonly text: string;
  readonly variants: readonly string[];
  readonly set: readonly object[];
  readonly tool: string | null;
  readonly handsOff: boolean;
  readonly over: boolean;
}

export class CxSpeech {
  private readonly language: string;
  private readonly entities: ReadonlyMap<string, Members[]>;

  constructor(language: string, entities: ReadonlyMap<string, Members[]>) {
    this.language = language;
    this.entities = entities;
  }

  speaks(language: unknown): boolean {
    return language === undefined || toText(language).toLowerCase() === this.language;
  }

  wordsOf(fulfillment: unknown): TextChoice {
    const messages = toMembersList(getMember(fulfillment, 'messages')).filter(({ languageCode }) =>
      this.speaks(languageCode),
    );
    const all = messages.flatMap((message) => {
      const texts = toList(
        getMember(message, 'text', 'text') ?? getMember(message, 'outputAudioText', 'text'),
      ).map(toText);
      const told = texts.filter((text) => text !== '').map((text) => toTemplate(text, placeholders.dollar));
      return told.length === 0 ? [] : [told];
    });
    const [only, ...more] = all;
    const set = toMembersList(getMember(fulfillment, 'setParameterActions')).flatMap(
      ({ parameter, value }) => {
        const variable = toVariableName(toText(parameter));
        if (variable === null) return [];
        const to = typeof value === 'string' ? toTemplate(value, placeholders.dollar) : value;
        return [to == null ? { variable, clear: true } : { variable, to }];
      },
    );
    return {
      text: all.map(([first]) => first).join('\n'),
      variants: more.length === 0 ? (only ?? []).slice(1, 1 + limits.variantsMax) : [],
      set: set.slice(0, limits.assignmentsMax),
      tool:
        toText(getMember(fulfillment, 'webhook')) === ''
          ? null
          : findText(getMember(fulfillment, 'tag'), getMember(fulfillment, 'webhook')),
      handsOff: messages.some((message) => 'liveAgentHandoff' in message),
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

/** Casts that take the whole answer, so an answer to another question cannot contain one. */
const wholeAnswers: ReadonlySet<string> = new Set(['string', 'boolean', 'list', 'json']);

/** The nodes of a fulfillment, in order. */
export function createMessageNodes(
  { text, variants, set, tool, handsOff, over }: TextChoice,
  id: (suffix: string) => string,
): AuthoredNode[] {
  const nodes: AuthoredNode[] = [];
  const says = text === '' ? {} : { text };
  if (tool !== null) nodes.push({ id: id('webhook'), type: 'tool', tool, args: {}, wait_for_result: true });
  if (handsOff) nodes.push({ id: id('handoff'), type: 'handoff', target: 'agent', ...says });
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
