import { createHash } from 'node:crypto';
import { Refusal } from '../../../shared/errors.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { WebhookRequest } from '../../webhook.ts';
import { isEqual } from '../sender/is-equal.ts';
import { readHeader, type SignedContent, toPublicUrl } from './read-request.ts';
import type { SignatureRule } from './schemes.ts';

/** Maximum size of a form, which is parsed before its signature is verified. Twilio's forms take a few kB. */
const MAX_FORM_BYTES = 262_144;

/**
 * The content that Twilio may have signed: the URL followed by the form's names and values, sorted by name. A URL with
 * `bodySHA256` is used for any other body: the body is checked against that hash, whatever its type, and no fields are
 * appended. https://www.twilio.com/docs/usage/webhooks/webhooks-security#validating-signatures-from-twilio
 */
export const readTwilioContents = (request: WebhookRequest, rule: SignatureRule): SignedContent[] => {
  const signature = readHeader(request, 'x-twilio-signature');
  const url = toPublicUrl(request, rule.url);
  const fields = request.rawQueryString.includes('bodySHA256') ? checkBodyHash(request) : joinForm(request);
  // Twilio signs the URL with or without the standard port, not always as configured.
  const addresses = [url.replace(UP_TO_PORT, '$1$2'), url.replace(UP_TO_PORT, withPort)];
  return addresses.map((address) => ({ signature, pieces: [address + fields] }));
};

const joinForm = ({ headers, rawBody }: WebhookRequest): string => {
  if (rawBody.length === 0) return '';
  if (!(headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded'))
    throw new Refusal('the body is not a form, and its hash is not in the query');
  if (rawBody.length > MAX_FORM_BYTES) throw new Refusal(`the form is larger than ${MAX_FORM_BYTES} bytes`);
  const form = parseUrlEncoded(Buffer.from(rawBody).toString());
  return Object.keys(form)
    .sort()
    .map((name) => {
      const values = [form[name]].flat().map(String);
      return [...new Set(values)]
        .sort()
        .map((value) => name + value)
        .join('');
    })
    .join('');
};

/** @returns an empty string: only the URL, which contains the hash, is signed */
const checkBodyHash = ({ rawBody, rawQueryString }: WebhookRequest): '' => {
  const { bodySHA256 } = parseUrlEncoded(rawQueryString);
  const hash = createHash('sha256').update(rawBody).digest('hex');
  if (typeof bodySHA256 !== 'string' || !isEqual(bodySHA256, hash))
    throw new Refusal('the body hash in the query does not match');
  return '';
};

/** Scheme with slashes, host, port. Not `URL`, which changes characters that are signed as is. */
const UP_TO_PORT = /^(https?:\/\/)([^/?#:]*)(:\d{1,5})?(?![^/?#])/;

const withPort = (_all: string, scheme: string, host: string, port: string | undefined): string =>
  `${scheme}${host}${port ?? (scheme === 'https://' ? ':443' : ':80')}`;
