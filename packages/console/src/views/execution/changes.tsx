import type { ReactNode } from 'react';

interface Change {
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

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
