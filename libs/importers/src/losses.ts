// Names what an import did not keep. It compares every text of the document with the definition, so
// nothing that an importer forgets to read is lost in silence.
import { UNREAD_CONDITION } from './conditions.ts';
import type { ReportEntry } from './draft.ts';
import { getMember, isMembers, toText, type Members } from './source.ts';
import { DefinitionTexts, type Verdict } from './definition-texts.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A text of the document that the definition holds in other words, or not at all. */
export interface Loss {
  /** JSON pointer (RFC 6901) to the text, or to the member whose name is lost. */
  readonly pointer: string;
  /** Its first characters; asterisks for what is a secret by its name. */
  readonly text: string;
  readonly outcome: 'approximated' | 'lost';
  readonly reason: string;
}

/** How many texts of the document the definition holds. */
export interface TextCounts {
  readonly kept: number;
  readonly approximated: number;
  readonly lost: number;
}

export interface Accounts {
  readonly report: readonly ReportEntry[];
  readonly texts: TextCounts;
  readonly losses: readonly Loss[];
}

/** Losses in an answer; further ones are counted. */
export const LOSSES_MAX = 2_000;
const LOSS_CHARS_MAX = 200;
/** Files of Dialogflow CX that are in one language; pointers write `/` as `~1`. */
const filesOfLanguage = /~1(?:trainingPhrases|entities|phrases)~1([A-Za-z-]+)\.json$/u;
/** Deeper than the documents of any product. */
const DEPTH_MAX = 100;
/** Scalars that are a value of the author, such as the default of a parameter. */
const valueMembers: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'value']);
/** Members whose text is a condition as a whole. */
const conditionMembers: ReadonlySet<string> = new Set(['condition', 'if', 'liquid']);
const NO_EQUIVALENT = 'no equivalent in Parley';

/** Reports of imports are printed in logs: pointers that end in such a member hold a secret. */
const secretMember = /(?:authorization|api[_-]?key|secret|password|token)$/iu;
const MASK = '***';

/** An id that no author has written. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** A JSON Schema names its properties one level further down. */
const isSchema = (value: unknown): boolean => isMembers(getMember(value, 'properties'));

const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.every((element) => typeof element !== 'object'));

/** The place of a value in the document. */
interface Place {
  readonly pointer: string;
  readonly member: string;
  readonly depth: number;
  /** The author has named the members of this value. */
  readonly isMap: boolean;
  readonly isExpression: boolean;
  /** Why all inside it is lost, where that is known. */
  readonly reason: string | null;
  /** The nearest node in the report. */
  readonly entry: ReportEntry | null;
}

export class LossSearch {
  private readonly vocabulary: Vocabulary;
  private readonly language: string;
  private readonly kept: DefinitionTexts;
  private readonly entries: ReadonlyMap<string, ReportEntry>;
  private readonly losses: Loss[] = [];
  private readonly counts = { kept: 0, approximated: 0, lost: 0 };
  private readonly incomplete = new Set<ReportEntry>();

  constructor(vocabulary: Vocabulary, definition: Members, report: readonly ReportEntry[]) {
    this.vocabulary = vocabulary;
    this.language = toText(definition['language']).toLowerCase();
    this.kept = new DefinitionTexts(definition, report, vocabulary.placeholder);
    this.entries = new Map(report.map((entry) => [entry.pointer, entry]));
  }

  /** @param parts the document, or its files, each with its pointer */
  run(parts: readonly { readonly pointer: string; readonly value: unknown }[]): Accounts {
    const root: Place = {
      pointer: '',
      member: '',
      depth: 0,
      isMap: false,
      isExpression: false,
      reason: null,
      entry: this.entries.get('') ?? null,
    };
    for (const { pointer, value } of parts) {
      const [, reason = null] = this.vocabulary.files.find(([file]) => file.test(pointer)) ?? [];
      this.visit(value, { ...root, ...this.at(pointer, { ...root, reason }) });
    }
    const report = [...this.entries.values()].map((entry): ReportEntry => {
      if (entry.outcome !== 'mapped' || !this.incomplete.has(entry)) return entry;
      return { ...entry, outcome: 'approximated', reason: 'a part of it is lost' };
    });
    return { report, texts: this.counts, losses: this.losses };
  }

  private at(pointer: string, { entry, reason }: Place): Pick<Place, 'pointer' | 'entry' | 'reason'> {
    const [, language] = filesOfLanguage.exec(pointer) ?? [];
    return {
      pointer,
      entry: this.entries.get(pointer) ?? entry,
      reason: this.otherLanguage(language) ?? reason,
    };
  }

  private otherLanguage(language: unknown): string | null {
    const named = toText(language);
    if (named === '' || this.language === '' || named.toLowerCase() === this.language) return null;
    return `it is in the language "${named}", and a flow has one language`;
  }

  private visit(value: unknown, place: Place): void {
    if (typeof value === 'string' && this.vocabulary.lines.has(place.member))
      for (const line of value.split('\n')) this.judgeText(line, place);
    else if (typeof value === 'string') this.judgeText(value, place);
    else if (typeof value === 'number' || typeof value === 'boolean') {
      if (valueMembers.has(place.member)) this.judge(this.kept.findValue(value), String(value), place);
    } else if (typeof value !== 'object' || value === null) return;
    else if (place.depth > DEPTH_MAX) this.judge({ outcome: 'lost' }, place.member, place);
    else if (Array.isArray(value) && this.vocabulary.parts.has(place.member)) this.judgeParts(value, place);
    else if (Array.isArray(value))
      for (const [index, element] of value.entries())
        this.visit(element, {
          ...place,
          ...this.at(`${place.pointer}/${index}`, place),
          depth: place.depth + 1,
        });
    else this.visitMembers(value as Members, place);
  }

  private visitMembers(members: Members, place: Place): void {
    const { plumbing, maps, expressions } = this.vocabulary;
    // Lists of pairs name their members with `key`.
    const isMap = place.isMap && !('key' in members);
    const reason = this.otherLanguage(members['languageCode'] ?? members['language']) ?? place.reason;
    for (const [member, value] of Object.entries(members)) {
      const pointer = `${place.pointer}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const inner: Place = {
        ...this.at(pointer, { ...place, reason }),
        member: isMap && typeof value !== 'object' ? 'value' : member,
        depth: place.depth + 1,
        isMap: !isMap && maps.has(member) && !isSchema(value),
        isExpression: place.isExpression || (!isMap && expressions.has(member)),
        reason: reason ?? (isMap ? null : this.settingOf(member, value)),
      };
      if (isMap) this.judge(this.kept.findName(member, inner.entry), member, inner);
      else if (plumbing.has(member) && isScalar(value)) continue;
      this.visit(value, inner);
    }
  }

  private settingOf(member: string, value: unknown): string | null {
    const { settings } = this.vocabulary;
    return settings.get(member) ?? (typeof value === 'string' ? (settings.get(`${member}=`) ?? null) : null);
  }

  private judgeParts(parts: readonly unknown[], place: Place): void {
    const texts = parts.map((part) => getMember(part, 'text'));
    const whole = texts.filter((text) => typeof text === 'string').join('');
    const verdict = this.kept.findText(whole, place.entry);
    for (const [index, text] of texts.entries())
      if (typeof text === 'string' && text.trim() !== '')
        this.judge(verdict, text, { ...place, pointer: `${place.pointer}/${index}/text` });
  }

  private judgeText(text: string, place: Place): void {
    if (text.trim() === '' || uuid.test(text)) return;
    const verdict = place.isExpression
      ? this.kept.findExpression(text, place.entry)
      : this.kept.findText(text, place.entry);
    const unread = place.isExpression && conditionMembers.has(place.member) ? UNREAD_CONDITION : null;
    this.judge(verdict, text, { ...place, reason: place.reason ?? unread });
  }

  private judge({ outcome, reason }: Verdict, text: string, place: Place): void {
    this.counts[outcome] += 1;
    if (outcome === 'kept') return;
    if (outcome === 'lost' && place.entry !== null) this.incomplete.add(place.entry);
    if (this.losses.length >= LOSSES_MAX) return;
    this.losses.push({
      pointer: place.pointer,
      text: secretMember.test(place.pointer) && place.member !== text ? MASK : text.slice(0, LOSS_CHARS_MAX),
      outcome,
      reason: reason ?? place.reason ?? NO_EQUIVALENT,
    });
  }
}
