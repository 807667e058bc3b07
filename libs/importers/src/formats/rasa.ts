// Imports Rasa flows, which are lists of steps. The steps of a called flow replace the call.
import { jsonPointer } from '@parley/envelopes';
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { UNREAD_CONDITION } from '../conditions.ts';
import type { Exit } from '../converse.ts';
import { approximated, dropped, mapped, type Draft, type NodeOutcome } from '../draft.ts';
import { toMembersList, getMember, findText, toList, toMembers, toText, type Members } from '../source.ts';
import { placeholders, toTemplate, toVariableName } from '../words.ts';
import {
  toCast,
  parseCondition,
  isEntryFlow,
  getKind,
  readDomain,
  toValue,
  type Domain,
  type Flow,
} from './rasa-domain.ts';

const CALL_DEPTH_MAX = 5;

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
        draft.join(listen, this.entry(flow, listen), { nl, label: flow.name.slice(0, 100) });
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
    const [nodes, made] = this.nodesOf(step, kind, id, frame, ways.then);
    for (const node of nodes) this.draft.add(node);
    const last = nodes.at(-1)!.id;
    for (const { condition, target } of ways.exits) this.draft.join(last, target, condition);
    if (kind !== 'call' && kind !== 'link') this.draft.join(last, ways.then);
    const where = jsonPointer([...place.where]);
    if (!this.told.has(where)) {
      this.told.add(where);
      const what = { pointer: where, name: about, type: kind };
      this.draft.report(
        what,
        ways.lost && made.outcome === 'mapped' ? approximated(UNREAD_CONDITION, ...made.ids) : made,
      );
    }
    return id;
  }

  private waysOf(next: unknown, place: Place, then: string): Exits {
    if (typeof next === 'string') return { exits: [], then: this.target(next, place.frame), lost: false };
    if (!Array.isArray(next)) return { exits: [], then, lost: false };
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

  /**
   * The nodes of a step, in order. The caller adds the edges of the last one, unless the step leads
   * elsewhere.
   */
  private nodesOf(
    step: Members,
    kind: string,
    id: string,
    frame: Frame,
    then: string,
  ): [AuthoredNode[], NodeOutcome] {
    switch (kind) {
      case 'collect': {
        const slot = toText(step['collect']);
        const asked = this.domain.saying(findText(step['utter'], `utter_ask_${slot}`));
        const node: AuthoredNode = {
          id,
          type: 'collect',
          prompt: asked?.text ?? '',
          variable: toVariableName(slot) ?? 'answer',
          ...(asked === null || asked.variants.length === 0 ? {} : { variants: asked.variants }),
          ...toCast(this.domain.slots.get(slot)),
          ...(step['ask_before_filling'] === true ? {} : { skip_if_set: true }),
        };
        if (toList(step['rejections']).length === 0) return [[node], mapped(id)];
        return [[node], approximated('answers are not rejected by its rules', id)];
      }
      case 'action': {
        const action = toText(step['action']);
        const saying = this.domain.saying(action);
        if (saying !== null) {
          const { text, variants } = saying;
          const variety = variants.length === 0 ? {} : { variants };
          return [[{ id, type: 'message', text, ...variety }], mapped(id)];
        }
        const tool: AuthoredNode = { id, type: 'tool', tool: action, args: {}, wait_for_result: true };
        return [[tool], approximated('the caller runs it as a tool and sets its slots', id)];
      }
      case 'set_slots': {
        const entries = toList(step['set_slots']).flatMap((one) => Object.entries(toMembers(one)));
        const set = entries.flatMap(([slot, value]) => {
          const variable = toVariableName(slot);
          if (variable === null) return [];
          return [value === null ? { variable, clear: true } : { variable, to: toValue(value) }];
        });
        const node: AuthoredNode = { id, type: 'branch', set: set.slice(0, limits.assignmentsMax) };
        return [[node], mapped(id)];
      }
      case 'call':
      case 'link': {
        const called = this.domain.flows.get(toText(step[kind]));
        const node: AuthoredNode = { id, type: 'branch' };
        if (called === undefined || frame.depth >= CALL_DEPTH_MAX) {
          this.draft.join(id, then);
          return [[node], dropped(called === undefined ? 'there is no such flow' : 'calls go too deep', id)];
        }
        const target =
          kind === 'link' ? this.entry(called, frame.end) : this.whole(called, then, frame.depth + 1);
        this.draft.join(id, target);
        return [[node], mapped(id)];
      }
      case 'generation_prompt': {
        const goal = toTemplate(toText(step[kind]), placeholders.brace);
        return [[{ id, type: 'autonomous', goal }], mapped(id)];
      }
      case 'noop':
        return [[{ id, type: 'branch' }], mapped(id)];
      default:
        return [[{ id, type: 'branch' }], dropped('no equivalent in Parley', id)];
    }
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
