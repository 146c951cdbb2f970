import type { ReactNode } from 'react';
import type { Answer } from '../api/routes.ts';

type ShownCost = NonNullable<Answer<'GET /api/admin/executions/{executionId}'>['cost']>;

/** What executions cost, and of what; null if their records do not say it. */
export const Cost = ({
  cost,
}: {
  readonly cost: (ShownCost & { readonly unknown?: number }) | null;
}): ReactNode => {
  if (cost === null) return 'Unknown';
  const { dollars, used, tokens, prices, unknown = 0 } = cost;
  const amounts = [
    ...COUNTED.map(([name, unit]) => [used[name], unit] as const),
    ...Object.entries(tokens).map(([name, amount]) => [amount, toWords(name)] as const),
  ];
  return (
    <>
      {unknown > 0 && 'over '}
      {formatDollars(dollars)}
      <br />
      <small>
        {amounts
          .filter(([amount]) => amount > 0)
          .map(([amount, unit]) => `${Number(amount.toFixed(2)).toLocaleString()} ${unit}`)
          .join(', ')}
        , at list prices of {prices.region}
        {prices.assumed.length > 0 && ' and us-east-1'}
      </small>
    </>
  );
};

const COUNTED = [
  ['writeUnits', 'write units'],
  ['durableOperations', 'durable operations'],
  ['gigabyteSeconds', 'GB-seconds'],
] as const;

/** `inputTokens` as `input tokens`. */
const toWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Formats dollars: `$0.0000042`, `$1.27`. */
export const formatDollars = (dollars: number): string =>
  `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toLocaleString('en', { maximumSignificantDigits: 2, maximumFractionDigits: 12 })}`;
