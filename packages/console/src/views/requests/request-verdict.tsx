import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { Answer } from '../../api/routes.ts';

export type RequestSummary = Answer<'GET /api/admin/requests'>['requests'][number];

type Verdict = RequestSummary['verdict'];

const LOOKS: Readonly<Record<Verdict, readonly [StatusIndicatorProps.Type, string]>> = {
  started: ['success', 'Started'],
  duplicate: ['info', 'Duplicate'],
  refused: ['error', 'Refused'],
  skipped: ['stopped', 'Skipped'],
  caught: ['info', 'Caught as a test'],
};

export const VERDICT_OPTIONS = Object.entries(LOOKS).map(([value, [, label]]) => ({ value, label }));

export const RequestVerdict = ({ verdict }: { readonly verdict: Verdict }): ReactNode => {
  const [type, text] = LOOKS[verdict];
  return <StatusIndicator type={type}>{text}</StatusIndicator>;
};
