// Shows what callers notice of a change: a sentence per group of conversations, with one example.
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../ui/icon.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { behaviourQuery } from '../api.ts';
import { Words } from '../words.tsx';
import {
  broughtIn,
  headline,
  sourcesOf,
  toldDifferences,
  type Behaviour,
  type ToldDifference,
} from '../tests/behaviour.ts';

interface BehaviourViewProps {
  readonly behaviour: Behaviour;
  /** Called with the node of the older version at which conversations differ. */
  readonly onOpen?: ((nodeId: string | null) => void) | undefined;
}

export function BehaviourView({ behaviour, onOpen }: BehaviourViewProps) {
  const { groups, groups_omitted } = behaviour;
  return (
    <div className="flex flex-col gap-1.5">
      <p className={behaviour.same ? 'text-ink-2' : ''}>{headline(behaviour)}</p>
      {groups.length > 0 && (
        <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-md border border-line">
          {groups.map((group) => (
            <li key={`${group.sentence} ${group.node_id} ${group.edge_before} ${group.edge_after}`}>
              <details
                className="group/part"
                name="behaviour"
                onToggle={({ currentTarget }) => currentTarget.open && onOpen?.(group.node_id)}
              >
                <summary className="flex list-none items-start gap-1.5 px-2.5 py-1.5 hover:bg-surface-2">
                  <Icon
                    name="right"
                    size={12}
                    className="mt-1 shrink-0 text-ink-2 transition-transform group-open/part:rotate-90"
                  />
                  <span className="min-w-0 break-words">
                    <Words text={group.sentence} />
                    <span className="block text-xs text-ink-2">{sourcesOf(group.conversations)}</span>
                  </span>
                </summary>
                <Example group={group} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {groups_omitted > 0 && <p className="text-xs text-ink-2">And {groups_omitted} more.</p>}
    </div>
  );
}

function Example({ group }: { readonly group: Behaviour['groups'][number] }) {
  const { turns, name } = group.example;
  const said = turns.map(broughtIn);
  return (
    <div className="flex flex-col gap-1.5 bg-surface-2 py-2 pr-2.5 pl-7">
      {name !== null && <p className="font-mono text-xs text-ink-2">{name}</p>}
      <ol aria-label="Input" className="flex flex-col items-end gap-1">
        {said.map((words, at) =>
          words === null && at === 0 && said.length > 1 ? null : (
            <li
              key={at}
              className={`max-w-[85%] rounded-lg rounded-br-sm px-2 py-0.5 break-words ${
                at === said.length - 1 ? 'bg-accent text-accent-ink' : 'bg-surface-3 text-ink-2'
              }`}
            >
              {words ?? <i>{at === 0 ? 'conversation starts' : 'silence'}</i>}
            </li>
          ),
        )}
      </ol>
      <table className="w-full table-fixed text-left text-xs">
        <thead className="text-ink-2">
          <tr>
            <th scope="col" className="w-16">
              <span className="sr-only">Difference</span>
            </th>
            <th scope="col" className="pr-2 font-medium">
              Before
            </th>
            <th scope="col" className="font-medium">
              After
            </th>
          </tr>
        </thead>
        <tbody className="align-top">
          {toldDifferences(group).map((told) => (
            <Told key={told.what} told={told} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Told = ({ told: { what, before, after } }: { readonly told: ToldDifference }) => (
  <tr>
    <th scope="row" className="pr-2 font-normal text-ink-2">
      {what}
    </th>
    <td className="pr-2 break-words text-bad">
      <Lines lines={before} />
    </td>
    <td className="break-words text-good">
      <Lines lines={after} />
    </td>
  </tr>
);

const Lines = ({ lines }: { readonly lines: readonly string[] }) =>
  lines.map((line, at) => (
    <span key={at} className="block">
      {line}
    </span>
  ));

/** Compares any two versions in the service. */
export function BehaviourBetween({
  flowId,
  from,
  to,
  onOpen,
}: Pick<BehaviourViewProps, 'onOpen'> & {
  readonly flowId: string;
  readonly from: number;
  readonly to: number;
}) {
  const behaviour = useQuery(behaviourQuery(flowId, from, to));
  if (behaviour.error !== null) return <Problem error={behaviour.error} />;
  return behaviour.data === undefined ? (
    <Loading subject="differences" />
  ) : (
    <BehaviourView behaviour={behaviour.data} onOpen={onOpen} />
  );
}
