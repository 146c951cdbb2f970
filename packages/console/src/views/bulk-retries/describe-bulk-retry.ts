import type { Answer } from '../../api/routes.ts';

type BulkRetry = Answer<'GET /api/admin/bulk-retries'>['bulkRetries'][number];

interface Matched extends Pick<BulkRetry['filter'], 'failureNode' | 'failureName' | 'workflowVersion'> {
  readonly status: readonly string[];
}

/** `12 of 50 succeeded, 2 failed again, 3 run, 33 to start`, without what is zero. */
export const describeCounts = ({
  total,
  remaining,
  open,
  succeeded,
  failedAgain,
  refused,
}: BulkRetry['counts']): string => {
  const others: readonly (readonly [number, string])[] = [
    [failedAgain, 'failed again'],
    [refused, 'refused'],
    [open, open === 1 ? 'runs' : 'run'],
    [remaining, 'to start'],
  ];
  return [
    `${succeeded.toLocaleString()} of ${total.toLocaleString()} succeeded`,
    ...others.flatMap(([count, word]) => (count === 0 ? [] : [`${count.toLocaleString()} ${word}`])),
  ].join(', ');
};

/** What a filter matches, without its period: `failed or timed out at book with HttpStatusError, of version 3`. */
export const describeFilter = ({ status, failureNode, failureName, workflowVersion }: Matched): string =>
  [
    status.map(toWords).join(' or '),
    ...(failureNode === null ? [] : [` at ${failureNode}`]),
    ...(failureName === null ? [] : [` with ${failureName}`]),
    ...(workflowVersion === null ? [] : [`, of version ${workflowVersion}`]),
  ].join('');

/** `timed out` for `timedOut`. */
const toWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
