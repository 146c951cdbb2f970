import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair } from 'jose';
import { listen } from 'lambda-stage/net';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** What the token endpoint has granted. */
interface Granted {
  readonly form: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
  readonly refreshToken: string | undefined;
}

export type Decision = 'allow' | 'deny';

export const CLIENT_SECRET = 'client-secret-1';

/** An app that is registered, of each way to authenticate: `shop` in the header, `shop-body` in the body, `phone` not at all. */
const CLIENTS = [
  ['shop', 'client_secret_basic'],
  ['shop-body', 'client_secret_post'],
  ['phone', 'none'],
] as const;

/** The path of an API that wants an access token of the server. */
export const API_PATH = '/api/mailbox';

/**
 * A certified authorization server on loopback (https://github.com/panva/node-oidc-provider), with people who sign in on its
 * page, PKCE, refresh tokens that are replaced with each use, and revocation. Access tokens expire sooner than the service
 * would use them again, so that each use asks for a new one.
 */
export const anAuthorizationServer = async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const server = createServer();
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  const granted: Granted[] = [];
  const provider = await withoutWarnings(
    async () =>
      new Provider(origin, {
        clients: CLIENTS.map(([id, method]) => ({
          client_id: id,
          ...(method === 'none' ? {} : { client_secret: CLIENT_SECRET }),
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'], // at any port: RFC 8252 §7.3
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: method,
          id_token_signed_response_alg: 'ES256',
        })),
        jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256' }] },
        cookies: { keys: ['a key of tests'] },
        pkce: { required: () => true },
        rotateRefreshToken: true,
        features: {
          devInteractions: { enabled: false },
          revocation: { enabled: true, allowedPolicy: async () => true },
        },
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
        ttl: {
          AccessToken: 30,
          RefreshToken: 86_400,
          IdToken: 60,
          Interaction: 600,
          Session: 600,
          Grant: 86_400,
        },
      }),
  );
  provider.on('grant.success', (context: KoaContextWithOIDC) => {
    const { refresh_token: refreshToken } = context.body as { readonly refresh_token?: string };
    const { params = {} } = context.oidc;
    granted.push({
      form: { ...params },
      authorization: context.get('authorization') || undefined,
      refreshToken,
    });
  });
  const handle = provider.callback();

  const decide = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { uid, params } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><html lang="en"><title>Sign in</title><h1>Allow ${params.client_id}?</h1><form method="post" action="/interaction/${uid}"><button name="decision" value="allow">Sign in as Ann and allow</button> <button name="decision" value="deny">Deny</button></form>`,
      );
      return;
    }
    if (new URLSearchParams(await text(request)).get('decision') !== 'allow') {
      await provider.interactionFinished(request, response, { error: 'access_denied' });
      return;
    }
    const grant = new provider.Grant({ accountId: 'ann', clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const grantId = await grant.save();
    await provider.interactionFinished(request, response, {
      login: { accountId: 'ann' },
      consent: { grantId },
    });
  };

  const answerApi = async ({ headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const found = await provider.AccessToken.find(token);
    response.writeHead(found?.isValid ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found?.isValid ? { owner: found.accountId } : { error: 'unauthorized' }));
  };

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', origin);
    if (pathname === API_PATH) return void answerApi(request, response);
    if (!pathname.startsWith('/interaction/')) return void handle(request, response);
    decide(request, response).catch((error: unknown) => {
      response.writeHead(error instanceof errors.SessionNotFound ? 400 : 500).end(String(error));
    });
  });

  return {
    origin,
    granted,
    /** Public fields of a credential that signs in here. @param clientId - an app that is registered */
    fields: (clientId: (typeof CLIENTS)[number][0] = 'shop') => ({
      grant: 'authorizationCode',
      authorizationUrl: `${origin}/auth?prompt=consent`, // without it, this server gives no refresh token
      tokenUrl: `${origin}/token`,
      clientId,
      clientAuthentication: clientId === 'shop-body' ? 'body' : 'header',
      scope: 'openid offline_access',
      testUrl: `${origin}${API_PATH}`,
    }),
    /** What a person with a browser does at an address of the server: its redirect to the app is followed, too. */
    visit: (address: string, decision: Decision = 'allow') => visit(address, origin, decision),
    /** A person withdraws what was granted last (RFC 7009). */
    revoke: async (): Promise<void> => {
      const token = granted.at(-1)?.refreshToken ?? '';
      const response = await fetch(`${origin}/token/revocation`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`shop:${CLIENT_SECRET}`).toString('base64')}` },
        body: new URLSearchParams({ token, token_type_hint: 'refresh_token' }),
      });
      if (response.status !== 200)
        throw new Error(`the server answered ${response.status} to the revocation`);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export type AuthorizationServer = Awaited<ReturnType<typeof anAuthorizationServer>>;

/** The server warns of its store in memory, and of loopback; both are meant. */
const withoutWarnings = async <Value>(act: () => Promise<Value>): Promise<Value> => {
  const { warn, info } = console;
  Object.assign(console, { warn: () => {}, info: () => {} });
  try {
    return await act();
  } finally {
    Object.assign(console, { warn, info });
  }
};

const MAX_REDIRECTS = 10;

const visit = async (address: string, origin: string, decision: Decision): Promise<Response> => {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  let body: URLSearchParams | null = null;
  for (let turns = 0; turns < MAX_REDIRECTS; turns++) {
    const isAtServer = next.origin === origin;
    const response = await fetch(next, {
      method: body === null ? 'GET' : 'POST',
      redirect: 'manual',
      body,
      headers: isAtServer
        ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
        : {},
    });
    if (!isAtServer) return response;
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    body = null;
    if (location !== null) next = new URL(location, next);
    else if (response.status === 200) body = new URLSearchParams({ decision });
    else return response;
  }
  throw new Error(`${origin} redirects without an end`);
};
