import { isHmac, readHeader, type Scheme } from './scheme.ts';

/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https#step-2-validate-the-origin-of-your-webhook-to-ensure-its-coming-from-shopify */
export const shopify: Scheme = () => (request) => {
  const ofEvents = 'shopify-hmac-sha256'; // the newer kind of subscription
  const name = request.headers[ofEvents] === undefined ? 'x-shopify-hmac-sha256' : ofEvents;
  const signatures = [readHeader(request, name)];
  return (key) => isHmac(signatures, [request.rawBody], { algorithm: 'sha256', encoding: 'base64', key });
};
