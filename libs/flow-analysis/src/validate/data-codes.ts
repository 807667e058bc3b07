// The validation codes about variables, answers, agents and webhooks.
import { error, info, warning, type ValidationCodeSpec } from './code-spec.ts';

export const dataCodes = {
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
  output_schema_invalid: {
    ...error(
      'data',
      '`output_schema` of a tool is no JSON Schema (an error), or on a node that has no such result (a warning).',
      'Write `{"type": "object", "properties": {…}, "required": […]}`.',
    ),
    orElse: 'warning',
  },
  result_member_unknown: {
    ...error(
      'data',
      'A text or a condition reads a member that the result of a tool does not have by its `output_schema`. A warning where it is the outcome of an agent.',
      'Correct the name, add the member to `output_schema`, or give it a default: {{ order.total | default: "" }}.',
    ),
    orElse: 'warning',
  },
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
  examples_invalid: error(
    'data',
    'The examples are no list of texts, too many, or too long, so they have no effect.',
    'List up to 50 texts of at most 300 characters in `examples` and `counter_examples`, 1,000 of them at one place and 4,000 in a flow.',
  ),
  examples_overlap: warning(
    'routing',
    'Two branches that are decided together have the same example, so it decides neither, or nearly the same one.',
    'Keep it on the branch that it belongs to.',
  ),
  examples_few: info(
    'routing',
    'A branch has fewer than five examples, so the classifier recognises little of what callers say.',
    'Add examples, best from recorded conversations.',
  ),
  example_misread: warning(
    'routing',
    'Without itself, an example would go to another branch: what callers say so may go there too.',
    'Add examples like it to its branch, or move it.',
  ),
  examples_unused: warning(
    'routing',
    'An edge that is not in natural language, or a choice that the cast does not read, has examples.',
    'Write an `nl` beside them, use the cast enum, or remove them.',
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
  model_unknown: {
    severity: 'error',
    orElse: 'warning',
    group: 'agent',
    meaning:
      'The global node names a model that the model settings do not list; a warning where no provider is configured.',
    hint: 'Name one of `usable_models` of `GET /v1/gateway/settings`, or remove `model`.',
  },
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
  extraction_invalid: warning(
    'agent',
    'An entry of `extraction` is not read, or the node extracts nothing: only questions and agents with `converse: true` do.',
    'Write `{"variables": [{"name": …, "type": …}]}` with the types string, number, integer, boolean and enum, or a JSON Schema of type object.',
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
