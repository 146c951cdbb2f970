import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Grid from '@cloudscape-design/components/grid';
import { Children, type ReactNode } from 'react';
import { useIsNarrow } from './narrow.ts';

const WIDTHS = { default: 12, xxs: 6, s: 4, l: 3, xl: 2 } as const;

interface FilterBarProps {
  /** The values of filters that fold on a phone, where they would fill the screen before the list; absent to keep all open. */
  readonly values?: readonly string[];
  /** Whether they are open at first. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Fields above a list, as many beside each other as there is room for. */
export const FilterBar = ({ values, isOpen = false, children }: FilterBarProps): ReactNode => {
  const isNarrow = useIsNarrow();
  const fields = Children.toArray(children);
  const grid = <Grid gridDefinition={fields.map(() => ({ colspan: WIDTHS }))}>{fields}</Grid>;
  if (!isNarrow || values === undefined) return grid;
  const count = values.filter((value) => value !== '').length;
  return (
    <ExpandableSection headerText={count === 0 ? 'Filters' : `Filters (${count})`} defaultExpanded={isOpen}>
      {grid}
    </ExpandableSection>
  );
};
