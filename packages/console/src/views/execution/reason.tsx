import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { AppLink } from '../../parts/app-link.tsx';
import { Time } from '../../parts/time.tsx';
import type { NodeRun } from './node-runs.ts';

interface ReasonProps {
  readonly reason: NonNullable<NodeRun['why']>;
  readonly workflowId: string;
  /** Whether the node still runs or waits. */
  readonly isOpen: boolean;
}

/** Why a node did what it did: the sentence, then what it was computed from. */
export const Reason = ({ reason, workflowId, isOpen }: ReasonProps): ReactNode => {
  const { text, expression, values = [], valuesOmitted = 0, causes = [], until, title } = reason;
  return (
    <section aria-label="Why" className="reason">
      <SpaceBetween size="xs">
        <Box variant="awsui-key-label">Why</Box>
        <div className="execution-long">{capitalize(text)}</div>
        {expression !== undefined && <code className="execution-code">{expression}</code>}
        {values.length > 0 && (
          <table className="reason-values">
            <caption className="visually-hidden">What the expression read</caption>
            <tbody>
              {values.map((value) => (
                <tr key={value.path}>
                  <th scope="row">
                    <code>{value.path}</code>
                  </th>
                  <td>{describeValue(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {valuesOmitted > 0 && <Box variant="small">{valuesOmitted} more values are not shown.</Box>}
        {causes.length > 0 && (
          <div>
            {'Delivered nothing: '}
            {causes.map(({ nodeId, output }, at) => (
              <span key={`${nodeId} ${output}`}>
                {at > 0 && ', '}
                <code>{nodeId}</code> on "{output}"
              </span>
            ))}
          </div>
        )}
        {until !== undefined && (
          <div>
            {isOpen ? 'Until ' : 'It was to wait until '}
            <Time at={until} />
          </div>
        )}
        {title !== undefined && isOpen && (
          <AppLink to={`/approvals?workflowId=${encodeURIComponent(workflowId)}`}>
            Go to its approvals
          </AppLink>
        )}
      </SpaceBetween>
    </section>
  );
};

type Value = NonNullable<ReasonProps['reason']['values']>[number];

const describeValue = ({ value, missing, notRecorded }: Value): ReactNode => {
  if (missing === true) return <em>missing</em>;
  if (notRecorded === true) return <em>not recorded</em>;
  return <code>{JSON.stringify(value)}</code>;
};

export const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
