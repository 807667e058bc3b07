// Imports Rasa flows, which are lists of steps. The steps of a called flow replace the call.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { UNREAD_CONDITION } from '../conditions.ts';
import type { Exit } from '../converse.ts';
import { approximated, dropped, mapped, type Draft } from '../draft.ts';
import { toExamples } from '../examples.ts';
import { toMembersList, getMember, findText, toText, type Members } from '../source.ts';
import { toVariableName } from '../words.ts';
import {
  getKind,
  isEntryFlow,
  listIntents,
  parseCondition,
  readDomain,
  type Domain,
  type Flow,
} from './rasa-domain.ts';
import { listAgentExits, makeStep, type StepNodes } from './rasa-steps.ts';

const CALL_DEPTH_MAX = 5;
/** The one pattern of the product that a flow may link to. */
const HUMAN_HANDOFF = 'pattern_human_handoff';

export function readRasa(source: Members, draft: Draft): void {
  new RasaFlows(draft, readDomain(source)).read();
}

/** A flow at one place of a call: the names of its steps and its continuation. */
interface Frame {
  readonly flow: Flow;
  readonly labels: Map<string, string>;
  readonly made: Set<string>;
  readonly end: string;
  readonly depth: number;
}

interface Place {
  readonly frame: Frame;
  readonly where: readonly (string | number)[];
}

class RasaFlows {
  private readonly draft: Draft;
  private readonly domain: Domain;
  private readonly entries = new Map<string, string>();
  private readonly told = new Set<string>();

  constructor(draft: Draft, domain: Domain) {
    this.draft = draft;
    this.domain = domain;
  }

  read(): void {
    const { draft } = this;
    const { flows } = this.domain;
    const asked = [...flows.values()].filter(({ name, flow }) => isEntryFlow(name, flow));
    const [only] = asked;
    if (asked.length === 1 && only !== undefined) {
      draft.name = findText(only.flow['name'], only.name);
      draft.start = this.entry(only, draft.end());
    } else {
      const listen = draft.add({
        id: draft.id('listen'),
        type: 'collect',
        prompt: this.domain.saying('utter_can_do_something_else')?.text ?? 'What can I do for you?',
        variable: 'request',
      });
      draft.start = listen;
      for (const flow of asked) {
        const nl = findText(flow.flow['description'], flow.flow['name'], flow.name);
        const phrases = listIntents(flow.flow).flatMap((intent) => this.domain.phrases.get(intent) ?? []);
        const condition = { nl, label: flow.name.slice(0, 100), ...toExamples(phrases) };
        draft.join(listen, this.entry(flow, listen), condition);
      }
      draft.join(listen, listen);
    }
    for (const { name, flow, where } of flows.values())
      this.leaveOut(
        flow['steps'],
        where,
        name.startsWith('pattern_') ? 'it is about how the product itself answers' : 'no flow calls it',
      );
  }

  /** The first node of a flow that is started directly, not called. */
  private entry(flow: Flow, end: string): string {
    const known = this.entries.get(flow.name);
    if (known !== undefined) return known;
    const id = this.draft.add({ id: this.draft.id(flow.name), type: 'branch' });
    this.entries.set(flow.name, id);
    this.draft.join(id, this.whole(flow, end, 0));
    return id;
  }

  private whole(flow: Flow, end: string, depth: number): string {
    const frame: Frame = { flow, labels: new Map(), made: new Set(), end, depth };
    const first = this.steps(flow.flow['steps'], { frame, where: [...flow.where, 'steps'] }, end);
    for (const [label, id] of frame.labels) {
      if (frame.made.has(label)) continue;
      this.draft.add({ id, type: 'branch' });
      this.draft.join(id, end);
    }
    return first;
  }

  private steps(steps: unknown, { frame, where }: Place, then: string): string {
    let next = then;
    toMembersList(steps)
      .map((step, index) => ({ step, index }))
      .reverse()
      .forEach(({ step, index }) => {
        next = this.step(step, { frame, where: [...where, index] }, next);
      });
    return next;
  }

  private label(frame: Frame, name: string): string {
    const known = frame.labels.get(name);
    if (known !== undefined) return known;
    const id = this.draft.id(name);
    frame.labels.set(name, id);
    return id;
  }

  private step(step: Members, place: Place, then: string): string {
    const { frame } = place;
    const name = toText(step['id']);
    const kind = getKind(step);
    const about = findText(step[kind], name, kind);
    const id = name === '' ? this.draft.id(about) : this.label(frame, name);
    if (name !== '') frame.made.add(name);
    const ways = this.waysOf(step['next'], place, then);
    const newId = (suffix: string) => this.draft.id(`${id}.${suffix}`);
    const { nodes, outcome, leads } =
      makeStep(step, kind, id, this.domain, newId) ?? this.addJump(step, kind, id, frame, ways.then);
    for (const node of nodes) this.draft.add(node);
    const rejections = this.addRejections(step, id);
    const last = nodes.at(-1)!.id;
    // An agent that talks is left when its task is done.
    if (nodes[0]?.converse === true) for (const exit of listAgentExits(step)) this.draft.join(id, last, exit);
    for (const { condition, target } of ways.exits) this.draft.join(last, target, condition);
    if (leads !== true) this.draft.join(last, ways.then);
    const made = { ...outcome, ids: [...outcome.ids, ...rejections.ids] };
    const where = jsonPointer([...place.where]);
    if (!this.told.has(where)) {
      this.told.add(where);
      const what = { pointer: where, name: about, type: kind };
      this.draft.report(
        what,
        (ways.lost || rejections.lost) && made.outcome === 'mapped'
          ? approximated(UNREAD_CONDITION, ...made.ids)
          : made,
      );
    }
    return id;
  }

  private waysOf(next: unknown, place: Place, then: string): Exits {
    if (typeof next === 'string') return { exits: [], then: this.target(next, place.frame), lost: false };
    if (!Array.isArray(next)) return { exits: [], then, lost: false };
    if (!toMembersList(next).some((way) => 'if' in way || 'else' in way)) {
      const inner = { frame: place.frame, where: [...place.where, 'next'] };
      return { exits: [], then: this.steps(next, inner, place.frame.end), lost: false };
    }
    const exits: Exit[] = [];
    let [otherwise, lost]: [string | null, boolean] = [null, false];
    toMembersList(next).forEach((way, index) => {
      const branch = 'if' in way ? 'then' : 'else';
      const to = way[branch];
      const inner = { frame: place.frame, where: [...place.where, 'next', index, branch] };
      const target =
        typeof to === 'string' ? this.target(to, place.frame) : this.steps(to, inner, place.frame.end);
      if (branch === 'else') otherwise ??= target;
      else {
        const condition = parseCondition(way['if']);
        if (condition === null) lost = true;
        else exits.push({ condition, target });
      }
    });
    return { exits, then: otherwise ?? place.frame.end, lost };
  }

  private target(name: string, frame: Frame): string {
    return name === 'END' ? frame.end : this.label(frame, name);
  }

  /** Answers that a rule of the question rejects: it says why and asks again. */
  private addRejections(step: Members, id: string): { readonly ids: string[]; readonly lost: boolean } {
    const rejections = step['collect'] === undefined ? [] : toMembersList(step['rejections']);
    const variable = toVariableName(toText(step['collect'])) ?? 'answer';
    const ids = rejections.flatMap((rejection) => {
      const condition = parseCondition(rejection['if']);
      if (condition === null) return [];
      const { text = '' } = this.domain.saying(toText(rejection['utter'])) ?? {};
      const says = text === '' ? { type: 'branch' } : { type: 'message', text };
      const rejects = this.draft.id(`${id}.rejects`);
      this.draft.add({ id: rejects, ...says, set: [{ variable, clear: true }] });
      this.draft.join(rejects, id);
      this.draft.join(id, rejects, condition);
      return [rejects];
    });
    return { ids, lost: ids.length < rejections.length };
  }

  /** The node of a call or link that leads to another flow. */
  private addJump(step: Members, kind: string, id: string, frame: Frame, then: string): StepNodes {
    const to = toText(step[kind]);
    const called = this.domain.flows.get(to);
    const node: AuthoredNode = { id, type: 'branch' };
    if (called === undefined && to === HUMAN_HANDOFF)
      return { nodes: [{ id, type: 'handoff', target: 'agent' }], outcome: mapped(id), leads: true };
    if (called === undefined || frame.depth >= CALL_DEPTH_MAX) {
      this.draft.join(id, then);
      const reason = called === undefined ? 'there is no such flow' : 'calls go too deep';
      return { nodes: [node], outcome: dropped(reason, id), leads: true };
    }
    const target =
      kind === 'link' ? this.entry(called, frame.end) : this.whole(called, then, frame.depth + 1);
    this.draft.join(id, target);
    return { nodes: [node], outcome: mapped(id), leads: true };
  }

  private leaveOut(steps: unknown, where: readonly (string | number)[], reason: string): void {
    toMembersList(steps).forEach((step, index) => {
      const here = jsonPointer([...where, 'steps', index]);
      if (this.told.has(here)) return;
      const kind = getKind(step);
      const name = findText(getMember(step, kind), getMember(step, 'id'), kind);
      this.draft.report({ pointer: here, name, type: kind }, dropped(reason));
    });
  }
}

interface Exits {
  readonly exits: readonly Exit[];
  readonly then: string;
  readonly lost: boolean;
}
