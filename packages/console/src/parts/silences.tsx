import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../api/routes.ts';

interface SilencesProps {
  readonly of: NonNullable<Answer<'GET /api/admin/workflows/{workflowId}'>['silences']>;
}

/** What should have started a workflow and has not; nothing if there is nothing. */
export const Silences = ({ of: silences }: SilencesProps): ReactNode =>
  silences.map(({ rule, triggerNodeId, message }) => (
    <div key={`${rule} ${triggerNodeId}`}>
      <StatusIndicator type="warning" wrapText>
        <span className="any-length">{message}</span>
      </StatusIndicator>
    </div>
  ));
