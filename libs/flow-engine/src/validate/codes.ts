// The table of all validation codes (docs/flow-language.md#validation). The rules are keyed by it,
// so a code without a rule does not compile; the reference pages are generated from it. Add a
// finding here first.

export type Severity = 'error' | 'warning' | 'info';

export type CodeGroup =
  'structure' | 'routing' | 'reachability' | 'termination' | 'data' | 'agent' | 'webhook';

export interface ValidationCodeSpec {
  readonly severity: Severity;
  /** The severity of some findings of the code; `meaning` says which. */
  readonly orElse?: Severity;
  readonly group: CodeGroup;
  /** The fault, in one sentence. */
  readonly meaning: string;
  /** What the author can do about it. */
  readonly hint: string;
}

const row = (severity: Severity) => (group: CodeGroup, meaning: string, hint: string) => ({
  severity,
  group,
  meaning,
  hint,
});
const error = row('error');
const warning = row('warning');
const info = row('info');

export const validationCodes = {
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
      'No edge is sure to be taken, so the turn can end without a way on: an error where a classifier decides, else a warning.',
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
  bound_exceeds_limit: error(
    'termination',
    'One turn can visit more nodes than a turn may.',
    'Put a collect node on the path, or join nodes.',
  ),
  turn_may_be_too_costly: warning(
    'termination',
    'One turn can compare, search or say more than a turn may, with an ordinary utterance: it would be refused.',
    'Try fewer or simpler conditions in one turn, shorten its texts, or put a collect node in between.',
  ),

  variable_never_set: warning(
    'data',
    'A variable is read that no node sets: the caller has to bring it.',
    'Check the spelling, bring it in `variables`, or give it a default.',
  ),
  variable_maybe_unset: warning(
    'data',
    'On some path the variable is read before any node has set it.',
    'Set it on every path, test it with `exists`, or give it a default: {{ name | default: "there" }}.',
  ),
  captured_but_unused: info(
    'data',
    'The answer is captured, but nothing in the flow reads it.',
    'Nothing to do when the caller uses it.',
  ),
  template_syntax: error(
    'data',
    'A placeholder is not well-formed and would be said as it stands.',
    'Write {{ path.to[0] }} or {{ name | default: "there" }}, with filters of the reference; {{ "{{" }} says braces.',
  ),
  set_invalid: {
    ...error(
      'data',
      'An entry of `set` cannot be done (an error), or the node is never left (a warning).',
      'Name a variable, and one of `to`, `add`, `append`, `remove` and `clear: true`.',
    ),
    orElse: 'warning',
  },
  wait_invalid: {
    ...error(
      'data',
      '`wait_for_result` or `returns` is neither true nor false (an error), or true on a node of a type that does not wait so (a warning).',
      'Write `wait_for_result: true` on a tool, and `returns: true` on a handoff.',
    ),
    orElse: 'warning',
  },
  variants_invalid: error(
    'data',
    'The other ways to say a text are no list of texts, or too many, so none is ever said.',
    'List up to 20 texts in `variants`.',
  ),
  unknown_member: warning(
    'structure',
    'A member is not read, and is a letter or two away from one that is, or is what another product calls it.',
    'Correct the name, or keep data of your own under a name of its own.',
  ),
  message_without_text: warning('data', 'The message says nothing.', 'Write a `text`, or remove the node.'),
  collect_without_prompt: warning(
    'data',
    'The flow waits for an answer without having asked.',
    'Write a `prompt`; ask in it, even where a message before has asked.',
  ),
  tool_without_name: error('data', 'The tool node names no tool, so nobody can run it.', 'Set `tool`.'),
  handoff_without_target: warning(
    'data',
    'The handoff does not say to whom.',
    'Set `target`, if only to the name of a queue.',
  ),
  agent_without_goal: error('agent', 'The agent has nothing to reach.', 'Write a `goal`.'),
  region_unknown: error(
    'data',
    'There is no such country, so numbers without one are never understood.',
    'Set `default_region` to a code of ISO 3166, such as "DE".',
  ),
  flag_ignored: warning(
    'routing',
    'The pattern is written as in JavaScript: its slashes and flags are part of what is searched for.',
    'Write the pattern without them; comparisons ignore case unless `case_sensitive` is true.',
  ),
  value_ignored: error(
    'routing',
    'The operator takes no value, so the one that is written has no effect.',
    'Remove the value, or compare with `eq`.',
  ),
  value_outside_choices: warning(
    'routing',
    'An answer is compared with what is none of its choices.',
    'Correct the value, or add the choice.',
  ),
  dead_edge_behind_cast: warning(
    'routing',
    'No answer that the cast captures is ever equal to the value.',
    'Compare with what the cast captures, or ask with another cast.',
  ),
  unknown_cast: error(
    'data',
    'There is no such cast, so no answer would ever be captured.',
    'Use string, integer, number, boolean, date, time, datetime, email, phone, url, json, list or enum.',
  ),
  enum_without_choices: error(
    'data',
    'The answer must be one of no choices, so none is ever captured.',
    'List `choices`.',
  ),
  answer_rule_invalid: {
    ...error(
      'data',
      'A member that says what an answer must be has a wrong value (an error), or no meaning beside its cast (a warning).',
      'Correct the value, or remove the member.',
    ),
    orElse: 'warning',
  },
  language_not_spoken: warning(
    'data',
    'Casts do not read words of the language: digits and written forms only.',
    'Use a language of the reference, or casts that need no words.',
  ),
  language_basic: info(
    'data',
    'Casts read the language from data of Unicode CLDR: the whole answer must be the value.',
    'Ask so that callers answer with the value alone, or have the language tuned (CONTRIBUTING).',
  ),
  past_not_preferred: info(
    'data',
    'The question asks about the past, and an answer such as "Monday" is read as a day to come.',
    'Set `prefer: "past"`.',
  ),
  unit_suggested: info(
    'data',
    'The question counts something that no `unit` names: the number of other things would be taken.',
    'Name the words in `unit`, such as ["nights"].',
  ),
  confirmation_suggested: info(
    'data',
    'A tool or webhook acts on an answer that may be read from a sentence, and the caller never hears what was understood.',
    'Say the value back in a question before that, or set `reading: "whole"`.',
  ),
  reader_not_configured: warning(
    'data',
    'No model is configured to read what the cast refuses.',
    'Have the operator set `GATEWAY_URL` and `EXTRACTOR_MODEL`, or remove `read_with`.',
  ),
  also_unknown: error(
    'data',
    '`also` names a variable that no other collect node captures.',
    'Name the `variable` of another collect node.',
  ),
  also_ignored: warning(
    'data',
    '`also` names a variable twice, or one that no answer to this question fills.',
    'Name variables of a date, time, number, enum, address or text with a whole `pattern`, each once.',
  ),
  skip_suggested: info(
    'data',
    'Another answer may have filled the variable of the question, and the question is asked all the same.',
    'Set `skip_if_set` to true, or to false where the question matters.',
  ),
  collect_without_variable: warning(
    'data',
    'The answer is kept nowhere: the collect node has no variable, or one that cannot be written and read again.',
    'Name a variable.',
  ),
  output_var_collision: warning(
    'data',
    'A result is written over what another kind of node writes, or over a name of the engine.',
    'Give the result a variable of its own.',
  ),

  dispatch_unknown_tool: error(
    'agent',
    'An endpoint is given for a tool that the node does not have.',
    'Add the tool to `tools`, or correct the name.',
  ),
  tool_without_dispatch: warning(
    'agent',
    'The agent has a tool without an endpoint: in process it cannot be called.',
    'Add it to `tool_dispatch`, unless the caller runs the agent.',
  ),
  dispatch_url_invalid: error(
    'agent',
    'A tool endpoint is no public https address.',
    'Use https and a public host name. A development stack may allow loopback addresses.',
  ),
  bound_invalid: error(
    'agent',
    'A bound is not within its limits and would be replaced by one that is.',
    'Use a number within the limits.',
  ),
  context_var_unknown: warning(
    'agent',
    'The agent is handed a variable that no node sets.',
    'Check the spelling, or bring it in `variables`.',
  ),

  webhook_url_invalid: error(
    'webhook',
    'A webhook node has no public https address.',
    'Use https and a public host name. A development stack may allow loopback addresses.',
  ),
  webhook_headers_invalid: error(
    'webhook',
    'A header of a webhook node cannot be sent, or there are too many.',
    'Use header names and values as HTTP has them.',
  ),
  webhook_too_many: error(
    'webhook',
    'The flow has more webhook nodes than one turn tells.',
    'Tell one receiver, and let it tell the others.',
  ),
} as const satisfies Record<string, ValidationCodeSpec>;

export type ValidationCode = keyof typeof validationCodes;
