import { type KeyObject, X509Certificate } from 'node:crypto';
import { Refusal } from '../../../shared/errors.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import { fetchedKeys } from './fetched-keys.ts';
import { isOfKey } from './is-signed.ts';
import { createReadContent, readFields, readPlace, type SignedContent } from './read-request.ts';
import type { Algorithm, SchemeRow, SignatureRule } from './schemes.ts';

interface Certificate {
  readonly key: KeyObject;
  readonly isIssuedTo: (name: string) => boolean;
  /** Start of the certificate's validity, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

const certificates = fetchedKeys<Certificate>({
  parse: (pem) => {
    const certificate = new X509Certificate(pem);
    return {
      key: certificate.publicKey,
      isIssuedTo: (name) => certificate.checkHost(name, { wildcards: false }) !== undefined,
      from: Date.parse(certificate.validFrom),
      to: Date.parse(certificate.validTo),
    };
  },
  maxRedirects: 0, // the hosts are fixed in the scheme's row
});

/** How a sender signs content with the key of a certificate whose URL is in the request. */
interface Certified extends SignedContent {
  readonly algorithm: Algorithm;
}

/**
 * Verifies a signature with a certificate from one of the sender's hosts. Trust rests on the TLS connection to that
 * host: the certificate's issuers are not verified. PayPal serves only the certificate, without the intermediate one,
 * and since 2025 below a root that Node no longer has.
 *
 * @throws Refusal, and AppError `SENDER_KEYS_UNAVAILABLE`
 */
export const openCertified = (row: SchemeRow, rule: SignatureRule, ports: FeaturePorts) => {
  const readContent = createReadContent(row, rule);
  const { at = {}, source } = row.certificate ?? {};
  const { hosts = [], path = /^$/, names = [] } = source?.(rule) ?? {};

  /** The certificate's URL, from the request. @throws Refusal when it is not one of the sender's */
  const readAddress = (request: WebhookRequest): string => {
    const url = URL.parse(readPlace(request, at));
    const isOfSender =
      url?.protocol === 'https:' && hosts.includes(url.host) && url.username + url.password === '';
    if (!isOfSender) throw new Refusal("the certificate URL is not on one of the sender's hosts");
    if (!path.test(url.pathname) || url.search + url.hash !== '')
      throw new Refusal('the certificate URL is not of a certificate with which the sender signs');
    return url.href;
  };

  return async (request: WebhookRequest): Promise<void> => {
    const now = ports.clock.now();
    const content = readContent(request, now);
    const { algorithm, signature, pieces }: Certified =
      rule.scheme === 'sns' ? readMessage(request, rule) : { ...content, algorithm: 'rsa-sha256' };
    const address = readAddress(request);
    const { find, trust } = certificates(ports);
    const { key, isIssuedTo, from, to } = await find(address);
    if (now < from || to < now) throw new Refusal('the certificate is expired or not yet valid');
    if (!names.some(isIssuedTo)) throw new Refusal('the certificate was issued for a different name');
    if (!isOfKey(algorithm, 'base64', [signature], pieces, key))
      throw new Refusal('mismatch: the request was modified');
    trust(address);
  };
};

const OF_NOTIFICATIONS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const OF_SUBSCRIPTIONS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/**
 * The signed text of an SNS message: the names and values of its fields, each on its own line. @throws Refusal for a
 * different topic
 */
const readMessage = (request: WebhookRequest, { topicArn }: SignatureRule): Certified => {
  const read = (field: string) => readPlace(request, { fields: [field] });
  if (read('TopicArn') !== topicArn) throw new Refusal('the message is from a different topic');
  const algorithm = ALGORITHM_OF_VERSION[read('SignatureVersion')];
  if (algorithm === undefined) throw new Refusal('the signature version is unknown');
  const names = read('Type') === 'Notification' ? OF_NOTIFICATIONS : OF_SUBSCRIPTIONS;
  const pieces = names.flatMap((name) => {
    const value = name === 'Subject' ? readSubject(request) : read(name);
    return value === null ? [] : [`${name}\n${value}\n`];
  });
  return { algorithm, signature: read('Signature'), pieces };
};

const ALGORITHM_OF_VERSION: Readonly<Record<string, Algorithm>> = { 1: 'rsa-sha1', 2: 'rsa-sha256' };

/** Reads the subject of a notification; null without one, which then is not signed. Any other value must be signed. */
const readSubject = (request: WebhookRequest): string | null => {
  const { Subject: subject = null } = readFields(request);
  return subject === null || typeof subject === 'string' ? subject : JSON.stringify(subject);
};
