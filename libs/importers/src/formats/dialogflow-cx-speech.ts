// What a Dialogflow CX agent says and asks: fulfillments, and the parameters of a form.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { allMembers, at, firstText, listOf, textOf, type Members } from '../source.ts';
import { placeholders, template, variableName } from '../words.ts';

export interface Words {
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
    return language === undefined || textOf(language).toLowerCase() === this.language;
  }

  wordsOf(fulfillment: unknown): Words {
    const messages = allMembers(at(fulfillment, 'messages')).filter(({ languageCode }) =>
      this.speaks(languageCode),
    );
    const all = messages.flatMap((message) => {
      const texts = listOf(at(message, 'text', 'text') ?? at(message, 'outputAudioText', 'text')).map(textOf);
      const told = texts.filter((text) => text !== '').map((text) => template(text, placeholders.dollar));
      return told.length === 0 ? [] : [told];
    });
    const [only, ...more] = all;
    const set = allMembers(at(fulfillment, 'setParameterActions')).flatMap(({ parameter, value }) => {
      const variable = variableName(textOf(parameter));
      if (variable === null) return [];
      const to = typeof value === 'string' ? template(value, placeholders.dollar) : value;
      return [to == null ? { variable, clear: true } : { variable, to }];
    });
    return {
      text: all.map(([first]) => first).join('\n'),
      variants: more.length === 0 ? (only ?? []).slice(1, 1 + limits.variantsMax) : [],
      set: set.slice(0, limits.assignmentsMax),
      tool:
        textOf(at(fulfillment, 'webhook')) === ''
          ? null
          : firstText(at(fulfillment, 'tag'), at(fulfillment, 'webhook')),
      handsOff: messages.some((message) => 'liveAgentHandoff' in message),
      over: messages.some((message) => 'endInteraction' in message),
    };
  }

  /** A form: one sentence may fill several of its parameters, and what is filled is not asked. */
  *form(parameters: readonly Members[], idOf: (suffix: string) => string): Generator<AuthoredNode> {
    const filled = parameters.map((parameter) => {
      const { variable, cast = 'string' } = this.question(parameter, '');
      return wholeAnswers.has(cast ?? 'string') ? '' : (variable ?? '');
    });
    for (const [place, parameter] of parameters.entries()) {
      const question = this.question(parameter, idOf(textOf(parameter['displayName'])));
      const later = filled.slice(place + 1).filter((name) => name !== '' && name !== question.variable);
      const also = question.cast === 'list' ? [] : [...new Set(later)].slice(0, limits.alsoMax);
      yield { ...question, ...(also.length === 0 ? {} : { also }), skip_if_set: true };
    }
  }

  private question(parameter: Members, id: string): AuthoredNode {
    const fill = parameter['fillBehavior'];
    const { text, variants } = this.wordsOf(at(fill, 'initialPromptFulfillment'));
    const handlers = allMembers(at(fill, 'repromptEventHandlers'));
    const retry = handlers.find(({ event }) => textOf(event).startsWith('sys.no-match'));
    const reprompt = this.wordsOf(retry?.['triggerFulfillment']).text;
    return {
      id,
      type: 'collect',
      prompt: text,
      variable: variableName(textOf(parameter['displayName'])) ?? 'answer',
      ...(variants.length === 0 ? {} : { variants }),
      ...(reprompt === '' ? {} : { reprompt }),
      ...this.castOf(textOf(parameter['entityType']), parameter['isList'] === true),
    };
  }

  private castOf(entity: string, isList: boolean): Partial<AuthoredNode> {
    if (isList) return { cast: 'list' };
    const known = casts.get(entity);
    if (known !== undefined) return { cast: known };
    const choices = (this.entities.get(entity.replace(/^@/u, '')) ?? []).flatMap(({ value, synonyms }) => {
      const others = listOf(synonyms)
        .map(textOf)
        .filter((one) => one !== '' && one !== textOf(value));
      return textOf(value) === ''
        ? []
        : [others.length === 0 ? textOf(value) : { value: textOf(value), synonyms: others }];
    });
    return choices.length === 0
      ? {}
      : { cast: 'enum', choices: choices.slice(0, limits.classifierChoicesMax) };
  }
}

/** Casts of answers that stand alone: an answer to another question does not hold one. */
const wholeAnswers: ReadonlySet<string> = new Set(['string', 'boolean', 'list', 'json']);

/** The nodes that do what a fulfillment says, one after the other. */
export function sayings(
  { text, variants, set, tool, handsOff, over }: Words,
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
