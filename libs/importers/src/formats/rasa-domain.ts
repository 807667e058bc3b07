// Reads the files of a Rasa project: flows, responses, slots and sub agents.
// Sources: rasa.com/docs/reference/primitives (flows, flow-steps, slots, responses),
// rasa.com/docs/reference/config/agents (overview-agents, react-sub-agents), and RasaHQ/rasa:
// rasa/shared/core/flows/flows_yaml_schema.json for `generation_prompt` and `nlu_trigger`,
// rasa/shared/nlu/training_data (formats/rasa_yaml.py, entities_parser.py) for `nlu`.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { readCondition } from '../conditions.ts';
import type { EdgeCondition } from '../draft.ts';
import { listFiles } from '../files.ts';
import {
  findText,
  getMember,
  isMembers,
  toList,
  toMembers,
  toMembersList,
  toText,
  type Members,
} from '../source.ts';
import { placeholders, toTemplate, toVariableName, unmarkEntities } from '../words.ts';

const endings = ['.yml', '.yaml', '.json'];

export const isRasa = (source: Members): boolean =>
  hasFlows(source) || listFiles(source, endings).some(({ content }) => hasFlows(content));

const hasFlows = (content: Members): boolean =>
  Object.values(toMembers(content['flows'])).some((flow) =>
    toMembersList(getMember(flow, 'steps')).some((step) => getKind(step) !== 'unknown'),
  );

export interface Flow {
  readonly name: string;
  readonly flow: Members;
  readonly where: readonly (string | number)[];
}

export interface Domain {
  readonly flows: ReadonlyMap<string, Flow>;
  readonly slots: ReadonlyMap<string, Members>;
  /** Training phrases by intent. */
  readonly phrases: ReadonlyMap<string, readonly string[]>;
  /** Sub agents by name: their `config.yml`. */
  readonly agents: ReadonlyMap<string, Members>;
  /** The text of a response; null when there is none of that name. */
  saying(name: string): { readonly text: string; readonly variants: readonly string[] } | null;
}

export function readDomain(source: Members): Domain {
  const files = hasFlows(source)
    ? [{ content: source, base: [] as string[] }]
    : listFiles(source, endings).map(({ path, content }) => ({ content, base: ['files', path] }));
  const flows = new Map<string, Flow>();
  const agents = new Map<string, Members>();
  const phrases = new Map<string, string[]>();
  const [responses, slots] = [new Map<string, readonly Members[]>(), new Map<string, Members>()];
  for (const { content, base } of files) {
    for (const [name, flow] of Object.entries(toMembers(content['flows'])))
      if (isMembers(flow)) flows.set(name, { name, flow, where: [...base, 'flows', name] });
    for (const { intent, examples } of toMembersList(content['nlu']))
      phrases.set(toText(intent), [...(phrases.get(toText(intent)) ?? []), ...listPhrases(examples)]);
    const agent = toText(getMember(content, 'agent', 'name'));
    if (agent !== '') agents.set(agent, content);
    for (const [name, told] of Object.entries(toMembers(content['responses'])))
      responses.set(name, toMembersList(told));
    for (const [name, slot] of Object.entries(toMembers(content['slots']))) slots.set(name, toMembers(slot));
  }
  const saying: Domain['saying'] = (name) => {
    const told = responses.get(name);
    if (told === undefined) return null;
    const texts = told.map((response) => {
      const buttons = toMembersList(response['buttons']).map(({ title }) => `- ${toText(title)}`);
      return toTemplate(
        [toText(response['text']), ...buttons].filter((line) => line !== '').join('\n'),
        placeholders.brace,
      );
    });
    const [text = '', ...variants] = texts.filter((one) => one !== '');
    return { text, variants: variants.slice(0, limits.variantsMax) };
  };
  return { flows, slots, phrases, agents, saying };
}

/** A text with a phrase a line, or a list of objects with a `text`; entities lose their markup. */
const listPhrases = (examples: unknown): string[] =>
  (typeof examples === 'string'
    ? examples.split('\n')
    : toMembersList(examples).map(({ text }) => toText(text))
  ).map((phrase) => unmarkEntities(phrase.trim().replace(/^- ?/u, '')));

/** The intents that start a flow: `nlu_trigger` names them, with a threshold or without. */
export const listIntents = (flow: Members): string[] =>
  toMembersList(flow['nlu_trigger']).map(({ intent }) => findText(intent, getMember(intent, 'name')));

const kinds = ['collect', 'action', 'set_slots', 'call', 'link', 'generation_prompt', 'noop'] as const;
export const getKind = (step: Members): string => kinds.find((kind) => kind in step) ?? 'unknown';

/** Whether callers can start the flow; others are only called by flows. */
export const isEntryFlow = (name: string, flow: Members): boolean =>
  !name.startsWith('pattern_') &&
  flow['if'] !== false &&
  !/^false$/iu.test(toText(flow['if'])) &&
  toList(flow['steps']).length > 0;

export const parseCondition = (text: unknown): EdgeCondition | null =>
  typeof text === 'string'
    ? readCondition(text, {
        variable: (word) => {
          const [, name] = /^(?:slots|context)\.([\p{L}_][\p{L}\p{N}_.]*)$/u.exec(word) ?? [];
          return name === undefined ? null : toVariableName(name);
        },
      })
    : null;

export function toCast(slot: Members | undefined): Partial<AuthoredNode> {
  switch (slot?.['type']) {
    case 'bool':
      return { cast: 'boolean' };
    case 'float':
      return { cast: 'number' };
    case 'list':
      return { cast: 'list' };
    case 'categorical': {
      const choices = toList(slot['values']).flatMap((value) =>
        typeof value === 'string' && value.trim() !== '' ? [value] : [],
      );
      return choices.length === 0
        ? {}
        : { cast: 'enum', choices: choices.slice(0, limits.classifierChoicesMax) };
    }
    default:
      return {};
  }
}

export const toValue = (value: unknown): unknown =>
  typeof value === 'string' ? toTemplate(value, placeholders.brace) : value;
