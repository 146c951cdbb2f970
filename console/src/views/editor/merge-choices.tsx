import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type { Conflict } from './merge-definitions.ts';

interface MergeChoicesProps {
  readonly conflicts: readonly Conflict[];
  /** Names of those in which theirs is kept. */
  readonly taken: ReadonlySet<string>;
  readonly onTake: (name: string, isTheirs: boolean) => void;
}

/** What both changed, with the choice which of the two to keep. */
export const MergeChoices = ({ conflicts, taken, onTake }: MergeChoicesProps): ReactNode => (
  <SpaceBetween size="m">
    {conflicts.map((conflict) => (
      <FormField
        key={conflict.name}
        label={`Both changed ${conflict.name}`}
        description={toRows(conflict).map(({ path, was, mine, theirs }) => (
          <span key={path} className="merge-row">
            <code>{path}</code>: was {show(was)}; mine {show(mine)}; theirs {show(theirs)}
          </span>
        ))}
      >
        <RadioGroup
          value={taken.has(conflict.name) ? 'theirs' : 'mine'}
          items={[
            { value: 'mine', label: 'Keep mine' },
            { value: 'theirs', label: 'Take theirs' },
          ]}
          onChange={({ detail }) => onTake(conflict.name, detail.value === 'theirs')}
        />
      </FormField>
    ))}
  </SpaceBetween>
);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members that either changed; the whole value if there is none to compare with. */
const toRows = ({ name, was, mine, theirs }: Conflict) => {
  if (!isMap(mine) || !isMap(theirs)) return [{ path: name, was, mine, theirs }];
  const before = isMap(was) ? was : {};
  const keys = new Set([...Object.keys(before), ...Object.keys(mine), ...Object.keys(theirs)]);
  return [...keys]
    .map((key) => ({ path: key, was: before[key], mine: mine[key], theirs: theirs[key] }))
    .filter((row) => new Set([row.was, row.mine, row.theirs].map((each) => JSON.stringify(each))).size > 1);
};

const MAX_LENGTH = 2_000;

const show = (value: unknown): string => {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (cut)` : text;
};
