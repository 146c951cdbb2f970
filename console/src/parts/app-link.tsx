import Link, { type LinkProps } from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { CONSOLE_PATH } from '../../console-settings.ts';

interface AppLinkProps extends Pick<LinkProps, 'variant' | 'fontSize' | 'ariaLabel'> {
  /** A path of the console, with its query. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to another view; with a modifier key the browser opens it in another tab. */
export const AppLink = ({ to, children, ...props }: AppLinkProps): ReactNode => {
  const [, navigate] = useLocation();
  return (
    <Link
      {...props}
      href={`${CONSOLE_PATH}${to}`}
      onFollow={(event) => {
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </Link>
  );
};
