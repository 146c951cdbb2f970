import { isHmac, readHeader, type Scheme } from './scheme.ts';
import { checkTimestamp } from './timestamp.ts';

const PREFIX = 'v0=';

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack: Scheme = (rule) => (request, now) => {
  const header = readHeader(request, 'x-slack-signature');
  const timestamp = readHeader(request, 'x-slack-request-timestamp');
  checkTimestamp(timestamp, now, rule);
  const signatures = [header.startsWith(PREFIX) ? header.slice(PREFIX.length) : ''];
  const signed = [`v0:${timestamp}:`, request.rawBody];
  return (key) => isHmac(signatures, signed, { algorithm: 'sha256', encoding: 'hex', key });
};
