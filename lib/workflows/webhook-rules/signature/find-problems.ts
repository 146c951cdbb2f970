import { quote } from '../../../shared/describe.ts';
import type { Problem } from '../../definition/problem.ts';
import type { SignatureRule } from './schema.ts';
import { isPartOfRequest, splitSigned } from './signed-template.ts';

type Name = keyof SignatureRule;

interface Parameters {
  readonly needs: readonly Name[];
  readonly takes?: readonly Name[];
}

const parametersOf: Readonly<Record<SignatureRule['scheme'], Parameters>> = {
  standardWebhooks: { needs: ['credentialId'], takes: ['toleranceSeconds'] },
  github: { needs: ['credentialId'] },
  stripe: { needs: ['credentialId'], takes: ['toleranceSeconds'] },
  slack: { needs: ['credentialId'], takes: ['toleranceSeconds'] },
  shopify: { needs: ['credentialId'] },
  twilio: { needs: ['credentialId'], takes: ['url'] },
  jwt: {
    needs: ['algorithms'],
    takes: ['credentialId', 'jwksUrl', 'issuer', 'audience', 'secretEncoding', 'toleranceSeconds'],
  },
  hmac: {
    needs: ['credentialId', 'header'],
    takes: [
      'algorithm',
      'encoding',
      'prefix',
      'signed',
      'timestampHeader',
      'toleranceSeconds',
      'url',
      'secretEncoding',
    ],
  },
};

/** Problems of a `signature` that its schema does not find. */
export const findSignatureProblems = (rule: SignatureRule): Problem[] => [
  ...findMisplaced(rule),
  ...(rule.scheme === 'jwt' ? findJwtProblems(rule) : []),
  ...(rule.scheme === 'hmac' ? findHmacProblems(rule) : []),
];

const problem = (path: string, message: string): Problem[] => [{ path, message }];

const findMisplaced = (rule: SignatureRule): Problem[] => {
  const { needs, takes = [] } = parametersOf[rule.scheme];
  const given = (Object.keys(rule) as Name[]).filter((name) => name !== 'scheme');
  return [
    ...needs
      .filter((name) => rule[name] === undefined)
      .flatMap((name) => problem('', `the scheme ${quote(rule.scheme)} needs ${name}`)),
    ...given
      .filter((name) => !needs.includes(name) && !takes.includes(name))
      .flatMap((name) => problem(`/${name}`, `has no effect with the scheme ${quote(rule.scheme)}`)),
  ];
};

/** Keys and algorithms of one kind: a public key that is taken for a shared secret would let anybody sign. */
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
      ? problem('/secretEncoding', 'has no effect: a public key is in PEM')
      : []),
  ];
};

/** A signature that leaves out the body, or the timestamp, proves nothing of it. */
const findHmacProblems = ({ signed = '{body}', timestampHeader, toleranceSeconds, url }: SignatureRule) => {
  const parts = splitSigned(signed).flatMap((piece) => ('part' in piece ? [piece.part] : []));
  const unknown = parts.find((part) => !isPartOfRequest(part));
  const isTimed = parts.includes('timestamp');
  return [
    ...(unknown === undefined ? [] : problem('/signed', `a request has no part {${unknown}}`)),
    ...(parts.includes('body') ? [] : problem('/signed', 'does not cover the {body}')),
    ...(isTimed && timestampHeader === undefined
      ? problem('/signed', 'holds {timestamp}, which needs a timestampHeader')
      : []),
    ...(timestampHeader !== undefined && !isTimed
      ? problem('/timestampHeader', 'is not covered: {timestamp} is missing in signed')
      : []),
    ...(toleranceSeconds !== undefined && timestampHeader === undefined
      ? problem('/toleranceSeconds', 'has no effect without a timestampHeader')
      : []),
    ...(url !== undefined && !parts.includes('url')
      ? problem('/url', 'has no effect: {url} is missing in signed')
      : []),
  ];
};
