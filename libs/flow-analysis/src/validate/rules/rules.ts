// Every code of codes.ts with the rule that finds it: a code without a rule does not compile. They
// run in this order.
import * as hints from './question-hints.ts';
import * as answers from './answer-rules.ts';
import * as agent from './agent-rules.ts';
import * as answerEdges from './answer-edges.ts';
import type { ValidationCode } from '../codes.ts';
import * as command from './command-rules.ts';
import * as constraint from './constraint-rules.ts';
import * as data from './data-rules.ts';
import * as examples from './example-rules.ts';
import type { Rule } from '../rule.ts';
import * as node from './node-rules.ts';
import * as result from './result-rules.ts';
import * as reachability from './reachability-rules.ts';
import * as routing from './routing-rules.ts';
import * as several from './several-rules.ts';
import * as structure from './structure-rules.ts';
import * as termination from './termination-rules.ts';
import * as webhook from './webhook-rules.ts';

export const rules: Readonly<Record<ValidationCode, Rule>> = {
  no_nodes: structure.noNodes,
  duplicate_node_id: structure.duplicateNodeId,
  unknown_node_type: structure.unknownNodeType,
  start_not_found: structure.startNotFound,
  start_not_walkable: structure.startNotWalkable,
  edge_source_unknown: structure.edgeSourceUnknown,
  edge_target_unknown: structure.edgeTargetUnknown,
  duplicate_edge: structure.duplicateEdge,
  edge_on_declarative_node: structure.edgeOnDeclarativeNode,
  terminal_has_outgoing: structure.terminalHasOutgoing,
  constraint_min_incoming: constraint.constraintMinIncoming,
  constraint_max_incoming: constraint.constraintMaxIncoming,
  constraint_min_outgoing: constraint.constraintMinOutgoing,
  constraint_max_outgoing: constraint.constraintMaxOutgoing,
  constraint_min_instances: constraint.constraintMinInstances,
  constraint_max_instances: constraint.constraintMaxInstances,
  constraint_invalid: constraint.constraintInvalid,

  edge_without_variable: routing.edgeWithoutVariable,
  multiple_defaults: routing.multipleDefaults,
  conditions_invalid: routing.conditionsInvalid,
  mixed_condition: routing.mixedCondition,
  default_with_condition: routing.defaultWithCondition,
  unknown_op: routing.unknownOp,
  value_type_mismatch: routing.valueTypeMismatch,
  regex_invalid: routing.regexInvalid,
  missing_default: routing.missingDefault,
  shadowed_edge: routing.shadowedEdge,
  contradictory_edge: routing.contradictoryEdge,
  ambiguous_nl: routing.ambiguousNl,
  command_invalid: command.commandInvalid,
  command_without_condition: command.commandWithoutCondition,
  command_too_many: command.commandTooMany,
  resume_ignored: command.resumeIgnored,
  op_alias: routing.opAlias,
  comma_separated_list: routing.commaSeparatedList,

  call_invalid: structure.callInvalid,
  call_unresolved: structure.callUnresolved,
  unreachable_node: reachability.unreachableNode,
  dead_end: reachability.deadEnd,
  no_path_to_terminal: reachability.noPathToTerminal,
  trap_cycle: reachability.trapCycle,

  silent_cycle: termination.silentCycle,
  bound_exceeds_limit: termination.boundExceedsLimit,
  turn_may_be_too_costly: termination.turnMayBeTooCostly,

  variable_never_set: data.variableNeverSet,
  variable_maybe_unset: data.variableMaybeUnset,
  captured_but_unused: data.capturedButUnused,
  template_syntax: data.templateSyntax,
  output_schema_invalid: result.outputSchemaInvalid,
  result_member_unknown: result.resultMemberUnknown,
  set_invalid: data.setInvalid,
  wait_invalid: node.waitInvalid,
  variants_invalid: data.variantsInvalid,
  examples_invalid: examples.examplesInvalid,
  examples_overlap: examples.examplesOverlap,
  examples_few: examples.examplesFew,
  example_misread: examples.exampleMisread,
  examples_unused: examples.examplesUnused,
  unknown_member: node.unknownMember,
  message_without_text: node.messageWithoutText,
  collect_without_prompt: node.collectWithoutPrompt,
  tool_without_name: node.toolWithoutName,
  handoff_without_target: node.handoffWithoutTarget,
  agent_without_goal: node.agentWithoutGoal,
  region_unknown: node.regionUnknown,
  flag_ignored: node.flagIgnored,
  value_ignored: routing.valueIgnored,
  value_outside_choices: answerEdges.valueOutsideChoices,
  dead_edge_behind_cast: answerEdges.deadEdgeBehindCast,
  unknown_cast: data.unknownCast,
  enum_without_choices: data.enumWithoutChoices,
  answer_rule_invalid: answers.answerRuleInvalid,
  language_not_spoken: answers.languageNotSpoken,
  language_basic: answers.languageBasic,
  past_not_preferred: hints.pastNotPreferred,
  unit_suggested: hints.unitSuggested,
  confirmation_suggested: hints.confirmationSuggested,
  reader_not_configured: answers.readerNotConfigured,
  model_unknown: agent.modelUnknown,
  also_unknown: several.alsoUnknown,
  also_ignored: several.alsoIgnored,
  skip_suggested: several.skipSuggested,
  collect_without_variable: data.collectWithoutVariable,
  output_var_collision: data.outputVarCollision,

  dispatch_unknown_tool: agent.dispatchUnknownTool,
  tool_without_dispatch: agent.toolWithoutDispatch,
  dispatch_url_invalid: agent.dispatchUrlInvalid,
  bound_invalid: agent.boundInvalid,
  extraction_invalid: agent.extractionInvalid,
  context_var_unknown: agent.contextVarUnknown,

  webhook_url_invalid: webhook.webhookUrlInvalid,
  webhook_headers_invalid: webhook.webhookHeadersInvalid,
  webhook_too_many: webhook.webhookTooMany,
};
