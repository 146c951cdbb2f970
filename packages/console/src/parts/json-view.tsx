import type { ReactNode } from 'react';
import { JsonField } from './json-field.tsx';

/** Longer ones are cut, since an editor would take seconds for them. In characters of JSON. */
const MAX_LENGTH = 500_000;

/** Any JSON value, to read, search and copy. */
export const JsonView = ({
  value,
  label,
}: {
  readonly value: unknown;
  readonly label: string;
}): ReactNode => {
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  return (
    <JsonField
      label={label}
      value={text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}\n… cut` : text}
    />
  );
};
