import Grid from '@cloudscape-design/components/grid';
import { Children, type ReactNode } from 'react';

const WIDTHS = { default: 12, xxs: 6, s: 4, l: 3, xl: 2 } as const;

/** Fields above a list, as many beside each other as there is room for. */
export const FilterBar = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const fields = Children.toArray(children);
  return <Grid gridDefinition={fields.map(() => ({ colspan: WIDTHS }))}>{fields}</Grid>;
};
