import Box from '@cloudscape-design/components/box';
import { Fragment, type ReactNode } from 'react';
import { AppLink } from './app-link.tsx';

interface NameListProps {
  readonly names: readonly string[];
  /** The path of the view whose details the names link to; without it they are no links. */
  readonly path?: string;
}

export const NameList = ({ names, path }: NameListProps): ReactNode =>
  names.length === 0
    ? 'None'
    : names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          {path === undefined ? (
            <Box variant="code">{name}</Box>
          ) : (
            <AppLink to={`${path}/${encodeURIComponent(name)}`}>{name}</AppLink>
          )}
        </Fragment>
      ));
