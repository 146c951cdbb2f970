import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import type { ReactNode } from 'react';

interface FactsProps extends Omit<KeyValuePairsProps, 'items'> {
  /** By label, in order; those that are false, null or undefined are left out. */
  readonly facts: Readonly<Record<string, ReactNode>>;
}

/** What is known of one thing, each fact below its label. */
export const Facts = ({ facts, ...pairs }: FactsProps): ReactNode => (
  <KeyValuePairs
    {...pairs}
    items={Object.entries(facts).flatMap(([label, value]) =>
      value === false || value === null || value === undefined ? [] : [{ label, value }],
    )}
  />
);
