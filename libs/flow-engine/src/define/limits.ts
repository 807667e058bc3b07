// Every limit of the engine, with its unit and its reason.
import { answerLimits } from '@parley/answers';

export const limits = {
  /** Nodes of one definition: validating so many takes less than a second. */
  nodesMax: 10_000,
  /** Edges of one definition. */
  edgesMax: 40_000,
  /** Natural-language edges of one node: one classifier question holds all of them. */
  classifierChoicesMax: 100,
  /** Examples of one edge or choice, and counter-examples of it; characters of one of them. */
  examplesMax: 50,
  exampleCharsMax: 300,
  /**
   * Examples and counter-examples that are learned together, and in all of a flow; those of
   * commands count at each question. Learning takes a second for so many.
   */
  examplesTogetherMax: 1_000,
  examplesOfFlowMax: 4_000,
  /** Examples of a flow that validation leaves out one by one: a second of work. */
  examplesLeftOutMax: 2_000,
  /** Fewer examples of a branch recognise little. */
  examplesFew: 5,
  /** Commands of one flow: the walk tries each with every answer. */
  commandsMax: 8,
  /** Interrupted questions that a conversation can go back to. */
  interruptedMax: 3,
  /** Characters of one authored text: a prompt, an edge condition, a pattern. */
  textCharsMax: 10_000,
  /** Places reported when a document is not a definition; more would hide the first ones. */
  problemsMax: 100,
  /** Characters of a node id or flow id. */
  idCharsMax: 128,

  /** Node visits of one turn, first and last included. */
  stepsMax: 200,
  /** Classifier questions of one turn: the caller waits for each of these model calls. */
  classifierCallsMax: 5,
  /** Minimum confidence for an answer of the classifier to count. */
  classifierConfidenceMin: 0.5,

  /** Iterations of an autonomous node: the default of `max_iterations`, and its maximum. */
  agentIterationsDefault: 5,
  agentIterationsMax: 25,
  /** Wall clock of an autonomous node, in seconds: default and maximum. */
  agentBudgetSecondsDefault: 20,
  agentBudgetSecondsMax: 120,
  /** Utterances that an agent that talks answers: the default of `max_turns`, and its maximum. */
  talkTurnsDefault: 20,
  talkTurnsMax: 100,
  /** Entries of the transcript that an agent that talks sees, and their bytes as JSON. */
  transcriptEntriesMax: 40,
  transcriptBytesMax: 16 * 1024,
  /** Characters of one entry: at six bytes each, one always fits into the bytes. */
  transcriptTextCharsMax: 2_000,

  /**
   * Characters of one rendered text. A short template over large variables could otherwise exhaust
   * the memory.
   */
  renderedCharsMax: 100_000,
  /** Characters between the braces of one placeholder: a path and a default. */
  placeholderCharsMax: 1_000,
  /** Comparisons of one `all` or `any`. */
  conditionsMax: 20,
  /** Calls of a definition, those inside other calls included. */
  callsMax: 100,
  /** Depth of calls inside calls, the first included. */
  callDepthMax: 5,
  /** Bytes of the nodes and edges that calls add, as JSON: every version stores them. */
  expandedBytesMax: 2 * 1024 * 1024,
  /** Entries of one `set`. */
  assignmentsMax: 20,
  /** Elements of a list that `append` grows. */
  listElementsMax: 1_000,
  /** Other ways to say one text. */
  variantsMax: 20,
  /** Variables of other questions that an answer may fill. */
  alsoMax: 20,
  /**
   * Answers to one question that fill other variables only, before another counts as a failed
   * attempt.
   */
  filledOthersMax: 3,
  /** Filters of one placeholder. */
  filtersMax: 8,
  /** Elements of a list that a filter joins: no one would listen to or read more. */
  joinedElementsMax: 1_000,
  /**
   * What one turn may cost (turn-budget.ts), so that the worst turn blocks a process for less than
   * a tenth of a second. Counts characters that are folded, searched or read as numbers; a
   * comparison costs eight in itself.
   */
  turnTextCharsMax: 8_000_000,
  /**
   * Steps of patterns: characters searched times instructions, plus the compiling of each pattern.
   */
  turnPatternStepsMax: 3_000_000,
  /**
   * Characters inserted into texts and arguments, before they are cut: twenty texts of the greatest
   * length.
   */
  turnRenderedCharsMax: 2_000_000,
  /**
   * Bytes of the result of a turn as JSON, the variables included: a caller must read it and a
   * process must hold it.
   */
  turnResultBytesMax: 2 * 1024 * 1024,

  /**
   * Levels of nested objects that are searched for templates or compared; requests with deeper JSON
   * are rejected.
   */
  depthMax: 64,
  /**
   * Steps of one dotted path: writing it must not build variables that are deeper than a request
   * may carry.
   */
  pathStepsMax: 32,
  jsonAnswerDepthMax: answerLimits.jsonAnswerDepthMax,

  castCharsMax: answerLimits.castCharsMax,
  /** Characters of a text that `matches` searches: linear time still needs a limit. */
  matchedCharsMax: 10_000,
  /** Characters of a pattern: ten of them can ask for a thousand instructions. */
  patternCharsMax: 1_000,
  /** Instructions of a compiled pattern: time is at most this times the characters searched. */
  patternInstructionsMax: 2_000,
  /** Instructions of all patterns of a flow: validation compiles each of them. */
  flowPatternInstructionsMax: 50_000,
  /**
   * Cost of compiling an instruction, in search steps. Counted at every search, so that no cache
   * changes the cost of a turn.
   */
  patternCompilingSteps: 250,
  /** Cost of compiling the smallest pattern beside its instructions, in instructions. */
  patternOwnInstructions: 30,
  /**
   * Instructions of the compiled patterns in the cache of all flows: about thirty megabytes with
   * what searching adds.
   */
  patternInstructionsCachedMax: 60_000,

  /**
   * Webhook nodes of a flow: each sends a message when the flow ends. As many as an organisation
   * may have webhooks.
   */
  webhooksMax: 50,
  /**
   * Headers of a webhook node, and characters of one value: what common servers accept (Apache:
   * 8,190 bytes a field).
   */
  webhookHeadersMax: 50,
  webhookHeaderCharsMax: 8_000,
  /** Characters of the address of a webhook node. */
  webhookUrlCharsMax: 2_048,

  /** Edges listed in one trace; the rest are counted. */
  traceEdgesMax: 1_000,
  /** Characters of one text in a trace, and members of one list or object. */
  traceTextCharsMax: 100,
  traceMembersMax: 10,
  /**
   * Bytes of the edges of one trace; edges beyond it are counted like those beyond traceEdgesMax.
   */
  traceBytesMax: 1024 * 1024,
} as const;

/** Names of the limits that a definition can exceed at parse time. */
export type DefinitionLimit = 'nodesMax' | 'edgesMax' | 'classifierChoicesMax' | 'textCharsMax';
