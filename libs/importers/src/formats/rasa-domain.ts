// What the files of a Rasa project hold: flows, the responses and slots of the domain; and how single words of them are read.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { readCondition } from '../conditions.ts';
import type { EdgeCondition } from '../draft.ts';
import { filesOf } from '../files.ts';
import { allMembers, at, isMembers, listOf, membersOf, textOf, type Members } from '../source.ts';
import { placeholders, template, variableName } from '../words.ts';

const endings = ['.yml', '.yaml', '.json'];

export const isRasa = (source: Members): boolean =>
  hasFlows(source) || filesOf(source, endings).some(({ content }) => hasFlows(content));

const hasFlows = (content: Members): boolean =>
  Object.values(membersOf(content['flows'])).some((flow) => Array.isArray(at(flow, 'steps')));

export interface Flow {
  readonly name: string;
  readonly flow: Members;
  readonly where: readonly (string | number)[];
}

export interface Domain {
  readonly flows: ReadonlyMap<string, Flow>;
  readonly slots: ReadonlyMap<string, Members>;
  /** A response as it is said; null: there is none of that name. */
  saying(name: string): { readonly text: string; readonly variants: readonly string[] } | null;
}

export function readDomain(source: Members): Domain {
  const files = hasFlows(source)
    ? [{ content: source, base: [] as string[] }]
    : filesOf(source, endings).map(({ path, content }) => ({ content, base: ['files', path] }));
  const flows = new Map<string, Flow>();
  const [responses, slots] = [new Map<string, readonly Members[]>(), new Map<string, Members>()];
  for (const { content, base } of files) {
    for (const [name, flow] of Object.entries(membersOf(content['flows'])))
      if (isMembers(flow)) flows.set(name, { name, flow, where: [...base, 'flows', name] });
    for (const [name, told] of Object.entries(membersOf(content['responses'])))
      responses.set(name, allMembers(told));
    for (const [name, slot] of Object.entries(membersOf(content['slots']))) slots.set(name, membersOf(slot));
  }
  const saying: Domain['saying'] = (name) => {
    const told = responses.get(name);
    if (told === undefined) return null;
    const texts = told.map((response) => {
      const buttons = allMembers(response['buttons']).map(({ title }) => `- ${textOf(title)}`);
      return template(
        [textOf(response['text']), ...buttons].filter((line) => line !== '').join('\n'),
        placeholders.brace,
      );
    });
    const [text = '', ...variants] = texts.filter((one) => one !== '');
    return { text, variants: variants.slice(0, limits.variantsMax) };
  };
  return { flows, slots, saying };
}

const kinds = ['collect', 'action', 'set_slots', 'call', 'link', 'generation_prompt', 'noop'] as const;
export const kindOf = (step: Members): string => kinds.find((kind) => kind in step) ?? 'unknown';

/** A flow that nobody can ask for is only called by others. */
export const isAsked = (name: string, flow: Members): boolean =>
  !name.startsWith('pattern_') &&
  flow['if'] !== false &&
  !/^false$/iu.test(textOf(flow['if'])) &&
  listOf(flow['steps']).length > 0;

export const conditionFrom = (text: unknown): EdgeCondition | null =>
  typeof text === 'string'
    ? readCondition(text, {
        variable: (word) => {
          const [, name] = /^(?:slots|context)\.([\p{L}_][\p{L}\p{N}_.]*)$/u.exec(word) ?? [];
          return name === undefined ? null : variableName(name);
        },
      })
    : null;

export function castOf(slot: Members | undefined): Partial<AuthoredNode> {
  switch (slot?.['type']) {
    case 'bool':
      return { cast: 'boolean' };
    case 'float':
      return { cast: 'number' };
    case 'list':
      return { cast: 'list' };
    case 'categorical': {
      const choices = listOf(slot['values']).flatMap((value) =>
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

export const said = (value: unknown): unknown =>
  typeof value === 'string' ? template(value, placeholders.brace) : value;
