import type { Answer } from '../../api/routes.ts';

type Credential = Answer<'GET /api/admin/credentials'>['credentials'][number];
type Shown = Answer<'GET /api/admin/credentials/{credentialId}'>;

/** A credential for whose server a person signs in, and whose tokens the service stores. */
export const takesSignIn = (credential: Credential): credential is Extract<Credential, { fields: object }> =>
  credential.direction === 'outbound' &&
  credential.signIn !== undefined &&
  !credential.reference.startsWith('arn:');

/** Whether a person has signed in; null if the secret store did not say. */
export const isSignedIn = (credential: Shown): boolean | null => {
  if (credential.direction === 'inbound') return null;
  const { storedSecretFields: names } = credential;
  return names === null ? null : names.includes('refreshToken') || names.includes('accessToken');
};

/** Where the tab is, without what opened a dialog. @param href - of the page */
export const toReturnTo = (href: string): string => {
  const { pathname, searchParams } = new URL(href);
  for (const name of ['dialog', 'signIn']) searchParams.delete(name);
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
};
