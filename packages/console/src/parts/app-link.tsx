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

interface IdLinkProps extends Omit<AppLinkProps, 'to' | 'children'> {
  /** The path of the list of such things: `executions`. */
  readonly of: string;
  readonly id: string;
  /** The id when absent. */
  readonly children?: ReactNode;
}

/** A link to the view of one thing, by its id. */
export const IdLink = ({ of, id, children = id, ...props }: IdLinkProps): ReactNode => (
  <AppLink {...props} to={`/${of}/${encodeURIComponent(id)}`}>
    {children}
  </AppLink>
);
