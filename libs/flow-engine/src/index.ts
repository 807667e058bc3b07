// The public face of the flow engine. Nothing else is importable from outside.
export { casts, type Cast, type CastSpec } from './define/casts.ts';
export type { AuthoredEdge, AuthoredFlow, AuthoredNode } from './define/definition.ts';
export { filters, type FilterSpec } from './define/filters.ts';
export { limits, type DefinitionLimit } from './define/limits.ts';
export type { Condition, EdgeKind, EdgeModel, FlowModel, NodeModel } from './define/model.ts';
export { nodeTypes, type GraphConstraints, type NodeType, type NodeTypeSpec } from './define/node-types.ts';
export { operators, type Operator, type OperatorSpec, type ValueShape } from './define/operators.ts';
export {
  parseFlow,
  readParsedFlow,
  type DefinitionProblem,
  type FlowIdentity,
  type LimitProblem,
  type ParsedFlow,
} from './define/parse.ts';
export { compileFlow } from './compile/compile.ts';
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
export { redactionOf, redactorOf, type Redaction, type Redactor } from './explain/redaction.ts';
export {
  compileLoneCondition,
  type AuthoredCondition,
  type ConditionTest,
  type LoneCondition,
} from './compile/lone-condition.ts';
