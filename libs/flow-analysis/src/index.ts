// The public interface of the flow analysis. Nothing else is importable from outside.
export { expandCalls, type Expansion } from './expand/expand-calls.ts';
export { validateExpansion } from './expand/validate-expansion.ts';
export { definitionMembers, definitionSchema, type Member } from './schema/definition-schema.ts';
export { bagVariables } from './schema/members.ts';
export {
  validationCodes,
  type CodeGroup,
  type Severity,
  type ValidationCode,
  type ValidationCodeSpec,
} from './validate/codes.ts';
export type { ValidationOptions } from './validate/flow-index.ts';
export { groupBy } from './validate/group-by.ts';
export {
  validateFlow,
  type Validation,
  type ValidationItem,
  type ValidationStats,
} from './validate/validate-flow.ts';
export { diffFlows } from './diff/diff-flows.ts';
export type { EdgeChange, EdgeEntry, EdgeMove, FlowDiff, NodeChange, NodeEntry } from './diff/flow-diff.ts';
export type { PatchOperation, ValueChange } from './diff/json-changes.ts';
export {
  recordedTurn,
  recordOutcome,
  recordTurn,
  type RecordedAnswer,
  type RecordedTurn,
} from './explain/recorded-turn.ts';
export type { Difference } from './explain/differences.ts';
export {
  startReplay,
  type OpenQuestion,
  type ReplayedTurn,
  type ReplayOptions,
  type StopReason,
} from './explain/replay.ts';
export { countScripts, countTurns, type PassCounts, type Script } from './explain/coverage.ts';
export {
  generatedNowMs,
  generateTests,
  type GeneratedTest,
  type GeneratedTests,
  type ScriptedConversation,
} from './explain/generate-tests.ts';
export { playTest, type ConversationTest, type TestFailure } from './explain/play-test.ts';
export { readAt, type ExplainedAnswer } from './explain/explain-answer.ts';
export { reach, type Reach, type ReachTarget } from './explain/reach.ts';
export { playScripted, type Playing, type ScriptTurn } from './explain/script.ts';
export type { UncoveredEdge } from './explain/search/find-edges.ts';
export {
  compareBehaviour,
  type BehaviouralDiff,
  type ComparedKind,
  type DifferenceGroup,
  type ParallelRun,
} from './explain/compare/compare-behaviour.ts';
export { findRedactionInPieces, makeRedactor, type Redaction, type Redactor } from './explain/redaction.ts';
export {
  compileLoneCondition,
  type AuthoredCondition,
  type ConditionTest,
  type LoneCondition,
} from './validate/lone-condition.ts';
