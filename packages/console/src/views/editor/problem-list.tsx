import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { memo, type ReactNode } from 'react';
import type { Edit } from './definition/definition-edits.ts';
import type { Finding } from './problems.ts';
import { ProposalButton } from './proposal-button.tsx';

interface ProblemListProps {
  readonly findings: readonly Finding[];
  readonly onSelect: (nodeIds: ReadonlySet<string>) => void;
  readonly onEdit: (edit: Edit) => void;
}

/** More are counted. */
const MAX_SHOWN = 50;

/** All that is wrong with the workflow, each with the node that it belongs to. */
export const ProblemList = memo(({ findings, onSelect, onEdit }: ProblemListProps): ReactNode => {
  const all = findings.toSorted((one, other) => Number(one.isWarning) - Number(other.isWarning));
  if (all.length === 0) return null;
  return (
    <ExpandableSection headerText={summarise(all)} headingTagOverride="h2">
      <ul className="problem-list">
        {all.slice(0, MAX_SHOWN).map((finding) => {
          const { path, message, isWarning, nodeId, pointer } = finding;
          const place = nodeId === null ? path : `${nodeId}${pointer}`;
          return (
            <li key={`${path} ${message}`}>
              <StatusIndicator type={isWarning ? 'warning' : 'error'}>
                {nodeId === null ? (
                  place
                ) : (
                  <Button variant="inline-link" onClick={() => onSelect(new Set([nodeId]))}>
                    {place}
                  </Button>
                )}{' '}
                <span className="any-text">{message}</span>{' '}
                <ProposalButton finding={finding} onEdit={onEdit} />
              </StatusIndicator>
            </li>
          );
        })}
      </ul>
      {all.length > MAX_SHOWN && `and ${all.length - MAX_SHOWN} more`}
    </ExpandableSection>
  );
});

const summarise = (all: readonly Finding[]): string => {
  const warnings = all.filter(({ isWarning }) => isWarning).length;
  const problems = all.length - warnings;
  return [count(problems, 'problem'), count(warnings, 'warning')].filter((part) => part !== '').join(', ');
};

const count = (number: number, noun: string): string =>
  number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
