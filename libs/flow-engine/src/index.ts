// The public interface of the flow engine. Nothing else is importable from outside.
export {
  calledKey,
  listCalls,
  type Call,
  type CalledVersion,
  type CalledVersions,
  type PinnedCall,
} from './define/calls.ts';
export { casts, type CastSpec } from '@parley/answers';
export { idProblem, type AuthoredEdge, type AuthoredFlow, type AuthoredNode } from './define/definition.ts';
export { engineVariableWords, engineVariables } from './define/engine-variables.ts';
export { filters, type FilterSpec } from './define/filters.ts';
export { limits } from './define/limits.ts';
export type { Condition, EdgeKind, EdgeModel, FlowModel, NodeModel } from './define/model.ts';
export { nodeTypes, type GraphConstraints, type NodeType, type NodeTypeSpec } from './define/node-types.ts';
export { operators, type OperatorSpec } from './define/operators.ts';
export {
  parseFlow,
  readParsedFlowInPieces,
  readParsedFlow,
  type FlowIdentity,
  type ParsedFlow,
} from './define/parse.ts';
export { readCallerAnswer, type WireAnswers, type CallerAnswer } from './define/waits.ts';
export { classifierVersion } from './classify/classifier.ts';
export { compileFlow, compileFlowInPieces } from './compile/compile.ts';
export type { CompiledFlow, CompiledWebhook } from './compile/compiled.ts';
export { ownMember, type Bag } from './read/paths.ts';
export { patternCache } from './read/patterns.ts';
export { jsonBytes, TurnBudget } from './read/turn-budget.ts';
export { openCallAt } from './walk/bookkeeping.ts';
export type * from './walk/trace-step.ts';
export type * from './walk/turn.ts';
export { toChoice } from './walk/talk.ts';
export { walkTurn } from './walk/walk.ts';
export { turnResultToWire, type TurnWire } from './walk/wire.ts';
