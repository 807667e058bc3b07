// The validation codes about the pieces of a flow, and about its routing.
import { error, info, warning, type ValidationCodeSpec } from './code-spec.ts';

export const graphCodes = {
  no_nodes: error('structure', 'The flow has no nodes.', 'Add a first node.'),
  duplicate_node_id: error(
    'structure',
    'An earlier node has the same id; edges lead to the first one.',
    'Give every node an id of its own.',
  ),
  unknown_node_type: error(
    'structure',
    'There is no such node type.',
    'Use message, collect, branch, tool, autonomous, handoff, end, global, trigger, webhook or qa.',
  ),
  start_not_found: error(
    'structure',
    'The start names no node.',
    'Set `start` to the id of the first node, or name that node "start".',
  ),
  start_not_walkable: error(
    'structure',
    'The flow starts at a node that only carries configuration.',
    'Set `start` to a node that takes part in the conversation.',
  ),
  edge_source_unknown: error(
    'structure',
    'An edge leaves a node that does not exist.',
    'Correct the source or remove the edge.',
  ),
  edge_target_unknown: error(
    'structure',
    'An edge leads to a node that does not exist.',
    'Correct the target or remove the edge.',
  ),
  duplicate_edge: warning(
    'structure',
    'Another edge joins the same nodes under the same condition.',
    'Remove one of the two.',
  ),
  edge_on_declarative_node: error(
    'structure',
    'An edge touches a node that takes no part in the conversation. Only a trigger may have edges out.',
    'Remove the edge: global, webhook and qa nodes work without one.',
  ),
  terminal_has_outgoing: error(
    'structure',
    'An edge leaves a node at which the conversation is over.',
    'Remove the edge, or use a message node instead of the end or handoff.',
  ),
  constraint_min_incoming: error(
    'structure',
    'Fewer edges enter the node than its constraints ask for.',
    'Lead more edges here, or lower `graph_constraints.min_incoming`.',
  ),
  constraint_max_incoming: error(
    'structure',
    'More edges enter the node than its constraints allow.',
    'Remove edges, or raise `graph_constraints.max_incoming`.',
  ),
  constraint_min_outgoing: error(
    'structure',
    'Fewer edges leave the node than its constraints ask for.',
    'Add an edge out of the node, or lower `graph_constraints.min_outgoing`.',
  ),
  constraint_max_outgoing: error(
    'structure',
    'More edges leave the node than its constraints allow.',
    'Remove edges, or raise `graph_constraints.max_outgoing`.',
  ),
  constraint_min_instances: error(
    'structure',
    'The flow has fewer nodes of this type than the node asks for.',
    'Add nodes of the type, or lower `graph_constraints.min_instances`.',
  ),
  constraint_max_instances: error(
    'structure',
    'The flow has more nodes of this type than allowed.',
    'Remove nodes of the type, or raise `graph_constraints.max_instances`.',
  ),
  constraint_invalid: error(
    'structure',
    'A graph constraint is no whole number from 0, has an unknown name, or asks for more than it allows.',
    'Use min_ and max_ of incoming, outgoing and instances, with min not above max.',
  ),

  edge_without_variable: error(
    'routing',
    'A condition has an operator or a value, but no variable to compare.',
    'Name the variable, or `user_input` for the utterance.',
  ),
  multiple_defaults: error(
    'routing',
    'The node has a second default edge; only the first can be taken.',
    'Keep one default edge, and give the others a condition.',
  ),
  conditions_invalid: error(
    'routing',
    'The comparisons of `all` or `any` cannot be read, so that the edge is never taken, or they are ignored.',
    'List 1 to 20 objects with `variable`, `op` and `value`, in place of those of the edge.',
  ),
  mixed_condition: error(
    'routing',
    'The edge has both a comparison and a natural-language condition.',
    'Split it into two edges.',
  ),
  default_with_condition: error(
    'routing',
    'The edge is marked as default and has a condition, which is ignored.',
    'Remove `default: true` or the condition.',
  ),
  unknown_op: error(
    'routing',
    'There is no such operator.',
    'Use one of the operators of the reference, for example eq, gt, in, contains, exists.',
  ),
  value_type_mismatch: error(
    'routing',
    'The operator cannot compare with this value, so the condition never decides what was meant.',
    'Give the operator the kind of value it takes.',
  ),
  regex_invalid: error(
    'routing',
    'The pattern is not valid RE2 syntax, or too costly.',
    'Correct the pattern; look-around and back-references do not exist in RE2.',
  ),
  missing_default: {
    ...error(
      'routing',
      'No edge is sure to be taken, so the turn can end without a way on: an error where a classifier decides or an agent talks, else a warning.',
      'Add a default edge.',
    ),
    orElse: 'warning',
  },
  shadowed_edge: warning(
    'routing',
    'Whenever this edge could be taken, an earlier edge is taken.',
    'Put the narrower condition first, or remove the edge.',
  ),
  contradictory_edge: warning(
    'routing',
    'The condition can never hold.',
    'Correct the value, or remove the edge.',
  ),
  ambiguous_nl: warning(
    'routing',
    'Two edges of the node put the same natural-language condition to the classifier.',
    'Say what makes the two different, or keep one.',
  ),
  command_invalid: error(
    'routing',
    'A trigger looks like a command, and is none that anybody can call.',
    'Write `on: "any_turn"`, `priority` "before" or "after", and lead an edge with a condition out of it.',
  ),
  command_without_condition: error(
    'routing',
    'An edge of a command has no condition, so it is never taken.',
    'Say in its condition what calls the command.',
  ),
  command_too_many: error(
    'routing',
    'The flow has more commands than are tried at a question.',
    'Lead several edges out of one command.',
  ),
  resume_ignored: warning(
    'routing',
    'An end says that it goes back to a question, and never does.',
    'Lead a command to it, or remove `resume`.',
  ),
  op_alias: info('routing', 'The operator is written as an alias.', 'Nothing to do; both spellings work.'),
  comma_separated_list: info(
    'routing',
    'The list is written as one text and split at its commas.',
    'Use a JSON list when an element holds a comma or is a number.',
  ),

  call_invalid: error(
    'structure',
    'A call cannot be read, so that nothing is called.',
    'Give `call` a `flow_id`, a `version`, and perhaps `input` and `output`.',
  ),
  call_unresolved: error(
    'structure',
    'A flow cannot be called: it is not there, is not published, has errors, calls this one, goes too deep, or is too large.',
    'Call another version or flow, or publish the one that is called.',
  ),
  unreachable_node: warning(
    'reachability',
    'No path leads from the start to the node.',
    'Lead an edge to it, or remove it.',
  ),
  dead_end: error(
    'reachability',
    'The conversation stops at the node without being over.',
    'Add an edge out of the node, or make it an end or handoff.',
  ),
  no_path_to_terminal: warning(
    'reachability',
    'From the node on, no path leads to an end or handoff.',
    'Lead a path to an end or handoff node.',
  ),
  trap_cycle: warning(
    'reachability',
    'No edge leads out of the cycle: a conversation that enters it never ends.',
    'Add an edge out of the cycle.',
  ),

  silent_cycle: {
    ...error(
      'termination',
      'A cycle without a node that waits never waits for the caller: an error where nothing can leave it, a warning where a condition can.',
      'Put a collect node on the cycle, or lead its edges out of it.',
    ),
    orElse: 'warning',
  },
} as const satisfies Record<string, ValidationCodeSpec>;
