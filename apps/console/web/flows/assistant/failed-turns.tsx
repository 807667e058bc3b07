// A failed conversation as a test: what its last turn should have done is for the author to say.
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/page.tsx';
import { putTest } from '../api.ts';
import { useFlow } from '../document/flow-store.ts';
import { Conversation } from '../tests/conversation.tsx';
import { toTest, useAssistant, write, type Expected, type FailedConversation } from './assistant-store.ts';

export function FailedTurns({ failed }: { readonly failed: FailedConversation }) {
  const expected = useAssistant((state) => state.expected);
  const nodes = useFlow((state) => state.doc.flow.nodes);
  const store = useAction(() => putTest(failed.flowId, failed.name, toTest({ failed, expected })!), {
    says: `Saved test ${failed.name}`,
    reloads: [['flow', failed.flowId, 'tests']],
  });
  return (
    <section
      aria-label="Failed conversation"
      className="flex flex-col gap-2 rounded-md border border-line p-2.5"
    >
      <h2 className="font-medium">Failed conversation</h2>
      <div className="max-h-48 overflow-y-auto">
        <Conversation turns={failed.test.turns} />
      </div>
      <Select
        label="What should the last turn do?"
        value={expected.kind}
        onChange={(event) => write({ expected: toExpected(event.target.value, nodes[0]?.id ?? '') })}
      >
        <option value="handed_off">Hand over</option>
        <option value="next_node">Wait at a node</option>
        <option value="message">Say a text</option>
      </Select>
      {expected.kind === 'next_node' && (
        <Select
          label="Node"
          value={expected.node}
          onChange={(event) => write({ expected: { kind: 'next_node', node: event.target.value } })}
        >
          {nodes.map(({ id, label }) => (
            <option key={id} value={id}>
              {typeof label === 'string' ? label : id}
            </option>
          ))}
        </Select>
      )}
      {expected.kind === 'message' && (
        <TextField
          label="Text"
          value={expected.text}
          onChange={(event) => write({ expected: { kind: 'message', text: event.target.value } })}
        />
      )}
      {store.error !== null && <Problem error={store.error} />}
      <div className="flex flex-wrap gap-2">
        <Button busy={store.isPending} onClick={() => store.mutate()}>
          Save as test
        </Button>
        <Button kind="quiet" onClick={() => write({ failed: null })}>
          Remove conversation
        </Button>
      </div>
    </section>
  );
}

function toExpected(kind: string, node: string): Expected {
  if (kind === 'next_node') return { kind, node };
  return kind === 'message' ? { kind, text: '' } : { kind: 'handed_off' };
}
