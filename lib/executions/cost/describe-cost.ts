import { findAssumedPrices } from './prices.ts';
import { costOf, type Usage } from './usage.ts';

/** What executions cost, as operators see it. */
export const describeCost = (usage: Usage, region: string) => ({
  dollars: toDollars(costOf(usage, region)),
  /** The part that nodes say others charge, such as a model's provider. */
  reportedDollars: toDollars(usage.microDollars / 1e6),
  used: usage.billed,
  tokens: usage.tokens,
});

/** The region whose prices were taken, and the prices that are those of us-east-1, since the region's are not known. */
export const describePrices = (region: string) => ({ region, assumed: findAssumedPrices(region) });

/** Without the digits that only floating point adds. A run costs some millionths. */
const toDollars = (dollars: number): number => Number(dollars.toFixed(9));
