// Imports a Dialogflow CX agent from an exported folder. A page sends its messages, fills its form,
// checks its conditions, and listens.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { UNREAD_CONDITION, readCondition } from '../conditions.ts';
import { approximated, mapped, type Draft, type EdgeCondition } from '../draft.ts';
import { toExamples } from '../examples.ts';
import { listFiles, type SourceFile } from '../files.ts';
import { toMembersList, getMember, findText, toList, toText, type Members } from '../source.ts';
import { toVariableName } from '../words.ts';
import { CxGenerators } from './dialogflow-cx-generators.ts';
import { CxPlaybooks, isPlaybook } from './dialogflow-cx-playbooks.ts';
import { CxSpeech, createMessageNodes } from './dialogflow-cx-speech.ts';

/** The schemas of tools are YAML. */
const endings = ['.json', 'schema.yaml', 'schema.yml'];
const flowPath = /(?:^|\/)flows\/([^/]+)\/([^/]+)\.json$/u;
const pagePath = /(?:^|\/)flows\/([^/]+)\/pages\/([^/]+)\.json$/u;
const groupPath =
  /(?:^|\/)(?:flows\/([^/]+)\/transitionRouteGroups|agentTransitionRouteGroups)\/([^/]+)\.json$/u;

export const isDialogflowCx = (source: Members): boolean =>
  listFiles(source, endings).some(
    (file) =>
      isPlaybook(file) ||
      (flowPath.test(file.path) && ('transitionRoutes' in file.content || 'eventHandlers' in file.content)),
  );

export function readDialogflowCx(source: Members, draft: Draft): void {
  new CxAgent(listFiles(source, endings), draft).read();
}

/** A page, or the start of a flow. */
interface PageEntry {
  readonly name: string;
  readonly type: 'page' | 'flow';
  readonly flow: string;
  readonly content: Members;
  readonly file: string;
  readonly id: string;
}

class CxAgent {
  private readonly draft: Draft;
  private readonly speech: CxSpeech;
  private readonly playbooks: CxPlaybooks;
  private readonly agent: Members;
  /** Groups of routes by their name, after the folder of their flow. */
  private readonly groups = new Map<string, Members>();
  private readonly flows = new Map<string, PageEntry>();
  private readonly pages = new Map<string, PageEntry>();
  private readonly phrases = new Map<string, string[]>();
  private readonly entities = new Map<string, Members[]>();

  constructor(files: readonly SourceFile[], draft: Draft) {
    this.draft = draft;
    const agent = files.find(({ path }) => /(?:^|\/)agent\.json$/u.test(path))?.content ?? {};
    this.agent = agent;
    draft.name = toText(agent['displayName']) || null;
    const language = findText(agent['defaultLanguageCode'], 'en');
    draft.speak(language);
    const generators = new CxGenerators(
      files,
      (code) => toText(code).toLowerCase() === language.toLowerCase(),
    );
    this.speech = new CxSpeech(language.toLowerCase(), this.entities, generators);
    for (const { path, content } of files) this.place(path, content);
    this.playbooks = new CxPlaybooks(files, draft, this.speech, toText(agent['startPlaybook']));
  }

  private place(path: string, content: Members): void {
    const [, flow, page] = pagePath.exec(path) ?? [];
    if (flow !== undefined && page !== undefined) {
      const name = findText(content['displayName'], page);
      const id = this.draft.id(name);
      this.pages.set(`${flow}/${name}`, { name, type: 'page', flow, content, file: path, id });
      return;
    }
    const [, folder, own] = flowPath.exec(path) ?? [];
    if (folder !== undefined && folder === own) {
      const name = findText(content['displayName'], folder);
      this.flows.set(name, {
        name,
        type: 'flow',
        flow: folder,
        content,
        file: path,
        id: this.draft.id(name),
      });
      return;
    }
    const [, owner = '', group] = groupPath.exec(path) ?? [];
    if (group !== undefined) this.groups.set(`${owner}/${findText(content['displayName'], group)}`, content);
    const [, intent, language] =
      /(?:^|\/)intents\/([^/]+)\/trainingPhrases\/([^/]+)\.json$/u.exec(path) ?? [];
    if (intent !== undefined && this.speech.speaks(language)) {
      const texts = toMembersList(content['trainingPhrases']).map(({ parts }) =>
        toMembersList(parts)
          .map(({ text }) => (typeof text === 'string' ? text : ''))
          .join(''),
      );
      this.phrases.set(intent, texts);
    }
    const [, entity, spoken] = /(?:^|\/)entityTypes\/([^/]+)\/entities\/([^/]+)\.json$/u.exec(path) ?? [];
    if (entity !== undefined && this.speech.speaks(spoken))
      this.entities.set(entity, [...toMembersList(content['entities'])]);
  }

  read(): void {
    const { draft, flows } = this;
    const first =
      flows.get(toText(this.agent['startFlow'])) ??
      flows.get('Default Start Flow') ??
      flows.values().next().value;
    const playbook = this.playbooks.entryOf(this.agent['startPlaybook']);
    draft.start = playbook ?? first?.id ?? this.playbooks.first() ?? null;
    this.playbooks.read((name) => this.findFlow(name)?.id);
    for (const spot of [...flows.values(), ...this.pages.values()]) this.make(spot);
  }

  /** In order: messages, form, conditions, intents. */
  private make(spot: PageEntry): void {
    const { draft } = this;
    const { content, name, type, file } = spot;
    const own = this.routesOf(content, spot.flow);
    const shared = type === 'page' ? this.routesOf(this.flowOf(spot)?.content ?? {}, spot.flow) : [];
    const heard = [...own, ...shared].filter(({ intent }) => toText(intent) !== '');
    const judged = own.filter(({ intent }) => toText(intent) === '');
    const entry = this.speech.wordsOf(content['entryFulfillment']);
    const required = toMembersList(getMember(content, 'form', 'parameters')).filter(
      (parameter) => parameter['required'] === true,
    );
    const ids: string[] = [];
    const all = toMembersList(getMember(content, 'form', 'parameters')).length;
    let losses = all > required.length ? 'what its form does not require is not asked' : null;

    const sure = judged.find((route) => this.conditionOf(route) === 'always');
    const listens = sure === undefined && (heard.length > 0 || judged.length === 0);
    // The message becomes the question when nothing is between them.
    const isOver = entry.over || entry.handsOff;
    const speaksOnly = entry.calls.length === 0 && entry.set.length === 0 && !isOver;
    const asks = listens && required.length === 0 && judged.length === 0 && speaksOnly;
    const listen = listens ? (asks ? spot.id : draft.id(`${spot.id}.listen`)) : null;
    let open: string | null = null;
    const follow = (node: AuthoredNode) => {
      if (open !== null) draft.join(open, node.id);
      open = draft.add(node);
      ids.push(node.id);
    };
    const nextId = (suffix: string) =>
      ids.length === 0 && !asks ? spot.id : draft.id(`${spot.id}.${suffix}`);

    if (!asks) for (const node of createMessageNodes(entry, nextId)) follow(node);
    if (isOver) {
      draft.report({ pointer: jsonPointer(['files', file]), name, type }, mapped(...ids));
      return;
    }
    for (const question of this.speech.form(required, nextId)) follow(question);
    if (judged.length > 0 || ids.length === 0) {
      if (!asks) follow({ id: nextId('routes'), type: 'branch' });
      for (const route of judged) {
        const condition = this.conditionOf(route);
        if (condition === null) losses = UNREAD_CONDITION;
        else if (condition !== 'always' && open !== null)
          draft.join(open, this.way(route, spot, listen ?? draft.end(), ids), condition);
      }
    }
    if (listen !== null) {
      const variants = asks && entry.variants.length > 0 ? { variants: entry.variants } : {};
      const prompt = asks ? entry.text : '';
      const node: AuthoredNode = { id: listen, type: 'collect', prompt, variable: 'answer', ...variants };
      if (open !== null) draft.join(open, listen);
      draft.add(node);
      ids.push(listen);
      for (const route of heard)
        draft.join(listen, this.way(route, spot, listen, ids), this.meaning(route['intent']));
      draft.join(listen, this.notUnderstood(spot, listen, ids));
      if (heard.length > 0) losses ??= 'a model judges its intents, after its questions';
    } else if (open !== null) {
      draft.join(open, sure === undefined ? draft.end() : this.way(sure, spot, draft.end(), ids));
    }
    const what = { pointer: jsonPointer(['files', file]), name, type };
    draft.report(what, losses === null ? mapped(...ids) : approximated(losses, ...ids));
  }

  /** Its own routes, then those of its groups. */
  private routesOf(content: Members, flow: string): readonly Members[] {
    const groups = toList(content['transitionRouteGroups']).flatMap((name) => {
      const group = this.groups.get(`${flow}/${toText(name)}`) ?? this.groups.get(`/${toText(name)}`);
      return toMembersList(group?.['transitionRoutes']);
    });
    return [...toMembersList(content['transitionRoutes']), ...groups];
  }

  /** By its name, or by the last part of its resource name. */
  private findFlow(name: string): PageEntry | undefined {
    const last = name.split('/').at(-1);
    return this.flows.get(name) ?? [...this.flows.values()].find(({ content }) => content['name'] === last);
  }

  private flowOf(spot: PageEntry): PageEntry | undefined {
    return [...this.flows.values()].find(({ flow }) => flow === spot.flow);
  }

  private notUnderstood(spot: PageEntry, listen: string, ids: string[]): string {
    const handlers = [
      ...toMembersList(spot.content['eventHandlers']),
      ...toMembersList(this.flowOf(spot)?.content['eventHandlers']),
    ];
    const handler = handlers.find(({ event }) => toText(event).startsWith('sys.no-match'));
    return handler === undefined ? listen : this.way(handler, spot, listen, ids);
  }

  /** The nodes of a route's fulfillment, and its target. */
  private way(route: Members, spot: PageEntry, stay: string, ids: string[]): string {
    const { draft } = this;
    const words = this.speech.wordsOf(route['triggerFulfillment']);
    const target = this.target(route, spot, stay);
    const nodes = createMessageNodes(words, (suffix) => draft.id(`${spot.id}.${suffix}`));
    nodes.forEach((node, index) => {
      ids.push(draft.add(node));
      if (node.type !== 'end' && node.type !== 'handoff') draft.join(node.id, nodes[index + 1]?.id ?? target);
    });
    return nodes[0]?.id ?? target;
  }

  private target(route: Members, spot: PageEntry, stay: string): string {
    const page = toText(route['targetPage']);
    const flow = toText(route['targetFlow']);
    const playbook = toText(route['targetPlaybook']);
    if (playbook !== '') return this.playbooks.entryOf(playbook) ?? this.draft.end();
    if (flow !== '') return this.findFlow(flow)?.id ?? this.draft.end();
    if (page === '' || page === 'CURRENT_PAGE') return stay;
    if (page === 'START_PAGE') return this.flowOf(spot)?.id ?? stay;
    const known = this.pages.get(`${spot.flow}/${page}`)?.id;
    if (known !== undefined) return known;
    const caller = page === 'END_FLOW' ? this.playbooks.callerOf(this.flowOf(spot)?.name ?? '') : undefined;
    return caller ?? this.draft.end();
  }

  private meaning(intent: unknown): EdgeCondition {
    const nl = toText(intent);
    return { nl, ...toExamples(this.phrases.get(nl) ?? []) };
  }

  private conditionOf(route: Members): EdgeCondition | 'always' | null {
    const text = toText(route['condition'])
      .replace(/(?:\s+AND\s+)?\$page\.params\.status\s*=\s*"?FINAL"?/giu, '')
      .replace(/^\s*AND\s+/iu, '')
      .trim();
    if (text === '' || /^true$/iu.test(text)) return 'always';
    return readCondition(text, {
      variable: (word) => {
        const [, name] =
          /^\$(?:session\.params|page\.params|flow|session)\.([\p{L}_][\p{L}\p{N}_.-]*)$/u.exec(word) ?? [];
        return name === undefined ? null : toVariableName(name);
      },
      holds: (variable) => ({ variable, op: 'exists' }),
    });
  }
}
