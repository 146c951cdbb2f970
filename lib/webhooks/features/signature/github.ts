import { isHmac, readHeader, type Scheme } from './scheme.ts';

const PREFIX = 'sha256=';

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
export const github: Scheme = () => (request) => {
  const header = readHeader(request, 'x-hub-signature-256');
  const signatures = [header.startsWith(PREFIX) ? header.slice(PREFIX.length) : ''];
  return (key) => isHmac(signatures, [request.rawBody], { algorithm: 'sha256', encoding: 'hex', key });
};
