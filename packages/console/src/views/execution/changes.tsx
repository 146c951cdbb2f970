import type { ReactNode } from 'react';
import type { Execution } from './node-runs.ts';

type Change = NonNullable<Execution['editedInput']>['changes'][number];

/** Values that differ, each with what it was and what it is. */
export const Changes = ({
  changes,
  omitted,
}: {
  readonly changes: readonly Change[];
  readonly omitted: number;
}): ReactNode => (
  <>
    <ul className="changes">
      {changes.map((change) => (
        <li key={change.path}>
          <code>{change.path === '' ? 'everything' : change.path}</code>
          {': '}
          <Value change={change} side="from" />
          <span aria-hidden="true"> → </span>
          <span className="visually-hidden"> is now </span>
          <Value change={change} side="to" />
        </li>
      ))}
    </ul>
    {omitted > 0 && <p>{omitted.toLocaleString()} more values differ.</p>}
  </>
);

const Value = ({ change, side }: { readonly change: Change; readonly side: 'from' | 'to' }): ReactNode =>
  Object.hasOwn(change, side) ? <code>{JSON.stringify(change[side])}</code> : <em>nothing</em>;
