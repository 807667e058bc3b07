// Edits one node: id, type, members and outgoing edges.
import { useState } from 'react';
import type { AuthoredNode } from '@parley/flow-engine';
import { buttonClass } from '../../ui/button.tsx';
import { nodeById } from '../document/doc.ts';
import { renameNode, setNode } from '../document/edits.ts';
import { change, select, useFlow } from '../document/flow-store.ts';
import { Words } from '../words.tsx';
import { canBeLeft, nameOf, typeOf, typeRows, typeSpec } from '../tables.ts';
import { Confusion } from './confusion.tsx';
import { Field, INPUT, LineControl } from '../controls/controls.tsx';
import { EdgeList } from './edge-list.tsx';
import { FindingList } from '../problems/finding-list.tsx';
import type { Finding } from '../../engine/check.ts';
import { WayHere } from '../tests/path-finder.tsx';
import { MemberControl } from './member-control.tsx';
import { elsewhere } from './findings-at.ts';
import { freshValue, isAdvanced, memberLabel, memberRows } from './members.ts';
import { Unrecognised } from './unrecognised.tsx';

interface NodeFormProps {
  readonly node: AuthoredNode;
  /** JSON pointer of the node. */
  readonly path: string;
  readonly variables: readonly string[];
  readonly findings: readonly Finding[];
}

export function NodeForm({ node, path, variables, findings }: NodeFormProps) {
  const { id } = node;
  const type = typeOf(node);
  const spec = typeSpec(type);
  const [edited, setEdited] = useState<readonly string[]>([]);
  const { shown, addable } = memberRows(node, edited);
  const put = (member: string, value: unknown) => {
    setEdited((before) => (before.includes(member) ? before : [...before, member]));
    change((doc) => setNode(doc, id, { [member]: value }), `Changed ${member} of ${id}`, `${id} ${member}`);
  };
  return (
    <div className="flex flex-col gap-3">
      <div data-head className="grid grid-cols-[1fr_8.5rem] gap-2">
        <LineControl
          label={memberLabel('label', type)}
          placeholder={nameOf(node, id)}
          value={node['label']}
          onChange={(label) => put('label', label)}
        />
        <Field label={memberLabel('type', type)}>
          {(ids) => (
            <select
              {...ids}
              className={`${INPUT} h-7`}
              value={type ?? node.type ?? ''}
              onChange={(event) => put('type', event.target.value)}
            >
              {type === null && <option value={node.type ?? ''}>{node.type ?? '–'}</option>}
              {typeRows.map((row) => (
                <option key={row.type} value={row.type}>
                  {row.spec.label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <p className="text-xs text-ink-2">
        <Words text={spec?.meaning ?? 'Unknown type.'} />
      </p>
      <FindingList
        findings={elsewhere(
          findings,
          shown.map(({ member }) => `${path}/${member}`),
        )}
      />
      {spec?.walked === true && <WayHere key={id} target={{ nodeId: id }} />}
      {shown.map((row) => (
        <MemberControl
          key={`${id} ${row.member}`}
          row={row}
          value={node[row.member]}
          variables={variables}
          path={`${path}/${row.member}`}
          findings={findings}
          onChange={(value) => put(row.member, value)}
        />
      ))}
      {addable.length > 0 && (
        <select
          aria-label="Add setting"
          className={buttonClass('quiet', 'h-7! self-start px-1! text-xs')}
          value=""
          onChange={(event) => put(event.target.value, freshValue(event.target.value))}
        >
          <option value="">Add setting …</option>
          <Settings members={addable.filter((member) => !isAdvanced(member))} type={type} />
          <optgroup label="Advanced">
            <Settings members={addable.filter(isAdvanced)} type={type} />
          </optgroup>
        </select>
      )}
      {canBeLeft(node) && <EdgeList source={id} />}
      {canBeLeft(node) && <Confusion key={`examples ${id}`} source={id} edge={null} />}
      {canBeLeft(node) && <Unrecognised key={`said ${id}`} source={id} />}
      <IdField key={`id ${id}`} id={id} />
    </div>
  );
}

const Settings = ({ members, type }: { readonly members: readonly string[]; readonly type: string | null }) =>
  members.map((member) => (
    <option key={member} value={member}>
      {memberLabel(member, type)}
    </option>
  ));

/** Edges refer to ids, so a rename applies when the field loses focus, not on every keystroke. */
function IdField({ id }: { readonly id: string }) {
  const [typed, setTyped] = useState(id);
  const doc = useFlow((state) => state.doc);
  const isTaken = typed !== id && nodeById(doc, typed) !== undefined;
  const problem = isTaken
    ? 'Another node has this id. Choose a different one.'
    : /^[A-Za-z0-9_.:-]{1,128}$/.test(typed)
      ? undefined
      : 'Use only letters, digits and _ . : -';
  function rename() {
    if (problem !== undefined || typed === id) return;
    change((before) => renameNode(before, id, typed), `Renamed ${id} to ${typed}`);
    select([typed]);
  }
  return (
    <Field label="Id" problem={problem}>
      {(ids) => (
        <input
          {...ids}
          className={`${INPUT} h-7 font-mono text-xs`}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== undefined}
          value={typed}
          onChange={(event) => setTyped(event.target.value.replaceAll(' ', '_'))}
          onBlur={() => (problem === undefined ? rename() : setTyped(id))}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename();
            if (event.key === 'Escape') setTyped(id);
          }}
        />
      )}
    </Field>
  );
}
