// The public face of the flow engine. Nothing else is importable from outside.
export { casts, type Cast, type CastSpec } from './casts.ts';
export type { AuthoredEdge, AuthoredFlow, AuthoredNode } from './definition.ts';
export { limits, type DefinitionLimit } from './limits.ts';
export type { Condition, EdgeKind, EdgeModel, FlowModel, NodeModel } from './model.ts';
export { nodeTypes, type GraphConstraints, type NodeType, type NodeTypeSpec } from './node-types.ts';
export { operators, type Operator, type OperatorSpec, type ValueShape } from './operators.ts';
export {
  parseFlow,
  type DefinitionProblem,
  type FlowIdentity,
  type LimitProblem,
  type ParsedFlow,
} from './parse.ts';
export { compileFlow } from './compile.ts';
export type { CompiledFlow, CompiledWebhook } from './compiled.ts';
export type { Bag, InputStatus } from './paths.ts';
export type * from './turn.ts';
export { walkTurn } from './walk.ts';
export { turnResultToWire, type TurnWire } from './wire.ts';
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
