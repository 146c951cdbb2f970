import { Refusal } from '../../../shared/refusal.ts';
import { splitSigned } from '../../../workflows/webhook-rules/signature/signed-template.ts';
import type { WebhookRequest } from '../../webhook-request.ts';
import { decodeSecret } from './decode-secret.ts';
import { isHmac, readHeader, type Scheme } from './scheme.ts';
import { checkTimestamp } from './timestamp.ts';
import { toPublicUrl } from './to-public-url.ts';

/** An HMAC in a header, as the parameter describes it. */
export const hmac: Scheme = (rule) => {
  const { header = '', prefix = '', algorithm = 'sha256', encoding = 'hex', secretEncoding } = rule;
  const timestampHeader = rule.timestampHeader?.toLowerCase();
  const pieces = splitSigned(rule.signed ?? '{body}');
  return (request, now) => {
    const value = readHeader(request, header.toLowerCase());
    if (!value.startsWith(prefix)) throw new Refusal('the signature does not begin with the prefix');
    const given = value.slice(prefix.length);
    const timestamp = timestampHeader === undefined ? '' : readHeader(request, timestampHeader);
    if (timestampHeader !== undefined) checkTimestamp(timestamp, now, rule);
    const signed = pieces.map((piece) =>
      'text' in piece ? piece.text : partOf(request, piece.part, { timestamp, url: rule.url }),
    );
    const signatures = [encoding === 'hex' ? given.toLowerCase() : given];
    return (secret) =>
      isHmac(signatures, signed, { algorithm, encoding, key: decodeSecret(secret, secretEncoding) });
  };
};

interface Known {
  readonly timestamp: string;
  readonly url: string | undefined;
}

/** A part that a template names. @throws Refusal for a header that is not there */
const partOf = (request: WebhookRequest, part: string, { timestamp, url }: Known): string | Uint8Array => {
  switch (part) {
    case 'body':
      return request.rawBody;
    case 'timestamp':
      return timestamp;
    case 'method':
      return request.method;
    case 'path':
      return request.requestPath;
    case 'query':
      return request.rawQueryString;
    case 'url':
      return toPublicUrl(request, url);
    default:
      return readHeader(request, part.slice('headers.'.length).toLowerCase());
  }
};
