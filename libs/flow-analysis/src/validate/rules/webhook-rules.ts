// Rules about webhook nodes: a message that cannot be sent (libs/jobs, webhookDelivery) is reported
// before a conversation ends with it.
import { limits } from '@parley/flow-engine/define/limits';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { atNode, quoted } from '../finding.ts';
import type { Rule } from '../rule.ts';
import type { FlowIndex } from '../flow-index.ts';
import { findUrlProblem } from '../public-url.ts';
import { isRendered } from '../value-shapes.ts';

const webhooks = ({ flow }: FlowIndex): NodeModel[] => flow.nodes.filter(({ type }) => type === 'webhook');

export const webhookUrlInvalid: Rule = (index) =>
  webhooks(index).flatMap((node) => {
    const problem = addressProblem(node.raw['url'], index);
    return problem === null ? [] : [atNode(node, `Address of ${quoted(node.id)}: ${problem}`, 'url')];
  });

/** For an address with placeholders: scheme and host, unless they are placeholders too. */
function addressProblem(authored: unknown, { options }: FlowIndex): string | null {
  if (typeof authored !== 'string' || authored.trim() === '') return 'no url';
  if (authored.length > limits.webhookUrlCharsMax)
    return `${authored.length} characters, at most ${limits.webhookUrlCharsMax}`;
  if (!isRendered(authored)) return findUrlProblem(authored, options);
  const origin = /^\w+:\/\/[^/?#{]+(?=[/?#])/.exec(authored);
  return origin === null ? null : findUrlProblem(origin[0], options);
}

// As in RFC 9110 §5.1 and §5.5.
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

export const webhookHeadersInvalid: Rule = (index) =>
  webhooks(index).flatMap((node) => {
    const headers = Object.entries((node.raw['headers'] ?? {}) as Record<string, unknown>);
    const wrong = headers.flatMap(([name, value]) => {
      const problem = headerProblem(name, value);
      return problem === null ? [] : [atNode(node, `Header ${quoted(name)}: ${problem}`, 'headers', name)];
    });
    if (headers.length <= limits.webhookHeadersMax) return wrong;
    return [
      atNode(node, `${headers.length} headers, at most ${limits.webhookHeadersMax}`, 'headers'),
      ...wrong,
    ];
  });

function headerProblem(name: string, value: unknown): string | null {
  if (!headerName.test(name)) return 'not the name of a header';
  if (typeof value !== 'string') return 'its value is no text';
  if (value.length > limits.webhookHeaderCharsMax)
    return `${value.length} characters, at most ${limits.webhookHeaderCharsMax}`;
  return headerValue.test(value) ? null : 'its value has characters that no header has';
}

export const webhookTooMany: Rule = (index) => {
  const extra = webhooks(index)[limits.webhooksMax];
  return extra === undefined ? [] : [atNode(extra, `A flow has at most ${limits.webhooksMax} webhook nodes`)];
};
