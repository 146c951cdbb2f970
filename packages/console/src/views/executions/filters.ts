import { periodBounds } from '../../parts/period.ts';

/** The filters of the list, by their names in the address. */
export const FILTER_NAMES = [
  'workflowId',
  'status', // separated by commas
  'key',
  'request',
  'failureNode',
  'failureName',
  'bulkRetryId',
  'last',
  'from',
  'to',
] as const;

/** Texts that are empty when absent. */
export type ExecutionFilters = Readonly<Record<(typeof FILTER_NAMES)[number], string>>;

/** What the API is asked. @param now - milliseconds since the epoch */
export const toListQuery = (filters: ExecutionFilters, now: number) => {
  const { workflowId, status, key, request } = filters;
  return {
    workflowId,
    status,
    request: request.trim(),
    failureNode: filters.failureNode.trim(),
    failureName: filters.failureName.trim(),
    bulkRetryId: filters.bulkRetryId.trim(),
    key: workflowId === '' ? '' : key.trim(),
    ...periodBounds(filters, now),
  };
};

const OPEN = new Set(['accepted', 'running', 'waiting']);

export const isOpen = (status: string): boolean => OPEN.has(status);

/** Whether the API lists what runs now, oldest first, unlike all other lists. */
export const isRunningNow = ({
  workflowId,
  status,
}: Pick<ExecutionFilters, 'workflowId' | 'status'>): boolean =>
  workflowId === '' && status !== '' && status.split(',').every(isOpen);

/** Whether the list is narrowed by what a bulk retry can't be. */
export const hasUnretryableFilter = ({
  key,
  request,
  bulkRetryId,
}: Pick<ExecutionFilters, 'key' | 'request' | 'bulkRetryId'>): boolean =>
  [key, request, bulkRetryId].some((text) => text.trim() !== '');

/** The parameters of the view that retries all ended executions that match. */
export const toBulkRetryQuery = (
  filters: ExecutionFilters,
  now: number,
): Readonly<Record<string, string>> => {
  const { workflowId, status, failureNode, failureName } = filters;
  const ended = status.split(',').filter((each) => each !== '' && !isOpen(each));
  return { workflowId, status: ended.join(','), failureNode, failureName, ...periodBounds(filters, now) };
};
