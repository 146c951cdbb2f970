import { quote } from '../../../shared/describe.ts';
import { type Problem, problemsWhere } from '../../../workflows/definition/problem.ts';
import { isPartOfRequest, splitSigned } from './read-request.ts';
import { type SignatureRule, schemes } from './schemes.ts';
import type { SignatureParameters } from './signature-rule.ts';

type Name = keyof SignatureParameters;

/** Finds problems of a `signature` that its schema does not find. */
export const findSignatureProblems = (rule: SignatureRule): Problem[] => [
  ...findMisplaced(rule),
  ...(rule.scheme === 'jwt' ? findJwtProblems(rule) : []),
  ...(rule.scheme === 'hmac' || rule.scheme === 'publicKey' ? findSignedProblems(rule) : []),
];

const findMisplaced = (rule: SignatureRule): Problem[] => {
  const { needs = ['credentialId'], takes = [], timestamp } = schemes[rule.scheme];
  const scheme = quote(rule.scheme);
  const { scheme: _, ...parameters } = rule;
  const given = Object.keys(parameters) as Name[];
  const isTaken = (name: Name) =>
    needs.includes(name) || takes.includes(name) || (name === 'toleranceSeconds' && timestamp !== undefined);
  return problemsWhere(
    ...needs.map((name) => [rule[name] === undefined, '', `the scheme ${scheme} needs ${name}`] as const),
    ...given.map((name) => [!isTaken(name), `/${name}`, `has no effect with the scheme ${scheme}`] as const),
  );
};

/**
 * Checks that keys and algorithms are of the same kind: with a public key used as a shared secret, anyone could sign.
 */
const findJwtProblems = (rule: SignatureRule): Problem[] => {
  const { credentialId, jwksUrl, issuer, audience, algorithms = [], secretEncoding } = rule;
  const shared = algorithms.filter((name) => name.startsWith('HS'));
  const isShared = shared.length > 0;
  const isOpen = jwksUrl !== undefined && (issuer === undefined || audience === undefined);
  const isEither = (credentialId === undefined) !== (jwksUrl === undefined);
  const isMixed = isShared && shared.length < algorithms.length;
  const sharedFromUrl = `${shared.join(', ')} need a shared secret, and a jwksUrl has public keys`;
  return problemsWhere(
    [!isEither, '', 'a jwt needs either a credentialId or a jwksUrl'],
    [isOpen, '', 'with a jwksUrl, a jwt needs issuer and audience'],
    [isShared && jwksUrl !== undefined, '/algorithms', sharedFromUrl],
    [isMixed, '/algorithms', 'mixes algorithms of shared secrets (HS…) and of public keys'],
    [
      secretEncoding !== undefined && !isShared,
      '/secretEncoding',
      'has no effect: public keys are always PEM',
    ],
  );
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
  const fits = (scheme === 'publicKey') === BY_PUBLIC_KEY.includes(algorithm);
  const untimed = 'has no effect without a timestampHeader or a timestampPrefix';
  const timeless = 'contains {timestamp}, which needs a timestampHeader or a timestampPrefix';
  const uncovered = 'is not covered by the signature: {timestamp} is missing from signed';
  return problemsWhere(
    [!fits, '/algorithm', `${quote(algorithm)} can't be used with the scheme ${quote(scheme)}`],
    [unknown !== undefined, '/signed', `there is no placeholder {${unknown}}`],
    [!parts.includes('body'), '/signed', 'must contain {body}, so that the signature covers the body'],
    [isTimed && !hasTime, '/signed', timeless],
    [hasTime && !isTimed, timePlace, uncovered],
    [rule.toleranceSeconds !== undefined && !hasTime, '/toleranceSeconds', untimed],
    [rule.timestampFormat !== undefined && !hasTime, '/timestampFormat', untimed],
    [url !== undefined && !parts.includes('url'), '/url', 'has no effect: {url} is missing from signed'],
  );
};
