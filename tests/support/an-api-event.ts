import type { APIGatewayProxyEventV2 } from 'aws-lambda';

export interface ApiEventChanges {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly requestId?: string;
}

/** A request as an HTTP API of AWS hands it over (payload format 2.0), on a route without path parameters. */
export const anEvent = ({
  method = 'GET',
  path = '/api/admin/plugins',
  headers = {},
  body,
  requestId = 'request-1',
}: ApiEventChanges = {}): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: `${method} ${path}`,
  rawPath: path,
  rawQueryString: '',
  headers: { host: 'api.example.com', ...headers },
  requestContext: {
    accountId: '123456789012',
    apiId: 'api',
    domainName: 'api.example.com',
    domainPrefix: 'api',
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.7', userAgent: 'test' },
    requestId,
    routeKey: `${method} ${path}`,
    stage: '$default',
    time: '14/Nov/2023:22:13:20 +0000',
    timeEpoch: 1_700_000_000_123,
  },
  ...(body === undefined ? {} : { body }),
  isBase64Encoded: false,
});
