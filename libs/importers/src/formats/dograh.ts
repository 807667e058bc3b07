// Dograh workflows: nodes in which a model talks, edges with a condition in words.
import { jsonPointer } from '@parley/envelopes';
import { groupBy } from '@parley/flow-engine';
import { converse, passOn, speak, type Extracted, type Exit } from '../converse.ts';
import { approximated, drawnAt, dropped, mapped, type Draft, type Made } from '../draft.ts';
import { allMembers, at, firstText, listOf, membersOf, textOf, type Members } from '../source.ts';
import { template, templates, variableName } from '../words.ts';

export const isDograh = (source: Members): boolean =>
  allMembers(graphOf(source)['nodes']).some(({ type }) => type === 'startCall' || type === 'agentNode');

/** An export holds the graph itself, or a workflow that has one. */
function graphOf(source: Members): Members {
  const inner = membersOf(source['workflow_definition']);
  return inner['nodes'] === undefined ? source : inner;
}

export function readDograh(source: Members, draft: Draft): void {
  const graph = graphOf(source);
  const base = graph === source ? [] : ['workflow_definition'];
  draft.name = firstText(source['name'], source['workflow_name']) || null;
  const nodes = allMembers(graph['nodes']);
  const ids = new Map<unknown, string>();
  for (const { id, type, data } of nodes)
    if (!ids.has(id) && isTalking(type)) ids.set(id, draft.id(firstText(at(data, 'name'), id)));
  const edges = groupBy(allMembers(graph['edges']), ({ source: from }) => from);

  const exitsOf = (id: unknown): { exits: Exit[]; then: string | null } => {
    const exits: Exit[] = [];
    let then: string | null = null;
    for (const { target, data } of edges.get(id) ?? []) {
      const to = ids.get(target);
      if (to === undefined) continue;
      const nl = firstText(at(data, 'condition'), at(data, 'label'));
      const label = textOf(at(data, 'label'));
      const said = saidOnTheWay(draft, textOf(at(data, 'transition_speech')), to);
      if (nl === '' || /^always\b/iu.test(nl)) then ??= said;
      else exits.push({ condition: { nl, ...(label === '' ? {} : { label }) }, target: said });
    }
    return { exits, then };
  };

  nodes.forEach((node, index) => {
    const { type, data } = node;
    const name = firstText(at(data, 'name'), node['id']);
    const made = makeNode(draft, node, ids.get(node['id']) ?? null, () => exitsOf(node['id']));
    if (type === 'startCall') draft.start ??= ids.get(node['id']) ?? null;
    draft.report(
      { pointer: jsonPointer([...base, 'nodes', index]), name, type: textOf(type) || 'unknown' },
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
): Made {
  const { type, position } = node;
  const data = membersOf(node['data']);
  const prompt = template(textOf(data['prompt']));
  const drawn = drawnAt(position);
  switch (id === null ? type : `talk:${String(type)}`) {
    case 'talk:endCall':
      return mapped(...speak(draft, { id: id!, says: '', instruction: prompt, drawn }, 'end'));
    case 'talk:startCall':
    case 'talk:agentNode': {
      const { exits, then } = exitsOf();
      const greeting = data['greeting_type'] === 'audio' ? '' : template(textOf(data['greeting']));
      const talk = {
        id: id!,
        says: greeting,
        instruction: prompt,
        drawn,
        extraction: extractedOf(data),
        agent: {
          ...bindings('tools', data['tool_uuids']),
          ...bindings('documents', data['document_uuids']),
          ...(data['add_global_prompt'] === false ? { add_global_prompt: false } : {}),
        },
      };
      if (greeting === '' && prompt === '') return mapped(passOn(draft, id!, exits, then, drawn));
      const ids = converse(draft, talk, exits, then);
      return approximated('a model talks until an edge holds: here each answer is judged', ...ids);
    }
    case 'globalNode':
      return mapped(draft.add({ id: draft.id('persona'), type: 'global', prompt, ...drawn }));
    case 'trigger':
      return mapped(draft.add({ id: draft.id('trigger'), type: 'trigger', ...drawn }));
    case 'qa':
      return approximated(
        'its model and key stay behind',
        draft.add({ id: draft.id('review'), type: 'qa', prompt: textOf(data['qa_system_prompt']), ...drawn }),
      );
    case 'webhook':
      return makeWebhook(draft, data, drawn);
    default:
      return dropped('nothing here does what it does');
  }
}

function makeWebhook(draft: Draft, data: Members, drawn: object): Made {
  const url = textOf(data['endpoint_url']);
  if (data['enabled'] === false || !url.startsWith('https://'))
    return dropped('it is off, or has no https address');
  const headers = allMembers(data['custom_headers']).flatMap(({ key, value }) =>
    textOf(key) === '' ? [] : [[textOf(key), template(textOf(value))] as const],
  );
  const id = draft.add({
    id: draft.id(firstText(data['name'], 'webhook')),
    type: 'webhook',
    url: template(url),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(data['payload_template'] == null ? {} : { payload: templates(data['payload_template']) }),
    ...drawn,
  });
  const posts = firstText(data['http_method'], 'POST').toUpperCase() === 'POST';
  if (posts && textOf(data['credential_uuid']) === '') return mapped(id);
  return approximated('it is sent as POST, and without the credential', id);
}

function saidOnTheWay(draft: Draft, text: string, target: string): string {
  if (text === '') return target;
  const id = draft.add({ id: draft.id(`${target}.before`), type: 'message', text: template(text) });
  draft.join(id, target);
  return id;
}

function extractedOf(data: Members): Extracted[] {
  if (data['extraction_enabled'] !== true) return [];
  return allMembers(data['extraction_variables']).flatMap(({ name, type, prompt }) => {
    const variable = variableName(textOf(name));
    const description = textOf(prompt);
    if (variable === null) return [];
    return [{ name: variable, type: textOf(type), ...(description === '' ? {} : { description }) }];
  });
}

function bindings(member: 'tools' | 'documents', uuids: unknown) {
  const named = listOf(uuids).filter((uuid) => typeof uuid === 'string');
  return named.length === 0 ? {} : { [member]: named.map((uuid) => ({ name: uuid })) };
}
