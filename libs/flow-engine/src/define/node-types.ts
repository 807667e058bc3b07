// The table of node types: add a type here first (docs/flow-language.md#nodes).

/**
 * How many edges may enter and leave a node, and how many such nodes a flow may have; null = no
 * bound.
 */
export interface GraphConstraints {
  readonly minIncoming: number | null;
  readonly maxIncoming: number | null;
  readonly minOutgoing: number | null;
  readonly maxOutgoing: number | null;
  readonly minInstances: number | null;
  readonly maxInstances: number | null;
}

export interface NodeTypeSpec {
  /** Other accepted spellings; the stored document keeps the author's. */
  readonly aliases: readonly string[];
  /** The walk visits it during a turn. */
  readonly walked: boolean;
  /** The conversation ends here: no edge leaves it. */
  readonly terminal: boolean;
  /** Configuration only, used outside the turn. */
  readonly declarative: boolean;
  /**
   * Defaults; a node's `graph_constraints` overrides member by member. Parallel edges count each.
   */
  readonly constraints: GraphConstraints;
  /** Its name for people. */
  readonly label: string;
  /** One line for the reference. */
  readonly meaning: string;
}

const free: GraphConstraints = {
  minIncoming: null,
  maxIncoming: null,
  minOutgoing: null,
  maxOutgoing: null,
  minInstances: null,
  maxInstances: null,
};
const noIncoming = { minIncoming: 0, maxIncoming: 0 };
const noOutgoing = { minOutgoing: 0, maxOutgoing: 0 };

const step = { walked: true, terminal: false, declarative: false };
const ending = { walked: true, terminal: true, declarative: false, aliases: [] };
const configuration = { walked: false, terminal: false, declarative: true, aliases: [] };

export const nodeTypes = {
  message: {
    ...step,
    aliases: ['say'],
    constraints: free,
    label: 'Message',
    meaning: 'Says `text` and goes on.',
  },
  collect: {
    ...step,
    aliases: ['input'],
    constraints: { ...free, minOutgoing: 1 },
    label: 'Question',
    meaning: 'Asks `prompt`, waits, and captures the next answer into `variable`.',
  },
  branch: {
    ...step,
    aliases: ['condition'],
    constraints: { ...free, minOutgoing: 1 },
    label: 'Decision',
    meaning: 'Says nothing: only chooses the next edge.',
  },
  tool: {
    ...step,
    aliases: ['action'],
    constraints: free,
    label: 'Action',
    meaning:
      'Records a tool action (name and arguments) for the caller and goes on, at once or with its result.',
  },
  autonomous: {
    ...step,
    aliases: ['agent'],
    constraints: free,
    label: 'AI agent',
    meaning: 'Delegates a goal to a bounded agent loop and goes on with its outcome.',
  },
  handoff: {
    ...ending,
    constraints: { ...free, ...noOutgoing },
    label: 'Hand over',
    meaning: 'Ends the flow by handing the conversation to `target`; one that `returns` may have edges out.',
  },
  end: {
    ...ending,
    constraints: { ...free, ...noOutgoing },
    label: 'End',
    meaning: 'Ends the flow, with a last message.',
  },
  global: {
    ...configuration,
    constraints: { ...free, ...noIncoming, ...noOutgoing, maxInstances: 1 },
    label: 'Persona',
    meaning: 'Holds the persona: the system prompt of the whole flow.',
  },
  trigger: {
    ...configuration,
    constraints: { ...free, ...noIncoming, maxInstances: 1 },
    label: 'Trigger',
    meaning: 'Says what starts the flow, or is a command (not counted here); may have edges out.',
  },
  webhook: {
    ...configuration,
    constraints: { ...free, ...noIncoming, ...noOutgoing },
    label: 'Webhook',
    meaning: 'Is called when the flow has completed or was handed off.',
  },
  qa: {
    ...configuration,
    constraints: { ...free, ...noIncoming, ...noOutgoing },
    label: 'Quality review',
    meaning: 'Configures the quality review of finished conversations.',
  },
} as const satisfies Record<string, NodeTypeSpec>;

export type NodeType = keyof typeof nodeTypes;

const typeBySpelling: ReadonlyMap<string, NodeType> = new Map(
  Object.entries(nodeTypes).flatMap(([type, spec]) =>
    [type, ...spec.aliases].map((spelling) => [spelling, type as NodeType] as const),
  ),
);

/** The canonical type behind an authored `type`, or null when there is no such type. */
export function resolveNodeType(authored: string | null | undefined): NodeType | null {
  return typeBySpelling.get(authored ?? '') ?? null;
}
