// Imports Dograh workflows: nodes in which a model talks, edges with conditions in natural
// language. Source: github.com/dograh-hq/dograh, api/services/workflow/dto.py.
import { jsonPointer } from '@parley/envelopes';
import { groupBy } from '@parley/flow-analysis';
import { addTalk, addPassage, addSpeech, type Extraction, type Exit } from '../converse.ts';
import { approximated, toPosition, dropped, mapped, type Draft, type NodeOutcome } from '../draft.ts';
import {
  toMembersList,
  getMember,
  findText,
  isMembers,
  toList,
  toMembers,
  toText,
  type Members,
} from '../source.ts';
import { toTemplate, toTemplates, toVariableName } from '../words.ts';

export const isDograh = (source: Members): boolean =>
  Array.isArray(getGraph(source)['edges']) &&
  toMembersList(getGraph(source)['nodes']).some(({ type }) => type === 'startCall' || type === 'agentNode');

/** An export holds the graph, or a workflow with a graph. */
function getGraph(source: Members): Members {
  const inner = toMembers(source['workflow_definition']);
  return inner['nodes'] === undefined ? source : inner;
}

export function readDograh(source: Members, draft: Draft): void {
  const graph = getGraph(source);
  const base = graph === source ? [] : ['workflow_definition'];
  draft.name = findText(source['name'], source['workflow_name']) || null;
  const nodes = toMembersList(graph['nodes']);
  const ids = new Map<unknown, string>();
  for (const { id, type, data } of nodes)
    if (!ids.has(id) && isTalking(type)) ids.set(id, draft.id(findText(getMember(data, 'name'), id)));
  const edges = groupBy(toMembersList(graph['edges']), ({ source: from }) => from);

  const exitsOf = (id: unknown): { exits: Exit[]; then: string | null } => {
    const exits: Exit[] = [];
    let then: string | null = null;
    for (const { target, data } of edges.get(id) ?? []) {
      const to = ids.get(target);
      if (to === undefined) continue;
      const nl = findText(getMember(data, 'condition'), getMember(data, 'label'));
      const label = toText(getMember(data, 'label'));
      const isRecording = getMember(data, 'transition_speech_type') === 'audio';
      const speech = isRecording ? '' : toText(getMember(data, 'transition_speech'));
      const said = addEdgeMessage(draft, speech, to);
      if (nl === '' || /^always\b/iu.test(nl)) then ??= said;
      else exits.push({ condition: { nl, ...(label === '' ? {} : { label }) }, target: said });
    }
    return { exits, then };
  };

  nodes.forEach((node, index) => {
    const { type, data } = node;
    const name = findText(getMember(data, 'name'), node['id']);
    const made = makeNode(draft, node, ids.get(node['id']) ?? null, () => exitsOf(node['id']));
    if (type === 'startCall') draft.start ??= ids.get(node['id']) ?? null;
    draft.report(
      { pointer: jsonPointer([...base, 'nodes', index]), name, type: toText(type) || 'unknown' },
      made,
    );
  });
}

const isTalking = (type: unknown): boolean =>
  type === 'startCall' || type === 'agentNode' || type === 'endCall';

function makeNode(
  draft: Draft,
  node: Members,
  id: string | null,
  exitsOf: () => { readonly exits: readonly Exit[]; readonly then: string | null },
): NodeOutcome {
  const { type, position } = node;
  const data = toMembers(node['data']);
  const prompt = toTemplate(toText(data['prompt']));
  const drawn = toPosition(position);
  switch (id === null ? type : `talk:${String(type)}`) {
    case 'talk:endCall':
      return mapped(...addSpeech(draft, { id: id!, says: '', instruction: prompt, drawn }, 'end'));
    case 'talk:startCall':
    case 'talk:agentNode': {
      const { exits, then } = exitsOf();
      const greeting = data['greeting_type'] === 'audio' ? '' : toTemplate(toText(data['greeting']));
      const talk = {
        id: id!,
        says: greeting,
        instruction: prompt,
        drawn,
        extraction: listExtractions(data),
        agent: {
          ...bindings('tools', data['tool_uuids']),
          ...bindings('documents', data['document_uuids']),
          ...(isMembers(data['mcp_tool_filters']) ? { mcp: data['mcp_tool_filters'] } : {}),
          ...(data['add_global_prompt'] === false ? { add_global_prompt: false } : {}),
        },
      };
      if (greeting === '' && prompt === '') return mapped(addPassage(draft, id!, exits, then, drawn));
      const ids = addTalk(draft, talk, exits, then);
      return approximated('a model talks until an edge matches; Parley judges each answer', ...ids);
    }
    case 'globalNode':
      return mapped(draft.add({ id: draft.id('persona'), type: 'global', prompt, ...drawn }));
    case 'trigger':
      return mapped(draft.add({ id: draft.id('trigger'), type: 'trigger', ...drawn }));
    case 'qa':
      return approximated(
        'its model and key are not imported',
        draft.add({ id: draft.id('review'), type: 'qa', prompt: toText(data['qa_system_prompt']), ...drawn }),
      );
    case 'webhook':
      return makeWebhook(draft, data, drawn);
    default:
      return dropped('no equivalent in Parley');
  }
}

function makeWebhook(draft: Draft, data: Members, drawn: object): NodeOutcome {
  const url = toText(data['endpoint_url']);
  if (data['enabled'] === false || !url.startsWith('https://'))
    return dropped('it is disabled or has no https URL');
  const headers = toMembersList(data['custom_headers']).flatMap(({ key, value }) =>
    toText(key) === '' ? [] : [[toText(key), toTemplate(toText(value))] as const],
  );
  const id = draft.add({
    id: draft.id(findText(data['name'], 'webhook')),
    type: 'webhook',
    url: toTemplate(url),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(data['payload_template'] == null ? {} : { payload: toTemplates(data['payload_template']) }),
    ...drawn,
  });
  const posts = findText(data['http_method'], 'POST').toUpperCase() === 'POST';
  if (posts && toText(data['credential_uuid']) === '') return mapped(id);
  return approximated('it is sent as POST, and without the credential', id);
}

function addEdgeMessage(draft: Draft, text: string, target: string): string {
  if (text === '') return target;
  const id = draft.add({ id: draft.id(`${target}.before`), type: 'message', text: toTemplate(text) });
  draft.join(id, target);
  return id;
}

function listExtractions(data: Members): Extraction[] {
  if (data['extraction_enabled'] !== true) return [];
  return toMembersList(data['extraction_variables']).flatMap(({ name, type, prompt }) => {
    const variable = toVariableName(toText(name));
    const description = toText(prompt);
    if (variable === null) return [];
    return [{ name: variable, type: toText(type), ...(description === '' ? {} : { description }) }];
  });
}

function bindings(member: 'tools' | 'documents', uuids: unknown) {
  const named = toList(uuids).filter((uuid) => typeof uuid === 'string');
  return named.length === 0 ? {} : { [member]: named.map((uuid) => ({ name: uuid })) };
}
