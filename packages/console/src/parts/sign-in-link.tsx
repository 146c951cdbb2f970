import type { ReactNode } from 'react';
import { AppLink } from './app-link.tsx';
import { settings } from './page-settings.ts';

/** Whether a message of a live test or a failure asks a person to sign in; in the words of the type `oauth2`. */
export const asksForSignIn = (message: string | null | undefined): boolean =>
  message?.includes('has to connect it') ?? false;

interface SignInLinkProps {
  readonly credentialId: string;
  /** "Sign in again" when absent. */
  readonly children?: ReactNode;
}

/** A link to the sign-in of a credential; a console that is read-only has none. */
export const SignInLink = ({ credentialId, children = 'Sign in again' }: SignInLinkProps): ReactNode =>
  settings.isReadOnly ? null : (
    <AppLink
      to={`/credentials/${encodeURIComponent(credentialId)}?dialog=sign-in`}
      ariaLabel={`Sign in again: ${credentialId}`}
    >
      {children}
    </AppLink>
  );
