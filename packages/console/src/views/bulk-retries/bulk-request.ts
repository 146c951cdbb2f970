import { periodBounds } from '../../parts/period.ts';

export const FORM_NAMES = [
  'workflowId',
  'status', // separated by commas
  'failureNode',
  'failureName',
  'workflowVersion',
  'only', // `failedItems`
  'fromNode',
  'version',
  'rate',
  'stopAt', // in percent
  'last',
  'from',
  'to',
] as const;

/** The form of a bulk retry, as the address has it: texts that are empty when absent. */
export type BulkForm = Readonly<Record<(typeof FORM_NAMES)[number], string>>;

/** Statuses that can be retried. */
export const ENDED = ['failed', 'timedOut', 'cancelled', 'succeeded'] as const;

/** What is wrong with a field, by its name; empty if nothing is. */
export const checkForm = ({ rate, stopAt, workflowVersion }: BulkForm): Readonly<Record<string, string>> => ({
  ...(isIn(rate, 1, 100) ? {} : { rate: 'Enter a whole number from 1 to 100.' }),
  ...(isIn(stopAt, 0, 100) ? {} : { stopAt: 'Enter a whole number from 0 to 100.' }),
  ...(isIn(workflowVersion, 1, 1e9) ? {} : { workflowVersion: 'Enter the number of a version.' }),
});

const isIn = (text: string, least: number, most: number): boolean =>
  text === '' || (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most);

/** The body of the request; fields that are empty have the API's defaults. @param now - milliseconds since the epoch */
export const toBulkRequest = (form: BulkForm, now: number) => {
  const { from, to } = periodBounds(form, now);
  const { workflowId, status, failureNode, failureName, workflowVersion } = form;
  const { only, fromNode, version, rate, stopAt } = form;
  return {
    filter: {
      ...(workflowId === '' ? { all: true } : { workflowId }),
      ...(status === '' ? {} : { status: status.split(',') }),
      ...(from === '' ? {} : { from }),
      ...(to === '' ? {} : { to }),
      ...(failureNode === '' ? {} : { failureNode }),
      ...(failureName === '' ? {} : { failureName }),
      ...(workflowVersion === '' ? {} : { workflowVersion: Number(workflowVersion) }),
    },
    ...(only !== '' ? { only } : fromNode === '' ? {} : { from: fromNode }),
    ...(version === '' ? {} : { version }),
    ...(rate === '' ? {} : { rate: Number(rate) }),
    ...(stopAt === '' ? {} : { stopAtFailedShare: Number(stopAt) / 100 }),
  };
};
