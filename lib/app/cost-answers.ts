import * as v from 'valibot';
import { type Billed, billedNames } from '../executions/cost/usage.ts';
import { described } from './answers.ts';

// What answers say of costs.

export const cost = v.object({
  dollars: described(v.number(), "At AWS's list prices, with `reportedDollars`"),
  reportedDollars: described(v.number(), "The part that nodes report, such as a model's tokens"),
  used: v.object(Object.fromEntries(billedNames.map((name) => [name, v.number()])) as Record<Billed, Amount>),
  tokens: v.record(v.string(), v.number()),
});

type Amount = v.NumberSchema<undefined>;

export const prices = v.object({
  region: v.string(),
  assumed: described(v.array(v.string()), 'Prices that are not known for the region: those of us-east-1'),
});
