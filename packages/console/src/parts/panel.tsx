import Container, { type ContainerProps } from '@cloudscape-design/components/container';
import Header, { type HeaderProps } from '@cloudscape-design/components/header';
import type { ReactNode } from 'react';

interface PanelProps
  extends Omit<ContainerProps, 'header'>,
    Pick<HeaderProps, 'description' | 'actions' | 'counter'> {
  readonly title: ReactNode;
}

/** A part of a view, below a heading of its own. */
export const Panel = ({ title, description, actions, counter, ...container }: PanelProps): ReactNode => (
  <Container
    {...container}
    header={
      <Header variant="h2" description={description} actions={actions} {...(counter && { counter })}>
        {title}
      </Header>
    }
  />
);
