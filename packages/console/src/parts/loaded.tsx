import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemAlert } from './problem-alert.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, Error>;
  /** The heading of the page while there is nothing but a problem, for data that bring the heading. */
  readonly heading?: string;
  /** What is loaded, for the name of the button that tries again, where a page has several. */
  readonly what?: string;
  readonly children: (data: Data) => ReactNode;
}

/** Shows data once it is there. When it can't be read again, what was read stays, below the reason, which stays while it is asked again. */
export const Loaded = <Data,>({ query, heading, what, children }: LoadedProps<Data>): ReactNode => {
  const { data, errorUpdateCount, refetch } = query;
  const [last, setLast] = useState(query.error);
  if (query.error !== null && query.error !== last) setLast(query.error);
  // While a query that has failed is asked again, it has no error.
  const error = query.error ?? (data === undefined && errorUpdateCount > 0 ? last : null);
  if (data === undefined && error === null)
    return (
      <Box padding="l">
        <StatusIndicator type="loading">Loading</StatusIndicator>
      </Box>
    );
  return (
    <SpaceBetween size="l">
      {data === undefined && heading !== undefined && (
        <Header variant="h1">
          <span className="any-length">{heading}</span>
        </Header>
      )}
      {error !== null && (
        <ProblemAlert error={error} onRetry={refetch} {...(what !== undefined && { what })} />
      )}
      {data !== undefined && children(data)}
    </SpaceBetween>
  );
};
