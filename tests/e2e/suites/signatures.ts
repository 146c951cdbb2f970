import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sign as signForGitHub } from '@octokit/webhooks-methods';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { aLocalServer, type LocalServer } from '../../support/a-local-server.ts';
import type { RunningProject } from '../../support/a-running-project.ts';

/** One for all senders: text for most, base64 behind a prefix for Standard Webhooks. */
const SECRET = 'whsec_c2VjcmV0IG9mIGFuIGUyZSB0ZXN0';
const credentialId = 'sender-secret';

interface Sent {
  readonly body: string;
  readonly headers: Record<string, string>;
  /** With its question mark; none when absent. */
  readonly query?: string;
}

const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ id: 'evt_1', text: 'ö {"a": 1}' });
const now = () => Math.floor(Date.now() / 1_000);

const hmac = (algorithm: string, text: string) => createHmac(algorithm, SECRET).update(text);

/**
 * As the senders sign; the running service verifies. That they sign like this is shown by their packages here, or by what
 * these have signed: features/signature/recorded.test.ts.
 */
export const describeSignatures = (project: RunningProject): void => {
  let keys: LocalServer;
  let privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  const urlOf = (path: string) => `${project.service.baseUrl}/api/webhook/signed${path}`;
  const twilioOf = (url: string, form: Record<string, string>) => {
    const fields = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
    return hmac('sha1', `${url}${fields.flat().join('')}`).digest('base64');
  };

  const aToken = (audience: string) =>
    new SignJWT({ email: 'push@example.com' })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .setIssuer('https://issuer.example.com')
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(privateKey);

  const senders: Readonly<Record<string, () => Promise<Sent> | Sent>> = {
    standardWebhooks: () => {
      const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now()) };
      const signature = new Webhook(SECRET).sign('msg_1', new Date(now() * 1_000), body);
      return { body, headers: { ...json, ...headers, 'webhook-signature': signature } };
    },
    github: async () => ({
      body,
      headers: { ...json, 'x-hub-signature-256': await signForGitHub(SECRET, body) },
    }),
    stripe: () => {
      const time = now();
      const signature = `t=${time},v1=${hmac('sha256', `${time}.${body}`).digest('hex')}`;
      return { body, headers: { ...json, 'stripe-signature': signature } };
    },
    shopify: () => ({
      body,
      headers: { ...json, 'x-shopify-hmac-sha256': hmac('sha256', body).digest('base64') },
    }),
    twilio: () => {
      const form = { To: '+18005551212', Body: 'an ö & more', From: '+14158675310' };
      const url = urlOf('/twilio');
      return {
        body: new URLSearchParams(form).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': twilioOf(url, form),
        },
      };
    },
    'twilio with JSON': () => {
      const query = `?bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
      const signature = twilioOf(`${urlOf('/twilio')}${query}`, {});
      return { body, query, headers: { ...json, 'x-twilio-signature': signature } };
    },
    jwt: async () => ({
      body,
      headers: { ...json, authorization: `Bearer ${await aToken('https://hooks.example.com')}` },
    }),
  };

  const pathOf = (sender: string) => `/${sender.split(' ')[0]}`;
  const send = async (sender: string, { body, headers, query = '' }: Sent): Promise<number> =>
    (await fetch(`${urlOf(pathOf(sender))}${query}`, { method: 'POST', headers, body })).status;

  describe('signatures of senders', () => {
    beforeAll(async () => {
      const pair = await generateKeyPair('RS256');
      privateKey = pair.privateKey;
      const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'key-1', alg: 'RS256' };
      keys = await aLocalServer({
        '/keys': (_request, response) => response.end(JSON.stringify({ keys: [jwk] })),
      });
      await project.cli(`credential create ${credentialId} --type signingSecret`, { stdin: SECRET });
      const rules = {
        ...Object.fromEntries(
          ['standardWebhooks', 'github', 'stripe', 'shopify'].map((scheme) => [
            scheme,
            { scheme, credentialId },
          ]),
        ),
        twilio: { scheme: 'twilio', credentialId, url: urlOf('/twilio') },
        jwt: {
          scheme: 'jwt',
          issuer: 'https://issuer.example.com',
          audience: 'https://hooks.example.com',
          jwksUrl: `${keys.origin}/keys`,
          algorithms: ['RS256'],
        },
      };
      const nodes = Object.entries(rules).map(([name, signature]) => ({
        id: name,
        type: 'webhookTrigger',
        parameters: { path: `/${name}`, responseMode: 'lastNode', signature },
      }));
      const greeted = [
        { path: '/greeted/slack', handshake: { scheme: 'slack' } },
        { path: '/greeted/meta', handshake: { scheme: 'meta', credentialId } },
      ].map((parameters) => ({ id: parameters.handshake.scheme, type: 'webhookTrigger', parameters }));
      await project.storeWorkflow({
        id: 'signed',
        name: 'signed',
        enabled: true,
        nodes: [...nodes, ...greeted],
        connections: [],
      } as {
        id: string;
      });
    });

    afterAll(() => keys?.close());

    test.each(Object.keys(senders))('%s is accepted; altered, it is refused', async (name) => {
      const sent = await senders[name]?.();
      if (sent === undefined) throw new Error(name);
      expect(await send(name, sent)).toBe(200);
      const refused = ['jwt', 'shopify', 'xero'].includes(name) ? 401 : 403;
      const signedIn = Object.keys(sent.headers).findLast((header) => header !== 'content-type') ?? '';
      const spoilt = { ...sent.headers, [signedIn]: `${sent.headers[signedIn]}x` };
      expect(await send(name, { ...sent, headers: spoilt })).toBe(refused);
      if (name !== 'jwt') expect(await send(name, { ...sent, body: `${sent.body} ` })).toBe(refused);
    });

    test('handshakes are answered, also by a method that is closed otherwise', async () => {
      const challenge = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
      const slack = await fetch(urlOf('/greeted/slack'), { method: 'POST', headers: json, body: challenge });
      expect([slack.status, await slack.text()]).toEqual([200, 'abc']);
      const query = `hub.mode=subscribe&hub.challenge=42&hub.verify_token=${SECRET}`;
      const meta = await fetch(`${urlOf('/greeted/meta')}?${query}`);
      expect([meta.status, await meta.text()]).toEqual([200, '42']);
      expect((await fetch(urlOf('/greeted/meta'))).status).toBe(405);
    });

    test('the sample accepts requests signed with its seeded secret', async () => {
      const time = String(now());
      const event = '{"type":"paid"}';
      const sign = (secret: string) => createHmac('sha256', secret).update(`${time}.${event}`).digest('hex');
      const post = (secret: string) =>
        project.post('/api/webhook/signed-event/events', event, {
          ...json,
          'x-timestamp': time,
          'x-signature': `sha256=${sign(secret)}`,
        });
      expect(await post('secret-of-a-sample')).toEqual({ status: 200, body: { event: 'paid' } });
      expect((await post('secret-of-another')).status).toBe(403);
    });

    test('a token for another receiver is refused, and the keys were read once', async () => {
      const authorization = `Bearer ${await aToken('https://other.example.com')}`;
      expect(await send('jwt', { body, headers: { ...json, authorization } })).toBe(401);
      expect(keys.received).toHaveLength(1);
    });
  });
};
