import ContentLayout from '@cloudscape-design/components/content-layout';
import Header, { type HeaderProps } from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface PageProps extends Pick<HeaderProps, 'description' | 'actions' | 'info'> {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** A view: its heading, and its parts below each other. */
export const Page = ({ title, children, ...header }: PageProps): ReactNode => (
  <SpaceBetween size="l">
    <Header variant="h1" {...header}>
      {title}
    </Header>
    {children}
  </SpaceBetween>
);

/** The same with the heading on a ground of its own. */
export const HeadedPage = ({ title, children, ...header }: PageProps): ReactNode => (
  <ContentLayout
    header={
      <Header variant="h1" {...header}>
        {title}
      </Header>
    }
  >
    <SpaceBetween size="l">{children}</SpaceBetween>
  </ContentLayout>
);
