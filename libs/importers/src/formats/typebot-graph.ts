// What a typebot is made of: groups of blocks, the edges between them, and its variables. What is said before a question is part of it.
import { jsonPointer } from '@parley/envelopes';
import type { Draft } from '../draft.ts';
import { allMembers, at, firstText, textOf, type Members } from '../source.ts';
import { template, variableName } from '../words.ts';

export interface Block {
  readonly block: Members;
  readonly type: string;
  readonly pointer: string;
  readonly name: string;
  readonly id: string;
  /** The blocks of its group, and its place among them. */
  readonly among: readonly Block[];
  readonly index: number;
  /** Where its group is drawn. */
  readonly drawn: unknown;
}

export class TypebotGraph {
  readonly blocks: readonly Block[];
  private readonly source: Members;
  private readonly variables: ReadonlyMap<unknown, string>;
  private readonly edges: ReadonlyMap<unknown, Members>;
  private readonly byBlockId = new Map<unknown, Block>();
  private readonly byGroupId = new Map<unknown, Block>();
  /** Texts, and the question that says them. */
  private readonly folded = new Map<Block, Block>();

  constructor(source: Members, base: readonly string[], draft: Draft) {
    this.source = source;
    this.variables = new Map(
      allMembers(source['variables']).flatMap(({ id, name }) => {
        const variable = variableName(textOf(name));
        return variable === null ? [] : [[id, variable] as const];
      }),
    );
    this.edges = new Map(allMembers(source['edges']).map((edge) => [edge['id'], edge]));
    this.blocks = allMembers(source['groups']).flatMap((group, index) => {
      const among = blocksOf(group, [...base, 'groups', index], draft);
      const [first] = among;
      if (first !== undefined && !this.byGroupId.has(group['id'])) this.byGroupId.set(group['id'], first);
      return among;
    });
    for (const block of this.blocks)
      if (!this.byBlockId.has(block.block['id'])) this.byBlockId.set(block.block['id'], block);
    const entered = new Set([...this.edges.values()].map((edge) => at(edge, 'to', 'blockId')));
    for (const question of this.blocks) if (asks(question)) this.fold(question, entered);
  }

  private fold(question: Block, entered: ReadonlySet<unknown>): void {
    for (let index = question.index - 1; index >= 0; index -= 1) {
      const before = question.among[index]!;
      const leadsElsewhere = this.edges.has(before.block['outgoingEdgeId']);
      if (before.type !== 'text' || entered.has(before.block['id']) || leadsElsewhere) return;
      this.folded.set(before, question);
    }
  }

  /** The question that says the text of a block. */
  saidBy(block: Block): Block | null {
    return this.folded.get(block) ?? null;
  }

  variable(id: unknown): string | null {
    return this.variables.get(id) ?? null;
  }

  // Ways, each the id of a node

  start(): string | null {
    const event = allMembers(this.source['events']).find(({ type }) => type === 'start');
    const begin = this.blocks.find(({ type }) => type === 'start');
    return this.leadsTo(event?.['outgoingEdgeId'] ?? begin?.block['outgoingEdgeId']);
  }

  leadsTo(edgeId: unknown): string | null {
    return this.entry(at(this.edges.get(edgeId), 'to'));
  }

  after({ block, among, index }: Block): string | null {
    if (this.edges.has(block['outgoingEdgeId'])) return this.leadsTo(block['outgoingEdgeId']);
    return this.nodeOf(among[index + 1]);
  }

  /** @param place `{blockId?, groupId?}` */
  entry(place: unknown): string | null {
    return this.nodeOf(this.byBlockId.get(at(place, 'blockId')) ?? this.byGroupId.get(at(place, 'groupId')));
  }

  private nodeOf(block: Block | undefined): string | null {
    return block === undefined ? null : (this.folded.get(block) ?? block).id;
  }

  // Texts

  said({ block: { content } }: Block): string {
    const markup = textOf(at(content, 'html'))
      .replace(/<\/p>|<\/div>|<br[^>]*>/gu, '\n')
      .replace(/<[^>]*>/gu, '')
      .trim();
    return template(firstText(at(content, 'plainText'), richText(at(content, 'richText')), markup));
  }

  promptOf(question: Block): string {
    const texts = question.among
      .filter((one) => this.folded.get(one) === question)
      .map((one) => this.said(one))
      .filter((text) => text !== '');
    const labels = at(question.block, 'options', 'labels');
    return texts.join('\n') || template(firstText(at(labels, 'placeholder'), at(labels, 'button')));
  }
}

export const asks = ({ type }: Block): boolean => type.endsWith(' input') || type === 'cards';

function blocksOf(group: Members, base: readonly (string | number)[], draft: Draft): readonly Block[] {
  const title = textOf(group['title']);
  const among: Block[] = [];
  allMembers(group['blocks']).forEach((block, index) => {
    const type = textOf(block['type']) || 'unknown';
    among.push({
      block,
      type,
      among,
      index,
      pointer: jsonPointer([...base, 'blocks', index]),
      name: firstText(block['label'], title, block['id']),
      id: draft.id(index === 0 ? title || type : `${title || 'group'}_${type}`),
      drawn: index === 0 ? group['graphCoordinates'] : null,
    });
  });
  return among;
}

const RICH_DEPTH_MAX = 20;
/** Elements that stand in a line; the others are lines of their own. */
const inline: ReadonlySet<unknown> = new Set(['a', 'inline-variable', 'variable']);

/** Paragraphs as lines, whatever is bold or linked as its words. */
const richText = (elements: unknown): string =>
  allMembers(elements)
    .map((one) => lineOf(one, 0))
    .join('\n');

function lineOf({ text, children }: Members, depth: number): string {
  if (typeof text === 'string') return text;
  if (depth > RICH_DEPTH_MAX) return '';
  const parts = allMembers(children).map((child) => ({ line: lineOf(child, depth + 1), of: child }));
  return parts
    .map(({ line, of }, index) =>
      index === 0 || 'text' in of || inline.has(of['type']) ? line : `\n${line}`,
    )
    .join('');
}
