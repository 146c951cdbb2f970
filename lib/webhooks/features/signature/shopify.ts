import { isHmac, readHeader, type Scheme } from './scheme.ts';

/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https#step-2-validate-the-origin-of-your-webhook-to-ensure-its-coming-from-shopify */
export const shopify: Scheme = () => (request) => {
  const signatures = [readHeader(request, 'x-shopify-hmac-sha256')];
  return (key) => isHmac(signatures, [request.rawBody], { algorithm: 'sha256', encoding: 'base64', key });
};
