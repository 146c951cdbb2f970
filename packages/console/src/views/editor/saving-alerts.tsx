import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { isPlainObject } from '@hookloom/plugin-kit';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { AppLink } from '../../parts/app-link.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import type { Conflict } from './merge-definitions.ts';
import type { Saving } from './use-saving.ts';

interface SavingAlertsProps {
  readonly saving: Saving;
  /** Empty for a new workflow. */
  readonly workflowId: string;
  /** Whether the draft has a value that can be merged. */
  readonly isReadable: boolean;
}

/** What became of the last save, and what has to be decided before the next. */
export const SavingAlerts = ({ saving, workflowId, isReadable }: SavingAlertsProps): ReactNode => {
  const { version, stored, isRestored, failure, takenId, conflict } = saving;
  const [, navigate] = useLocation();
  return (
    <>
      <div aria-live="polite">
        {stored !== null && (
          <Alert type="success">
            Saved as version {version}
            {stored.file === undefined ? '' : ` and to ${stored.file}`}. Its addresses and executions:{' '}
            <AppLink to={`/workflows/${encodeURIComponent(workflowId)}`}>{workflowId}</AppLink>
          </Alert>
        )}
      </div>
      {isRestored && (
        <Alert type="info" action={<Button onClick={saving.discard}>Discard</Button>}>
          This is your unsaved work{version === null ? '' : ` on version ${version}`}.
        </Alert>
      )}
      {failure !== null && <ProblemAlert error={failure} />}
      {takenId !== null && (
        <Alert
          type="warning"
          header={<span role="alert">A workflow with this id exists</span>}
          action={
            <Button onClick={() => navigate(`/workflows/${encodeURIComponent(takenId)}/edit`)}>
              Open the existing workflow
            </Button>
          }
        >
          Nothing was saved. Choose another id, or open the workflow that has it: your draft stays in this
          browser.
        </Alert>
      )}
      {conflict !== null && (
        <Alert
          type="warning"
          header={
            <span role="alert">
              Version {conflict.version} was stored while you edited version {version}
            </span>
          }
          action={
            <Button disabled={!isReadable} onClick={conflict.merge}>
              Merge
            </Button>
          }
        >
          {conflict.conflicts.length === 0 ? (
            'The changes do not touch the same node.'
          ) : (
            <MergeChoices {...conflict} />
          )}
        </Alert>
      )}
    </>
  );
};

/** What both changed, with the choice which of the two to keep. */
const MergeChoices = ({ conflicts, taken, take }: NonNullable<Saving['conflict']>): ReactNode => (
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
          onChange={({ detail }) => take(conflict.name, detail.value === 'theirs')}
        />
      </FormField>
    ))}
  </SpaceBetween>
);

/** The members that either changed; the whole value if there is none to compare with. */
const toRows = ({ name, was, mine, theirs }: Conflict) => {
  if (!isPlainObject(mine) || !isPlainObject(theirs)) return [{ path: name, was, mine, theirs }];
  const before = isPlainObject(was) ? was : {};
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
