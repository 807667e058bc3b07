// The public interface of the flow engine. Nothing else is importable from outside.
export {
  calledKey,
  listCalls,
  type Call,
  type CalledVersion,
  type CalledVersions,
  type PinnedCall,
} from './define/calls.ts';
export { expandCalls, type Expansion } from './expand/expand-calls.ts';
export { validateExpansion } from './expand/validate-expansion.ts';
export { casts, type Cast, type CastSpec } from '@parley/answers';
export { idProblem, type AuthoredEdge, type AuthoredFlow, type AuthoredNode } from './define/definition.ts';
export { definitionMembers, definitionSchema, type Member } from './define/definition-schema.ts';
export { engineVariables } from './define/engine-variables.ts';
export { filters, type FilterSpec } from './define/filters.ts';
export { limits, type DefinitionLimit } from './define/limits.ts';
export { bagVariables } from './define/members.ts';
export type { Condition, EdgeKind, EdgeModel, FlowModel, NodeModel } from './define/model.ts';
export { nodeTypes, type GraphConstraints, type NodeType, type NodeTypeSpec } from './define/node-types.ts';
export { operators, type Operator, type OperatorSpec, type ValueShape } from './define/operators.ts';
export {
  parseFlow,
  readParsedFlowInPieces,
  readParsedFlow,
  type DefinitionProblem,
  type FlowIdentity,
  type LimitProblem,
  type ParsedFlow,
} from './define/parse.ts';
export { readCallerAnswer, type WireAnswers, type CallerAnswer } from './define/waits.ts';
export { compileFlow, compileFlowInPieces } from './compile/compile.ts';
export type { CompiledFlow, CompiledWebhook } from './compile/compiled.ts';
export type { Bag, InputStatus } from './read/paths.ts';
export { patternCache } from './read/patterns.ts';
export { jsonBytes, TurnBudget, type TurnCost } from './read/turn-budget.ts';
export type * from './walk/trace-step.ts';
export type * from './walk/turn.ts';
export { walkTurn } from './walk/walk.ts';
export { turnResultToWire, type TurnWire } from './walk/wire.ts';
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
export {
  diffFlows,
  type EdgeChange,
  type EdgeEntry,
  type EdgeMove,
  type FlowDiff,
  type NodeChange,
  type NodeEntry,
} from './diff/diff-flows.ts';
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
} from './compile/lone-condition.ts';
