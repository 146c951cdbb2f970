import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, Error>;
  readonly children: (data: Data) => ReactNode;
}

/** Shows data once it is there. When it can't be read again, what was read stays, below the reason. */
export const Loaded = <Data,>({ query, children }: LoadedProps<Data>): ReactNode => {
  const { data, error, refetch } = query;
  if (data === undefined && error === null)
    return (
      <Box padding="l">
        <StatusIndicator type="loading">Loading</StatusIndicator>
      </Box>
    );
  return (
    <SpaceBetween size="l">
      {error !== null && <ProblemAlert error={error} onRetry={refetch} />}
      {data !== undefined && children(data)}
    </SpaceBetween>
  );
};
