// Imports tools and variables of Retell.
// Source: RetellAI/retell-typescript-sdk, src/resources/conversation-flow.ts and llm.ts.
import { toAgentTool, type AgentTool } from '../agents.ts';
import type { Extraction } from '../converse.ts';
import { findText, getMember, toList, toMembers, toMembersList, toText } from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';

export const listTools = (tools: unknown): AgentTool[] =>
  toMembersList(tools).map((tool) => {
    const type = toText(tool['type']);
    const target = findText(
      getMember(tool, 'transfer_destination', 'number'),
      getMember(tool, 'transfer_destination', 'prompt'),
      tool['number'],
    );
    const speaks = tool['speak_during_execution'] === true;
    const message = speaks ? toText(tool['execution_message_description']) : '';
    const said = message === '' ? '' : `Before you call it, say:\n${message}`;
    return toAgentTool({
      type,
      target,
      name: toText(tool['name']),
      description: [toText(tool['description']), said].filter((text) => text !== '').join('\n'),
      parameters: tool['parameters'] ?? toParameters(tool['variables']),
      url: toText(tool['url']),
      method: toText(tool['method']),
      headers: toHeaders(tool['headers']),
    });
  });

const toHeaders = (headers: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(toMembers(headers)).flatMap(([name, value]) =>
      name === '__proto__' || toText(value) === '' ? [] : [[name, toTemplate(toText(value))] as const],
    ),
  );

/** The variables that an agent's tool stores, as parameters of the tool. */
function toParameters(variables: unknown): unknown {
  const properties = toMembersList(variables).flatMap(({ name, type, description, choices }) => {
    const values = toTexts(choices);
    const schema = {
      type: type === 'enum' ? 'string' : type,
      description,
      ...(values.length > 0 ? { enum: values } : {}),
    };
    return ['', '__proto__'].includes(toText(name)) ? [] : [[toText(name), schema] as const];
  });
  return properties.length === 0 ? undefined : { type: 'object', properties: Object.fromEntries(properties) };
}

export const listVariables = (variables: unknown): Extraction[] =>
  toMembersList(variables).flatMap(({ name, type, description, choices }) => {
    const variable = toVariableName(toText(name));
    if (variable === null) return [];
    return [
      { name: variable, type: toText(type), description: toText(description), choices: toTexts(choices) },
    ];
  });

const toTexts = (values: unknown): string[] =>
  toList(values)
    .map(toText)
    .filter((value) => value !== '');
