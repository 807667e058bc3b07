// Finds texts of a document in the definition that was made of it.
import { limits } from '@parley/flow-engine';
import type { ReportEntry } from './draft.ts';
import { toMembersList, toText, type Members } from './source.ts';
import { toTemplate, toVariableName, unmarkEntities } from './words.ts';

export interface Verdict {
  readonly outcome: 'kept' | 'approximated' | 'lost';
  /** What differs; absent where the place in the document tells why. */
  readonly reason?: string;
}

const kept: Verdict = { outcome: 'kept' };
const lost: Verdict = { outcome: 'lost' };
/** Words of conditions that no definition repeats. */
const keywords: ReadonlySet<string> = new Set(
  'and or not is null none true false if elsif else endif contains matches session params page slots context flow status final request data tool response body'.split(
    ' ',
  ),
);

/** Strings of one entry that are searched for a text, so that a large page costs no minutes. */
const SEARCHED_MAX = 1_000;

export class DefinitionTexts {
  /** Strings of the definition, their lines, and what they quote. */
  private readonly whole = new Set<string>();
  /** The strings of each node and of its edges. */
  private readonly byNode = new Map<string, string[]>();
  private readonly stringsOfEntry = new Map<ReportEntry, readonly string[]>();
  private readonly wordsOfEntry = new Map<ReportEntry | null, ReadonlySet<string>>();
  /** The strings without their placeholders. */
  private readonly skeletons = new Set<string>();
  private readonly everything: string[] = [];
  private readonly placeholder: RegExp;

  constructor(definition: Members, report: readonly ReportEntry[], placeholder: RegExp) {
    this.placeholder = placeholder;
    const { nodes, edges, ...rest } = definition;
    this.add(rest, this.everything);
    for (const node of toMembersList(nodes)) this.addTo(toText(node['id']), node);
    for (const edge of toMembersList(edges)) this.addTo(toText(edge['source']), edge);
    for (const { name } of report) this.index(name);
  }

  private addTo(nodeId: string, part: Members): void {
    const { source: _source, target: _target, type: _type, ...told } = part;
    const strings = this.byNode.get(nodeId) ?? [];
    this.byNode.set(nodeId, strings);
    for (const member of Object.values(told)) this.add(member, strings);
    if (part['type'] === 'handoff') this.add(part['target'], strings);
    // The target of an edge is a node; the target of a handoff is the author's.
    else if (part['source'] === undefined) this.add(part['target'], strings);
  }

  private add(value: unknown, strings: string[]): void {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value) && member !== undefined) this.index(name);
        this.add(member, strings);
      }
      return;
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return;
    const text = canonical(String(value));
    strings.push(text);
    this.everything.push(text);
    this.index(text);
  }

  private index(text: string): void {
    this.whole.add(canonical(text).trim());
    if (text.includes('{{')) this.skeletons.add(toSkeleton(text));
    for (const line of linesOf(canonical(text))) this.whole.add(line);
    for (const [, quoted] of text.matchAll(/"([^"\n]{1,300})"/gu)) this.whole.add(canonical(quoted!));
    for (const [, name] of text.matchAll(/\{\{ ([\w.]+) \}\}/gu)) this.whole.add(name!);
    for (const [, path] of text.matchAll(addressPath))
      for (let at = path!.indexOf('/'); at !== -1; at = path!.indexOf('/', at + 1))
        this.whole.add(path!.slice(at));
  }

  findValue(value: number | boolean): Verdict {
    return this.whole.has(String(value)) ? kept : lost;
  }

  findName(name: string, entry: ReportEntry | null): Verdict {
    if (this.whole.has(canonical(name).trim())) return kept;
    const variable = toVariableName(name);
    if (variable === null) return lost;
    const known = this.whole.has(variable) || this.stringsOf(entry).includes(variable);
    return known ? { outcome: 'approximated', reason: `its name is "${variable}" here` } : lost;
  }

  findText(text: string, entry: ReportEntry | null): Verdict {
    const template = toTemplate(text.trim(), this.placeholder);
    if (this.holds(template, entry)) {
      return /\{\{[^{}|]*\|[^{}]*\}\}/u.test(text)
        ? { outcome: 'approximated', reason: 'filters of placeholders are not imported' }
        : kept;
    }
    if (this.holds(toTemplate(text.trim()), entry) || this.holds(text, entry)) return kept;
    if (template.length > limits.textCharsMax && this.holds(template.slice(0, limits.textCharsMax), entry))
      return { outcome: 'approximated', reason: `a text was cut at ${limits.textCharsMax} characters` };
    const plain = template.replaceAll(/<[^<>]*>/gu, '\n');
    if (plain !== template && this.holds(plain, entry))
      return { outcome: 'approximated', reason: 'its markup is not imported' };
    const unmarked = unmarkEntities(text);
    if (unmarked !== text && this.holds(unmarked, entry))
      return { outcome: 'approximated', reason: 'its entities are not imported' };
    const skeleton = toSkeleton(text);
    if (skeleton.length >= SKELETON_CHARS_MIN && this.skeletons.has(skeleton))
      return { outcome: 'approximated', reason: 'its placeholders have other names here' };
    return text.length > 64 ? lost : this.findName(text, entry);
  }

  /** The names and literals of a condition are in comparisons, each for itself. */
  findExpression(text: string, entry: ReportEntry | null): Verdict {
    if (this.holds(toTemplate(text), entry)) return kept;
    const known = this.wordsOf(entry);
    const found = wordsIn(text).filter((word) => !keywords.has(word.toLowerCase()));
    return found.every((word) => known.has(word)) ? kept : lost;
  }

  private holds(text: string, entry: ReportEntry | null): boolean {
    const lines = linesOf(canonical(text));
    if (lines.every((line) => this.whole.has(line))) return true;
    const strings = this.stringsOf(entry);
    return lines.every((line) => strings.some((string) => containsWords(string, line)));
  }

  private stringsOf(entry: ReportEntry | null): readonly string[] {
    if (entry === null) return [];
    const known = this.stringsOfEntry.get(entry);
    if (known !== undefined) return known;
    const strings = entry.node_ids.flatMap((id) => this.byNode.get(id) ?? []).slice(0, SEARCHED_MAX);
    this.stringsOfEntry.set(entry, strings);
    return strings;
  }

  private wordsOf(entry: ReportEntry | null): ReadonlySet<string> {
    const known = this.wordsOfEntry.get(entry);
    if (known !== undefined) return known;
    const strings = entry === null ? this.everything : this.stringsOf(entry);
    const found = new Set(strings.flatMap(wordsIn));
    this.wordsOfEntry.set(entry, found);
    return found;
  }
}

/** The path of an address: an API description names its end. */
const addressPath = /https?:\/\/[^\s/"]{1,200}((?:\/[^\s/"]{0,100}){1,10})/gu;

/** Shorter texts look alike by accident. */
const SKELETON_CHARS_MIN = 12;
const toSkeleton = (text: string): string =>
  text
    .replaceAll(/\{\{[^{}]*\}\}|\$[\w.-]*\w|\{\w+\}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** One form for escapes, blanks and placeholders. */
const canonical = (text: string): string =>
  text
    .replaceAll("{{ '{{' }}", '{{')
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/\{\{ ?([^{}|]*?) ?(?:\|[^{}]*)?\}\}/gu, '{{ $1 }}');

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^ ?- /u, '').trim())
    .filter((line) => line !== '');

const bothInWord = (left: string, right: string): boolean => /^[\p{L}\p{N}_]{2}$/u.test(left + right);

function containsWords(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + part.length] ?? ' '];
    if (!bothInWord(before, part[0] ?? ' ') && !bothInWord(part.at(-1) ?? ' ', after)) return true;
  }
  return false;
}
