// Reads the parts of a typebot: groups of blocks, edges and variables. Text before a question
// becomes part of the question.
import { jsonPointer } from '@parley/envelopes';
import type { Draft } from '../draft.ts';
import { toMembersList, getMember, findText, toText, type Members } from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';

export interface Block {
  readonly block: Members;
  readonly type: string;
  readonly pointer: string;
  readonly name: string;
  readonly id: string;
  /** The blocks of its group, and its index among them. */
  readonly among: readonly Block[];
  readonly index: number;
  /** The position of its group. */
  readonly drawn: unknown;
}

export class TypebotGraph {
  readonly blocks: readonly Block[];
  private readonly source: Members;
  private readonly variables: ReadonlyMap<unknown, string>;
  private readonly edges: ReadonlyMap<unknown, Members>;
  private readonly byBlockId = new Map<unknown, Block>();
  private readonly byGroupId = new Map<unknown, Block>();
  /** Text blocks with the question that includes them. */
  private readonly folded = new Map<Block, Block>();

  constructor(source: Members, base: readonly string[], draft: Draft) {
    this.source = source;
    this.variables = new Map(
      toMembersList(source['variables']).flatMap(({ id, name }) => {
        const variable = toVariableName(toText(name));
        return variable === null ? [] : [[id, variable] as const];
      }),
    );
    this.edges = new Map(toMembersList(source['edges']).map((edge) => [edge['id'], edge]));
    this.blocks = toMembersList(source['groups']).flatMap((group, index) => {
      const among = listBlocks(group, [...base, 'groups', index], draft);
      const [first] = among;
      if (first !== undefined && !this.byGroupId.has(group['id'])) this.byGroupId.set(group['id'], first);
      return among;
    });
    for (const block of this.blocks)
      if (!this.byBlockId.has(block.block['id'])) this.byBlockId.set(block.block['id'], block);
    const entered = new Set([...this.edges.values()].map((edge) => getMember(edge, 'to', 'blockId')));
    for (const question of this.blocks) if (isQuestion(question)) this.fold(question, entered);
  }

  private fold(question: Block, entered: ReadonlySet<unknown>): void {
    for (let index = question.index - 1; index >= 0; index -= 1) {
      const before = question.among[index]!;
      const leadsElsewhere = this.edges.has(before.block['outgoingEdgeId']);
      if (before.type !== 'text' || entered.has(before.block['id']) || leadsElsewhere) return;
      this.folded.set(before, question);
    }
  }

  /** The question that includes a block's text. */
  saidBy(block: Block): Block | null {
    return this.folded.get(block) ?? null;
  }

  variable(id: unknown): string | null {
    return this.variables.get(id) ?? null;
  }

  // Paths, each the id of a node

  start(): string | null {
    const event = toMembersList(this.source['events']).find(({ type }) => type === 'start');
    const begin = this.blocks.find(({ type }) => type === 'start');
    return this.leadsTo(event?.['outgoingEdgeId'] ?? begin?.block['outgoingEdgeId']);
  }

  leadsTo(edgeId: unknown): string | null {
    return this.entry(getMember(this.edges.get(edgeId), 'to'));
  }

  after({ block, among, index }: Block): string | null {
    if (this.edges.has(block['outgoingEdgeId'])) return this.leadsTo(block['outgoingEdgeId']);
    return this.nodeOf(among[index + 1]);
  }

  /** @param place `{blockId?, groupId?}` */
  entry(place: unknown): string | null {
    return this.nodeOf(
      this.byBlockId.get(getMember(place, 'blockId')) ?? this.byGroupId.get(getMember(place, 'groupId')),
    );
  }

  private nodeOf(block: Block | undefined): string | null {
    return block === undefined ? null : (this.folded.get(block) ?? block).id;
  }

  // Texts

  said({ block: { content } }: Block): string {
    const markup = toText(getMember(content, 'html'))
      .replace(/<\/p>|<\/div>|<br[^<>]*>/gu, '\n')
      .replace(/<[^<>]*>/gu, '')
      .trim();
    return toTemplate(
      findText(getMember(content, 'plainText'), toPlainText(getMember(content, 'richText')), markup),
    );
  }

  promptOf(question: Block): string {
    const texts = question.among
      .filter((one) => this.folded.get(one) === question)
      .map((one) => this.said(one))
      .filter((text) => text !== '');
    const labels = getMember(question.block, 'options', 'labels');
    return (
      texts.join('\n') || toTemplate(findText(getMember(labels, 'placeholder'), getMember(labels, 'button')))
    );
  }
}

export const isQuestion = ({ type }: Block): boolean => type.endsWith(' input') || type === 'cards';

function listBlocks(group: Members, base: readonly (string | number)[], draft: Draft): readonly Block[] {
  const title = toText(group['title']);
  const among: Block[] = [];
  toMembersList(group['blocks']).forEach((block, index) => {
    const type = toText(block['type']) || 'unknown';
    among.push({
      block,
      type,
      among,
      index,
      pointer: jsonPointer([...base, 'blocks', index]),
      name: findText(block['label'], title, block['id']),
      id: draft.id(index === 0 ? title || type : `${title || 'group'}_${type}`),
      drawn: index === 0 ? group['graphCoordinates'] : null,
    });
  });
  return among;
}

const RICH_DEPTH_MAX = 20;
/** Inline elements; others become lines of their own. */
const inlineTypes: ReadonlySet<unknown> = new Set(['a', 'inline-variable', 'variable']);

/** Paragraphs as lines, without formatting. */
const toPlainText = (elements: unknown): string =>
  toMembersList(elements)
    .map((one) => toLine(one, 0))
    .join('\n');

function toLine({ text, children }: Members, depth: number): string {
  if (typeof text === 'string') return text;
  if (depth > RICH_DEPTH_MAX) return '';
  const parts = toMembersList(children).map((child) => ({ line: toLine(child, depth + 1), of: child }));
  return parts
    .map(({ line, of }, index) =>
      index === 0 || 'text' in of || inlineTypes.has(of['type']) ? line : `\n${line}`,
    )
    .join('');
}
