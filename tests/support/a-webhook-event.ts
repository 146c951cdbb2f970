export interface WebhookEventChanges {
  readonly method?: string;
  readonly workflowId?: string;
  /** Without the leading slash, as the gateway hands over a greedy parameter; null for the workflow itself. */
  readonly path?: string | null;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestId?: string;
  readonly sourceIp?: string;
}

/** A request to `POST /api/webhook/shop/orders` without a body, as an HTTP API of AWS sends it. */
export const aWebhookEvent = ({
  method = 'POST',
  workflowId = 'shop',
  path = 'orders',
  query = '',
  headers = {},
  body = null,
  isBase64Encoded = false,
  requestId = 'request-1',
  sourceIp = '192.0.2.7',
}: WebhookEventChanges = {}) => {
  const rawPath = `/api/webhook/${workflowId}${path === null ? '' : `/${path}`}`;
  const routeKey = `ANY /api/webhook/{workflowId}${path === null ? '' : '/{path+}'}`;
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: query,
    headers: { host: 'api.example.com', 'x-forwarded-for': '203.0.113.9', ...headers },
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      domainName: 'api.example.com',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: 'test' },
      requestId,
      routeKey,
      stage: '$default',
      time: '14/Nov/2023:22:13:20 +0000',
      timeEpoch: 1_700_000_000_123,
    },
    pathParameters: { workflowId, ...(path === null ? {} : { path }) },
    ...(body === null ? {} : { body }),
    isBase64Encoded,
  };
};

/** The same with a JSON body. */
export const aJsonEvent = (body: unknown, changes: WebhookEventChanges = {}) =>
  aWebhookEvent({
    ...changes,
    headers: { 'content-type': 'application/json', ...changes.headers },
    body: JSON.stringify(body),
  });
