// The public interface of the flow analysis. Nothing else is importable from outside.
export { expandCalls, type Expansion } from './expand/expand-calls.ts';
export { validateExpansion } from './expand/validate-expansion.ts';
export { definitionMembers, definitionSchema, type Member } from './schema/definition-schema.ts';
export { exampleFlows } from './explain/example-flows.ts';
export { languageReference } from './schema/language-reference.ts';
export { bagVariables } from './schema/members.ts';
export {
  validationCodes,
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
export type { FlowDiff } from './diff/flow-diff.ts';
export type { ValueChange } from './diff/json-changes.ts';
export { recordedTurn, recordTurn, type RecordedTurn } from './explain/recorded-turn.ts';
export {
  addModelUsage,
  modelUsage,
  recordOutcome,
  type ModelUsage,
  type RecordedAnswer,
} from './explain/recorded-answer.ts';
export { startReplay, type OpenQuestion, type ReplayedTurn } from './explain/replay.ts';
export { countScripts, countTurns, type PassCounts, type Script } from './explain/coverage.ts';
export { generateTests, type GeneratedTest } from './explain/generate-tests.ts';
export { playTest, type ConversationTest, type TestFailure } from './explain/play-test.ts';
export { applyLesson, compareWays, readLesson, writeTest, type NotTeachable } from './explain/teach.ts';
export {
  groupUnrecognised,
  groupsMax,
  type UnrecognisedNode,
  type UtteranceGroup,
} from './explain/unrecognised.ts';
export { measureClassifiers, type MeasuredNode } from './explain/classifier-report.ts';
export { readAt, type ExplainedAnswer } from './explain/explain-answer.ts';
export { reach, type Reach, type ReachTarget } from './explain/reach.ts';
export { playScripted, type ScriptTurn } from './explain/script.ts';
export type { UncoveredEdge } from './explain/search/find-edges.ts';
export { compareBehaviour, type BehaviouralDiff } from './explain/compare/compare-behaviour.ts';
export { findRedactionInPieces, makeRedactor, type Redaction, type Redactor } from './explain/redaction.ts';
export {
  compileLoneCondition,
  type AuthoredCondition,
  type ConditionTest,
} from './validate/lone-condition.ts';
