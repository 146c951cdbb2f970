import { quote } from '../../../shared/describe.ts';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { isPartOfRequest, splitSigned } from './read-request.ts';
import { schemes } from './schemes.ts';
import type { SignatureRule } from './signature-rule.ts';

type Name = keyof SignatureRule;

/** Finds problems of a `signature` that its schema does not find. */
export const findSignatureProblems = (rule: SignatureRule): Problem[] => [
  ...findMisplaced(rule),
  ...(rule.scheme === 'jwt' ? findJwtProblems(rule) : []),
  ...(rule.scheme === 'hmac' || rule.scheme === 'publicKey' ? findSignedProblems(rule) : []),
];

const problem = (path: string, message: string): Problem[] => [{ path, message }];

const findMisplaced = (rule: SignatureRule): Problem[] => {
  const { needs = ['credentialId'], takes = [], timestamp } = schemes[rule.scheme];
  const given = (Object.keys(rule) as Name[]).filter((name) => name !== 'scheme');
  const isTaken = (name: Name) =>
    needs.includes(name) || takes.includes(name) || (name === 'toleranceSeconds' && timestamp !== undefined);
  return [
    ...needs
      .filter((name) => rule[name] === undefined)
      .flatMap((name) => problem('', `the scheme ${quote(rule.scheme)} needs ${name}`)),
    ...given
      .filter((name) => !isTaken(name))
      .flatMap((name) => problem(`/${name}`, `has no effect with the scheme ${quote(rule.scheme)}`)),
  ];
};

/**
 * Checks that keys and algorithms are of the same kind: with a public key used as a shared secret, anyone could sign.
 */
const findJwtProblems = (rule: SignatureRule): Problem[] => {
  const { credentialId, jwksUrl, issuer, audience, algorithms = [], secretEncoding } = rule;
  const shared = algorithms.filter((name) => name.startsWith('HS'));
  const isShared = shared.length > 0;
  const isOpen = jwksUrl !== undefined && (issuer === undefined || audience === undefined);
  return [
    ...((credentialId === undefined) === (jwksUrl === undefined)
      ? problem('', 'a jwt needs either a credentialId or a jwksUrl')
      : []),
    ...(isOpen ? problem('', 'with a jwksUrl, a jwt needs issuer and audience') : []),
    ...(isShared && jwksUrl !== undefined
      ? problem('/algorithms', `${shared.join(', ')} need a shared secret, and a jwksUrl has public keys`)
      : []),
    ...(isShared && shared.length < algorithms.length
      ? problem('/algorithms', 'mixes algorithms of shared secrets (HS…) and of public keys')
      : []),
    ...(secretEncoding !== undefined && !isShared
      ? problem('/secretEncoding', 'has no effect: public keys are always PEM')
      : []),
  ];
};

const BY_PUBLIC_KEY: readonly unknown[] = ['ed25519', 'ecdsa-sha256', 'rsa-sha256'];

/** Checks that the signature covers the body and the timestamp; it proves nothing about parts that it leaves out. */
const findSignedProblems = (rule: SignatureRule): Problem[] => {
  const { scheme, algorithm = 'sha256', signed = '{body}' } = rule;
  const { timestampHeader, timestampPrefix, url } = rule;
  const parts = splitSigned(signed).flatMap((piece) => ('part' in piece ? [piece.part] : []));
  const unknown = parts.find((part) => !isPartOfRequest(part));
  const isTimed = parts.includes('timestamp');
  const timePlace = timestampHeader === undefined ? '/timestampPrefix' : '/timestampHeader';
  const hasTime = timestampHeader !== undefined || timestampPrefix !== undefined;
  return [
    ...((scheme === 'publicKey') === BY_PUBLIC_KEY.includes(algorithm)
      ? []
      : problem('/algorithm', `${quote(algorithm)} can't be used with the scheme ${quote(scheme)}`)),
    ...(unknown === undefined ? [] : problem('/signed', `there is no placeholder {${unknown}}`)),
    ...(parts.includes('body')
      ? []
      : problem('/signed', 'must contain {body}, so that the signature covers the body')),
    ...(isTimed && !hasTime
      ? problem('/signed', 'contains {timestamp}, which needs a timestampHeader or a timestampPrefix')
      : []),
    ...(hasTime && !isTimed
      ? problem(timePlace, 'is not covered by the signature: {timestamp} is missing from signed')
      : []),
    ...(['toleranceSeconds', 'timestampFormat'] as const)
      .filter((name) => rule[name] !== undefined && !hasTime)
      .flatMap((name) => problem(`/${name}`, 'has no effect without a timestampHeader or a timestampPrefix')),
    ...(url !== undefined && !parts.includes('url')
      ? problem('/url', 'has no effect: {url} is missing from signed')
      : []),
  ];
};
