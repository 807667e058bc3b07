// Imports the tools of Vapi: of an assistant as functions of its agent, of a workflow as nodes.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { toAgentTool, type AgentTool } from '../agents.ts';
import { addExits, type Exit } from '../converse.ts';
import { approximated, mapped, type Draft, type NodeOutcome } from '../draft.ts';
import { findText, getMember, isMembers, toMembers, toMembersList, toText, type Members } from '../source.ts';
import { toArguments, toTemplate, toTemplates, toVariableName } from '../words.ts';

/** The dashboard fills the `function` of a request with this name and with no parameters. */
const UNNAMED = 'untitled_tool';

const isRequest = (tool: Members): boolean => tool['type'] === 'apiRequest' || toText(tool['url']) !== '';

function getName(tool: Members, ...otherwise: readonly unknown[]): string {
  const called = toText(getMember(tool, 'function', 'name'));
  return findText(called === UNNAMED ? '' : called, tool['name'], ...otherwise, called);
}

/** A JSON Schema; the `function` of a request may have an empty one beside a body. */
function getParameters(tool: Members): unknown {
  const schema = getMember(tool, 'function', 'parameters');
  const isEmpty = Object.keys(toMembers(getMember(schema, 'properties'))).length === 0;
  return isRequest(tool) && isEmpty ? tool['body'] : schema;
}

export const toTool = (tool: Members): AgentTool =>
  toAgentTool({
    type: toText(tool['type']),
    name: getName(tool, tool['type']),
    description: findText(getMember(tool, 'function', 'description'), tool['description']),
    parameters: getParameters(tool),
    target: getDestination(tool),
    url: findText(getMember(tool, 'server', 'url'), tool['url']),
    method: toText(tool['method']),
    headers: toTexts(toValues(tool['headers'])),
  });

/** The values of a JSON Schema, or those of an object, as older requests have it. */
function toValues(schema: unknown): Members {
  if (!isMembers(schema) || isMembers(schema['properties']) || schema['type'] === 'object')
    return toArguments(schema);
  const { ['__proto__']: _none, ...values } = toMembers(toTemplates(schema));
  return values;
}

const toTexts = (values: Members): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

export const getDestination = (tool: unknown): string => {
  const first = getMember(tool, 'destinations', 0) ?? getMember(tool, 'destination');
  return findText(
    getMember(first, 'number'),
    getMember(first, 'sipUri'),
    getMember(first, 'assistantName'),
    first,
  );
};

type MessageType = 'request-start' | 'request-complete' | 'request-failed';

/** The messages of a tool at one moment: several are variants of each other. */
function listMessages(draft: Draft, tool: Members, type: MessageType): readonly string[] {
  return toMembersList(tool['messages']).flatMap((message) => {
    const inLanguage = toMembersList(message['contents']).find(({ language }) => draft.speaks(language));
    const text = findText(message['content'], inLanguage?.['text']);
    return message['type'] === type && text !== '' ? [toTemplate(text)] : [];
  });
}

export const getStartMessage = (draft: Draft, tool: Members): string =>
  listMessages(draft, tool, 'request-start')[0] ?? '';

interface Ways {
  readonly exits: readonly Exit[];
  readonly then: string | null;
  readonly drawn: object;
}

/** Adds a tool that the caller runs, with the messages before and after it. */
export function addTool(draft: Draft, tool: Members, node: Members, id: string, ways: Ways): NodeOutcome {
  const { exits, then, drawn } = ways;
  const name = getName(tool, node['toolId'], node['name']);
  const before = createMessage(id, listMessages(draft, tool, 'request-start'));
  const running = before === null ? id : draft.id(`${id}.run`);
  const result = toVariableName(`${name}_result`) ?? 'result';
  const made: AuthoredNode = {
    id: running,
    type: 'tool',
    tool: name,
    args: toArgs(tool),
    wait_for_result: true,
    output_var: result,
    ...listAliases(tool, result),
    ...(before === null ? drawn : {}),
  };
  const ids = [id];
  if (before !== null) {
    draft.add({ ...before, ...drawn });
    draft.join(id, running);
    ids.push(running);
  }
  draft.add(made);
  const failed = exits.filter(({ condition }) => condition.variable === '_tool_status');
  const after = (type: MessageType, suffix: string, target: string | null): string | null => {
    const said = createMessage(`${id}.${suffix}`, listMessages(draft, tool, type));
    if (said === null) return target;
    const messageId = draft.id(said.id);
    ids.push(draft.add({ ...said, id: messageId }));
    draft.join(messageId, target ?? draft.end());
    return messageId;
  };
  const error = after('request-failed', 'failed', failed[0]?.target ?? then);
  if (error !== null && error !== then)
    draft.join(running, error, { variable: '_tool_status', op: 'eq', value: 'error' });
  const complete = createMessage(`${id}.complete`, listMessages(draft, tool, 'request-complete'));
  const rest = exits.filter((exit) => !failed.includes(exit));
  if (complete === null) addExits(draft, running, rest, then);
  else {
    const done = draft.id(complete.id);
    ids.push(draft.add({ ...complete, id: done }));
    draft.join(running, done);
    addExits(draft, done, rest, then);
  }
  return isRequest(tool) ? approximated('the caller makes the request, as a tool', ...ids) : mapped(...ids);
}

function createMessage(id: string, [text, ...others]: readonly string[]): AuthoredNode | null {
  if (text === undefined) return null;
  const variants = others.slice(0, limits.variantsMax);
  return { id, type: 'message', text, ...(variants.length === 0 ? {} : { variants }) };
}

/** `parameters` are values that the product adds to the body, without its model. */
function toArgs(tool: Members): Readonly<Record<string, unknown>> {
  const fixed = Object.fromEntries(
    toMembersList(tool['parameters']).flatMap(({ key, value }) =>
      value === undefined || ['', '__proto__'].includes(toText(key))
        ? []
        : [[toText(key), toTemplates(value)]],
    ),
  );
  const args = toArguments(getMember(tool, 'function', 'parameters'));
  if (!isRequest(tool)) return { ...args, ...fixed };
  const body = { ...toValues(tool['body']), ...fixed };
  const headers = toValues(tool['headers']);
  return {
    ...args,
    url: toTemplate(toText(tool['url'])),
    method: findText(tool['method'], 'POST'),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(body).length === 0 ? {} : { body }),
  };
}

/** Variables that are read from the result: `$` and `tool.response.body` are its body. */
function listAliases(tool: Members, result: string): Partial<AuthoredNode> {
  const aliases = toMembersList(getMember(tool, 'variableExtractionPlan', 'aliases'));
  const set = aliases.flatMap(({ key, value }) => {
    const variable = toVariableName(toText(key));
    const [, path] =
      /^\{\{\s*(?:\$\.?|tool\.response\.body\.)?([^{}|$]+?)\s*\}\}$/u.exec(toText(value)) ?? [];
    const inner = path === undefined ? null : toVariableName(path.replace(/\[(\d+)\]/gu, '.$1'));
    return variable === null || inner === null ? [] : [{ variable, to: `{{ ${result}.${inner} }}` }];
  });
  for (const { key, target } of toMembersList(tool['output'])) {
    const [variable, inner] = [toVariableName(toText(target)), toVariableName(toText(key))];
    if (variable !== null && inner !== null) set.push({ variable, to: `{{ ${result}.${inner} }}` });
  }
  return set.length === 0 ? {} : { set: set.slice(0, limits.assignmentsMax) };
}

export const getTool = (node: Members): Members =>
  node['type'] === 'apiRequest' ? node : toMembers(node['tool']);
