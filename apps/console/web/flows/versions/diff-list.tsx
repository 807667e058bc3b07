// Shows the changes between two versions, as sentences and as a table.
import type { FlowDiff, ValueChange } from '@parley/flow-analysis';
import { shownValue } from '../../engine/shown.ts';

export function Sentences({ diff }: { readonly diff: FlowDiff }) {
  return (
    <ul className="flex list-disc flex-col gap-0.5 pl-4">
      {diff.summary.map((sentence) => (
        <li key={sentence} className="break-words">
          {sentence}
        </li>
      ))}
    </ul>
  );
}

export function ChangeTable({ changes }: { readonly changes: readonly ValueChange[] }) {
  return (
    <table className="w-full table-fixed text-left text-xs">
      <thead className="text-ink-2">
        <tr>
          <th scope="col" className="w-1/4 font-medium">
            Member
          </th>
          <th scope="col" className="font-medium">
            Before
          </th>
          <th scope="col" className="font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody className="align-top">
        {changes.map(({ path, before, after }) => (
          <tr key={path}>
            <td className="pr-2 font-mono break-all">{path.slice(1)}</td>
            <td className="pr-2 break-words text-bad">{before === undefined ? '–' : shownValue(before)}</td>
            <td className="break-words text-good">{after === undefined ? '–' : shownValue(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
