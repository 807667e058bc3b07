// Imports playbooks of a Dialogflow CX agent, and the tools that they name, as agents that talk.
// Sources: googleapis, google/cloud/dialogflow/cx/v3/playbook.proto, tool.proto, example.proto and
// parameter_definition.proto; the exported folder as GoogleCloudPlatform/cxas-scrapi reads it
// (src/cxas_scrapi/migration/dfcx_exporter.py); references in instructions:
// cloud.google.com/dialogflow/cx/docs/concept/playbook/instruction.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { toBindings, type AgentTool } from '../agents.ts';
import { addTalk, type Exit, type Extraction } from '../converse.ts';
import { approximated, type Draft } from '../draft.ts';
import { readText, type SourceFile } from '../files.ts';
import { findText, getMember, isMembers, toList, toMembersList, toText, type Members } from '../source.ts';
import { placeholders, toTemplate, toVariableName } from '../words.ts';
import { createMessageNodes, type CxSpeech } from './dialogflow-cx-speech.ts';
import { listOperations } from './openapi-tools.ts';

const playbookPath = /(?:^|\/)playbooks\/([^/]+)\/\1\.json$/u;
const toolPath = /(?:^|\/)tools\/([^/]+)\/(?:\1\.json|schema\.ya?ml)$/u;
/** `AGENT` is the older word for a playbook. */
const reference = /\$\{\s*(PLAYBOOK|AGENT|FLOW)\s*:\s*([^}]+?)\s*\}/giu;
const CONDITION_CHARS_MAX = 500;
const STEPS_DEPTH_MAX = 10;

export const isPlaybook = ({ path, content }: SourceFile): boolean =>
  playbookPath.test(path) && typeof content['goal'] === 'string';

interface Playbook {
  readonly name: string;
  readonly content: Members;
  readonly file: string;
  /** Where a conversation enters it: the node of the agent, or a message before it. */
  readonly entry: string;
  readonly agent: string;
  readonly instructions: string;
}

export class CxPlaybooks {
  private readonly draft: Draft;
  private readonly speech: CxSpeech;
  private readonly playbooks = new Map<string, Playbook>();
  private readonly tools = new Map<string, Members>();
  private readonly schemas = new Map<string, Members>();
  /** The name of the playbook at which a conversation starts; '' for a flow. */
  private readonly start: string;

  constructor(files: readonly SourceFile[], draft: Draft, speech: CxSpeech, start: string) {
    this.draft = draft;
    this.speech = speech;
    this.start = start;
    for (const file of files) {
      const [, folder = ''] = toolPath.exec(file.path) ?? [];
      if (isPlaybook(file)) this.place(file);
      else if (/schema\.ya?ml$/iu.test(file.path)) this.schemas.set(folder, file.content);
      else if (folder !== '') this.placeTool(folder, file.content);
    }
  }

  private place({ path, content }: SourceFile): void {
    const [, folder = ''] = playbookPath.exec(path) ?? [];
    const name = findText(content['displayName'], folder);
    const agent = this.draft.id(name);
    const entry = this.greets(content) ? this.draft.id(`${name}.start`) : agent;
    const lines = [toText(getMember(content, 'instruction', 'guidelines'))];
    lines.push(...listSteps(getMember(content, 'instruction', 'steps')));
    const instructions = lines.filter((line) => line !== '').join('\n');
    this.playbooks.set(name, { name, content, file: path, entry, agent, instructions });
  }

  /** By folder, which holds its schema, by name and by id: references use each. */
  private placeTool(folder: string, content: Members): void {
    const tool = { folder, ...content };
    for (const name of [folder, toText(content['displayName']), toText(content['name'])])
      if (name !== '' && !this.tools.has(name)) this.tools.set(name, tool);
  }

  /** The node at which a playbook is entered, by its name or the last part of its resource name. */
  entryOf(name: unknown): string | undefined {
    return this.find(name)?.entry;
  }

  first(): string | undefined {
    return (this.find(this.start) ?? this.playbooks.values().next().value)?.entry;
  }

  /** The agent to which a flow returns: the first that sends callers there. */
  callerOf(flow: string): string | undefined {
    return [...this.playbooks.values()].find((playbook) => this.refersTo(playbook, 'FLOW', flow))?.agent;
  }

  private find(name: unknown): Playbook | undefined {
    const last = toText(name).split('/').at(-1) ?? '';
    const known = this.playbooks.get(toText(name));
    const byId = () => [...this.playbooks.values()].find(({ content }) => content['name'] === last);
    return known ?? (last === '' ? undefined : byId());
  }

  /** @param entryOfFlow the first node of a flow */
  read(entryOfFlow: (name: string) => string | undefined): void {
    for (const playbook of this.playbooks.values()) {
      const { draft } = this;
      const { name, content, file, agent, entry } = playbook;
      const before = entry === agent ? [] : this.addGreeting(playbook);
      const goal = toTemplate(toText(content['goal']), placeholders.dollar);
      const parameters = describeParameters(content);
      const prompt = toTemplate(
        [playbook.instructions, parameters].filter((text) => text !== '').join('\n\n'),
        placeholders.dollar,
      );
      const bindings = this.bindingsOf(content, prompt === '' ? {} : { prompt });
      const extraction = listOutputs(content);
      const talk = { id: agent, says: '', instruction: goal || prompt || name, agent: bindings, extraction };
      const { exits, returns } = this.exitsOf(playbook, entryOfFlow);
      const ids = addTalk(draft, talk, exits, null);
      const reasons = [
        'a model talks until it hands over; Parley judges each answer',
        ...(returns.length > 1
          ? [`it returns to "${returns[0]!}", not to: ${returns.slice(1).join(', ')}`]
          : []),
      ];
      const what = { pointer: jsonPointer(['files', file]), name, type: 'playbook' };
      draft.report(what, approximated(reasons.join('; '), ...before, ...ids));
    }
  }

  /** The messages that a playbook always begins with. */
  private startOf(content: Members): unknown {
    const handlers = toMembersList(content['handlers']).map((handler) => handler['lifecycleHandler']);
    return handlers.find(
      (handler) =>
        getMember(handler, 'lifecycleStage') === 'playbook-start' &&
        toText(getMember(handler, 'condition')) === '',
    );
  }

  private greets(content: Members): boolean {
    const { text, set, calls } = this.speech.wordsOf(getMember(this.startOf(content), 'fulfillment'));
    return text !== '' || set.length > 0 || calls.length > 0;
  }

  private addGreeting({ content, entry, agent }: Playbook): string[] {
    const words = this.speech.wordsOf(getMember(this.startOf(content), 'fulfillment'));
    let first = true;
    const ids = createMessageNodes({ ...words, handsOff: false, over: false }, (suffix) => {
      if (!first) return this.draft.id(`${entry}.${suffix}`);
      first = false;
      return entry;
    }).map((node) => this.draft.add(node));
    ids.forEach((id, index) => this.draft.join(id, ids[index + 1] ?? agent));
    return ids;
  }

  private refersTo({ content, instructions }: Playbook, kind: 'PLAYBOOK' | 'FLOW', name: string): boolean {
    return listReferences(content, instructions).some((one) => one.kind === kind && one.name === name);
  }

  private exitsOf(
    playbook: Playbook,
    entryOfFlow: (name: string) => string | undefined,
  ): { readonly exits: Exit[]; readonly returns: readonly string[] } {
    const { content, instructions, name } = playbook;
    const targets = new Set<string>();
    const exits = listReferences(content, instructions).flatMap(({ kind, name: to, line }): Exit[] => {
      const other = kind === 'PLAYBOOK' ? this.find(to) : undefined;
      const target = kind === 'PLAYBOOK' ? other?.entry : entryOfFlow(to);
      if (target === undefined || target === playbook.entry || targets.has(target)) return [];
      targets.add(target);
      const [goal = ''] = toText(other?.content['goal']).split('\n');
      const nl = findText(line, goal, `It is about: ${to}`).slice(0, CONDITION_CHARS_MAX);
      return [{ condition: { nl, label: to.slice(0, 100) }, target }];
    });
    // The type is TASK by default; a task returns when it is done, and a routine does not.
    if (content['playbookType'] === 'ROUTINE' || name === this.start) return { exits, returns: [] };
    const callers = [...this.playbooks.values()].filter(
      (other) => other !== playbook && this.refersTo(other, 'PLAYBOOK', name),
    );
    const back = callers.find((caller) => caller.name === this.start) ?? callers[0];
    if (back === undefined) return { exits, returns: [] };
    const done = { variable: 'agent_result.status', op: 'eq', value: 'goal_reached' };
    const others = callers.filter((caller) => caller !== back).map((caller) => caller.name);
    return { exits: [...exits, { condition: done, target: back.agent }], returns: [back.name, ...others] };
  }

  private bindingsOf(content: Members, own: Partial<AuthoredNode>): Partial<AuthoredNode> {
    const texts = JSON.stringify([content['goal'], content['instruction']]);
    const mentioned = [...texts.matchAll(/\$\{\s*TOOL\s*:\s*([^}]+?)\s*\}/giu)].map(([, name]) => name!);
    const names = [...toList(content['referencedTools']).map(toText), ...mentioned];
    const tools = new Set<Members>();
    for (const name of names) {
      const tool = this.tools.get(name.split('/').at(-1)!);
      if (tool !== undefined) tools.add(tool);
    }
    const documents = [...tools].flatMap((tool) =>
      isMembers(tool['dataStoreSpec'])
        ? [{ name: findText(tool['displayName'], tool['folder']), description: toText(tool['description']) }]
        : [],
    );
    const inputs = namesOf(content['inputParameterDefinitions']).flatMap(
      (name) => toVariableName(name) ?? [],
    );
    return {
      ...own,
      ...toBindings([...tools].flatMap((tool) => this.callsOf(tool))),
      ...(documents.length === 0 ? {} : { documents }),
      ...(inputs.length === 0 ? {} : { context_vars: inputs }),
    };
  }

  private callsOf(tool: Members): AgentTool[] {
    if (isMembers(tool['dataStoreSpec'])) return [];
    const name = findText(tool['displayName'], tool['folder']);
    const description = toText(tool['description']);
    const inline = toText(getMember(tool, 'openApiSpec', 'textSchema'));
    const schema = inline === '' ? this.schemas.get(toText(tool['folder'])) : readText(inline);
    // Instructions name the tool, not its operations.
    if (isMembers(schema)) return listOperations(schema, `An action of "${name}".\n${description}`.trim());
    const parameters = getMember(tool, 'functionSpec', 'inputSchema');
    return [{ does: 'call', name, description, parameters, target: '', url: '' }];
  }
}

function* listSteps(steps: unknown, depth = 0): Generator<string> {
  if (depth > STEPS_DEPTH_MAX) return;
  for (const step of toMembersList(steps)) {
    if (toText(step['text']) !== '') yield `${'  '.repeat(depth)}- ${toText(step['text'])}`;
    yield* listSteps(step['steps'], depth + 1);
  }
}

interface Reference {
  readonly kind: 'PLAYBOOK' | 'FLOW';
  readonly name: string;
  /** The line of the instructions that says when; '' without one. */
  readonly line: string;
}

function listReferences(content: Members, instructions: string): Reference[] {
  const said = [toText(content['goal']), instructions].join('\n').split('\n');
  const mentioned = said.flatMap((line) =>
    [...line.matchAll(reference)].map(([, kind, name]): Reference => {
      const isFlow = kind!.toUpperCase() === 'FLOW';
      return { kind: isFlow ? 'FLOW' : 'PLAYBOOK', name: name!, line: line.replace(/^\s*-\s*/u, '').trim() };
    }),
  );
  const listed = (['PLAYBOOK', 'FLOW'] as const).flatMap((kind) =>
    toList(content[kind === 'FLOW' ? 'referencedFlows' : 'referencedPlaybooks']).map((name): Reference => ({
      kind,
      name: toText(name),
      line: '',
    })),
  );
  return [...mentioned, ...listed].filter(({ name }) => name !== '');
}

const namesOf = (parameters: unknown): string[] =>
  toMembersList(parameters)
    .map(({ name }) => toText(name))
    .filter((name) => name !== '');

/** The output parameters: what the agent finds out. Source: parameter_definition.proto. */
const listOutputs = (content: Members): Extraction[] =>
  toMembersList(content['outputParameterDefinitions']).flatMap(({ name, description, typeSchema }) => {
    const variable = toVariableName(toText(name));
    const type = toText(getMember(typeSchema, 'inlineSchema', 'type')).toLowerCase();
    return variable === null ? [] : [{ name: variable, type, description: toText(description) }];
  });

function describeParameters(content: Members): string {
  const lines = (['input', 'output'] as const).flatMap((kind) =>
    toMembersList(content[`${kind}ParameterDefinitions`]).flatMap(({ name, description }) => {
      const about = [toText(name), toText(description)].filter((text) => text !== '').join(': ');
      return toText(name) === '' ? [] : [`- $${about} (${kind})`];
    }),
  );
  return lines.length === 0 ? '' : `Parameters:\n${lines.join('\n')}`;
}
