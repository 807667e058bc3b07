// Every bound of the engine, with its unit and its reason.
import { answerLimits } from '@parley/answers';

export const limits = {
  /** Nodes of one definition: validation of so many stays under a second. */
  nodesMax: 10_000,
  /** Edges of one definition. */
  edgesMax: 40_000,
  /** Natural-language edges out of one node: all of them go into one classifier question. */
  classifierChoicesMax: 100,
  /** Commands of one flow: each is tried whenever something was said to a question. */
  commandsMax: 8,
  /** Questions that commands have interrupted and that are gone back to. */
  interruptedMax: 3,
  /** Characters of one authored text: a prompt, an edge condition, a pattern. */
  textCharsMax: 10_000,
  /** Places reported when a document is not a definition; more would only hide the first ones. */
  problemsMax: 100,
  /** Characters of a node id or flow id. */
  idCharsMax: 128,

  /** Node visits of one turn, first and last included (FLOW_STEPS_MAX). */
  stepsMax: 200,
  /** Classifier questions of one turn: each is a model call that the speaker waits for. */
  classifierCallsMax: 5,
  /** An answer of the classifier below this confidence is no answer (CLASSIFIER_MIN_CONFIDENCE). */
  classifierConfidenceMin: 0.5,

  /**
   * Loop cap of an autonomous node: what a node without `max_iterations` gets, and the most one may
   * ask for.
   */
  agentIterationsDefault: 5,
  agentIterationsMax: 25,
  /** Wall clock of an autonomous node, in seconds: default and cap. */
  agentBudgetSecondsDefault: 20,
  agentBudgetSecondsMax: 120,

  /**
   * Characters of one rendered text. A short template over a large bag could otherwise fill the
   * memory.
   */
  renderedCharsMax: 100_000,
  /** Characters between the braces of one placeholder: a path and a default. */
  placeholderCharsMax: 1_000,
  /** Comparisons of one `all` or `any`. */
  conditionsMax: 20,
  /** Calls of a definition, and of what it calls, each with all calls inside it. */
  callsMax: 100,
  /** Calls inside calls, the first included. */
  callDepthMax: 5,
  /** Bytes of the nodes and edges that calls bring, as JSON: they are stored with every version. */
  expandedBytesMax: 2 * 1024 * 1024,
  /** Entries of one `set`. */
  assignmentsMax: 20,
  /** Elements of a list that `append` makes longer. */
  listElementsMax: 1_000,
  /** Other ways to say one text. */
  variantsMax: 20,
  /** Variables of other questions that an answer may fill. */
  alsoMax: 20,
  /**
   * Answers to one question that filled others alone, before another counts as a failed attempt.
   */
  filledOthersMax: 3,
  /** Filters of one placeholder, one after the other. */
  filtersMax: 8,
  /** Elements of a list that a filter joins: more is not said, and not read by anybody. */
  joinedElementsMax: 1_000,
  /**
   * What one turn may cost (turn-budget.ts), so that the worst turn holds up a process for less
   * than a tenth of a second. Characters looked at: folded, searched, read as numbers; a comparison
   * counts eight before it looks at anything.
   */
  turnTextCharsMax: 8_000_000,
  /**
   * Steps of patterns: characters searched times instructions, and what compiling costs for each
   * pattern that is searched for.
   */
  turnPatternStepsMax: 3_000_000,
  /**
   * Characters put into texts and arguments, before they are cut: twenty texts of the greatest
   * length.
   */
  turnRenderedCharsMax: 2_000_000,
  /**
   * Bytes of the result of a turn as JSON, the bag included: what a caller must read, and a process
   * must hold, for one turn.
   */
  turnResultBytesMax: 2 * 1024 * 1024,

  /**
   * Levels of nested objects that are searched for templates or compared; requests with deeper JSON
   * are refused.
   */
  depthMax: 64,
  /**
   * Steps of one dotted path, so that writing it cannot build a bag deeper than a request may
   * carry.
   */
  pathStepsMax: 32,
  jsonAnswerDepthMax: answerLimits.jsonAnswerDepthMax,

  castCharsMax: answerLimits.castCharsMax,
  /** Characters of a text searched by `matches`: linear time still needs an end. */
  matchedCharsMax: 10_000,
  /** Characters of a pattern: ten of them can already ask for a thousand instructions. */
  patternCharsMax: 1_000,
  /** Instructions of a compiled pattern: time is at most this times the characters searched. */
  patternInstructionsMax: 2_000,
  /** Instructions of all patterns of a flow: validation compiles each of them. */
  flowPatternInstructionsMax: 50_000,
  /**
   * What compiling an instruction costs, in steps of a search: counted at every search, so that no
   * cache changes what a turn costs.
   */
  patternCompilingSteps: 250,
  /** And what compiling the smallest pattern costs beside its instructions, in instructions. */
  patternOwnInstructions: 30,
  /**
   * Instructions of the compiled patterns that are kept, of all flows together: some thirty
   * megabytes with what searching adds.
   */
  patternInstructionsCachedMax: 60_000,

  /**
   * Webhook nodes of a flow: each sends a message when the flow ends. As many as an organisation
   * has webhooks.
   */
  webhooksMax: 50,
  /**
   * Headers of a webhook node, and characters of one value: what common servers take (Apache: 8,190
   * bytes a field).
   */
  webhookHeadersMax: 50,
  webhookHeaderCharsMax: 8_000,
  /** Characters of the address of a webhook node. */
  webhookUrlCharsMax: 2_048,

  /** Edges listed in one trace; the rest are counted. */
  traceEdgesMax: 1_000,
  /** Characters of one text shown in a trace, and members of one list or object. */
  traceTextCharsMax: 100,
  traceMembersMax: 10,
  /**
   * Bytes of the edges of one trace; edges beyond it are counted like those beyond traceEdgesMax.
   */
  traceBytesMax: 1024 * 1024,
} as const;

/** Names of the limits that a definition can exceed at parse time. */
export type DefinitionLimit = 'nodesMax' | 'edgesMax' | 'classifierChoicesMax' | 'textCharsMax';
