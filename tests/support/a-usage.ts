import { noUsage, type Usage } from '../../lib/executions/cost/usage.ts';

/** What an execution used: a request of four write units, unless changed. */
export const aUsage = ({
  billed = {},
  ...changes
}: Partial<Omit<Usage, 'billed'>> & { readonly billed?: Partial<Usage['billed']> } = {}): Usage => ({
  ...noUsage,
  ...changes,
  billed: { ...noUsage.billed, requests: 1, invocations: 1, writeUnits: 4, ...billed },
});
