import type { CredentialFields, Oauth2Server } from '../contract/credential-type.ts';

const PLACEHOLDER = /\{([A-Za-z0-9_]{1,64})\}/g;

/** A name, or a host with its port: nothing that ends the host of a URL, or a segment of its path. */
export const PLACE_VALUE = '^[A-Za-z0-9][A-Za-z0-9._-]{0,252}(?::[0-9]{1,5})?$';

const isPlaceValue = (value: string): boolean => new RegExp(PLACE_VALUE).test(value);

/** The fields that a server's URLs name. */
export const placesOf = ({ authorizationUrl, tokenUrl }: Oauth2Server): readonly string[] =>
  [...`${authorizationUrl} ${tokenUrl}`.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/**
 * The fields of a credential for a server, as the type `oauth2` has them.
 *
 * @throws TypeError if a field of its URLs is missing, or no name: it does not quote it
 */
export const toOauth2Fields = (
  { authorizationUrl, tokenUrl, scopes, clientAuthentication = 'header' }: Oauth2Server,
  fields: CredentialFields,
): CredentialFields => {
  const fillIn = (url: string) =>
    url.replaceAll(PLACEHOLDER, (_whole, name: string) => {
      const value = Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
      if (!isPlaceValue(value)) throw new TypeError(`the field "${name}" can't be part of a URL`);
      return value;
    });
  return {
    grant: 'authorizationCode',
    ...(scopes && { scope: scopes.join(' ') }),
    clientAuthentication,
    ...fields,
    authorizationUrl: fillIn(authorizationUrl),
    tokenUrl: fillIn(tokenUrl),
  };
};

/** What is wrong with the URLs of a server; null for nothing. @param names - of the fields that are not secret */
export const findServerProblem = (server: Oauth2Server, names: readonly string[]): string | null => {
  const unknown = placesOf(server).find((name) => !names.includes(name));
  if (unknown !== undefined) return `{${unknown}} is none of its public parameters`;
  const { authorizationUrl, tokenUrl } = toOauth2Fields(
    server,
    Object.fromEntries(names.map((name) => [name, 'a'])),
  );
  const wrong = [authorizationUrl, tokenUrl].find((url = '') => {
    const { protocol, username } = URL.parse(url) ?? { protocol: '', username: '' };
    return !/^https?:$/.test(protocol) || username !== '';
  });
  return wrong === undefined ? null : 'authorizationUrl and tokenUrl must be URLs with https';
};
