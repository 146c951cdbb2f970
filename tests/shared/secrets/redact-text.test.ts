import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redactText } from '../../../lib/shared/secrets/redact-text.ts';

const A36 = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6';

/** Written in two parts, so that no scanner takes this file for a leak. */
const tokens: Readonly<Record<string, string>> = {
  GitHub: `ghp${'_'}${A36}`,
  'GitHub, fine-grained': `github${'_pat_'}11ABCDEFG0${A36}`,
  GitLab: `glpat${'-'}${A36.slice(0, 20)}`,
  Slack: `xoxb${'-'}1234567890-1234567890-${A36.slice(0, 24)}`,
  Stripe: `sk${'_live_'}${A36.slice(0, 24)}`,
  'a signing secret': `whsec${'_'}${A36}`,
  'AWS, its id': `AKIA${'IOSFODNN7EXAMPLE'}`,
  'Google, an API key': `AIza${'SyA'}${A36.slice(0, 32)}`,
  'Google, an access token': `ya29${'.'}${A36}`,
  npm: `npm${'_'}${A36}`,
  PyPI: `pypi${'-'}AgEIcHlwaS5vcmc${A36}`,
  OpenAI: `sk${'-proj-'}${A36}`,
  Anthropic: `sk${'-ant-'}api03-${A36}`,
  SendGrid: `SG${'.'}${A36.slice(0, 22)}.${A36}`,
  'Hugging Face': `hf${'_'}${A36}`,
  DigitalOcean: `dop${'_v1_'}${A36}${A36}`,
  Shopify: `shpat${'_'}${A36.slice(0, 32)}`,
  Telegram: `123456789${':'}AA${A36}`,
  Vault: `hvs${'.'}${A36}`,
  'JSON Web Token': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${A36}`,
};

// holds: redacted-by-name-and-form
describe('a token is known by its prefix', () => {
  test.each(Object.entries(tokens))('of %s', (_of, token) => {
    const places: readonly ((token: string) => string)[] = [
      (text) => text,
      (text) => `before ${text} after`,
      (text) => JSON.stringify({ note: `a\n${text}` }),
      (text) => `note=a%0A${text}&b=1`,
      (text) => `<note>${text}</note>`,
      (text) => `a_${text}`,
    ];
    for (const place of places) expect(redactText(place(token))).toBe(place('[redacted]'));
  });

  test.each([
    'risk-0123456789abcdef0123456789abcdef01',
    'task_live_events_of_the_last_quarter',
    'npm_config_registry_of_the_company_mirror',
    'high_availability',
    'a glorious_nonsenseword',
    'hooks.slack.com',
    'eyJ.eyJ.x',
    '3c1a7a0e-6e0a-4bd0-9c5b-5e0b3dba2a11',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'ghp_short',
    'see <https://example.com/a?b=1&c=2#d>',
  ])('%s is not one', (text) => expect(redactText(text)).toBe(text));
});

describe('a private key', () => {
  const pem = (body: string) => `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;

  test.each<[string, (text: string) => string]>([
    ['in text', (text) => `a ${text} b`],
    ['in JSON', (text) => JSON.stringify({ pem: text })],
    ['in a form', (text) => `pem=${encodeURIComponent(text)}&b=1`],
    ['in a form, with plus signs', (text) => new URLSearchParams({ pem: text }).toString()],
  ])('is removed %s', (_place, place) => {
    const shown = redactText(place(`${pem('MIIcanary1')}${pem('MIIcanary2')}`));
    expect(shown).not.toContain('canary');
    expect(shown).toContain('[redacted]');
  });

  test('is removed when its end is missing', () => {
    expect(redactText(pem('canary'.repeat(1_000)), 500)).not.toContain('canary');
  });
});

test.each([
  ['https://hooks.slack.com/services/T0/B0/canary', 'https://hooks.slack.com/services/[redacted]'],
  [
    '"https:\\/\\/hooks.slack.com\\/services\\/T0\\/B0\\/canary"',
    '"https:\\/\\/hooks.slack.com\\/services\\/[redacted]"',
  ],
  [
    'https%3A%2F%2Fhooks.slack.com%2Fservices%2FT0%2FB0%2Fcanary&a=1',
    'https%3A%2F%2Fhooks.slack.com%2Fservices%2F[redacted]&a=1',
  ],
  ['https://discord.com/api/webhooks/1/canary', 'https://discord.com/api/webhooks/[redacted]'],
  ['https://hooks.zapier.com/hooks/catch/1/canary/', 'https://hooks.zapier.com/hooks/[redacted]'],
])('the URL of an incoming webhook: %s', (text, shown) => expect(redactText(text)).toBe(shown));

describe('a secret name', () => {
  test.each([
    ['GET /cb?code=canary&state=canary now', 'GET /cb?code=[redacted]&state=[redacted] now'],
    ['city=Portland&state=OR&code=97201', 'city=Portland&state=OR&code=97201'],
    [
      'https://x.test/#access_token=canary&state=canary',
      'https://x.test/#access_token=[redacted]&state=[redacted]',
    ],
    ['user[pin]=1234&a=b', 'user[pin]=[redacted]&a=b'],
    ['user%5Bpin%5D=1234&a=b', 'user%5Bpin%5D=[redacted]&a=b'],
    ['<wsse:Password Type="x">canary</wsse:Password>', '<wsse:Password Type="x">[redacted]</wsse:Password>'],
    ['<otp><![CDATA[123456]]></otp><state>OR</state>', '<otp><![CDATA[[redacted]</otp><state>OR</state>'],
    ['<user password="can ary" name="ann"/>', '<user password="[redacted]" name="ann"/>'],
    ["password='can ary' user=ann", "password='[redacted]' user=ann"],
    [
      'Host: a\r\nAuthorization: Token canary\r\nX-Sentry-Auth: canary\r\n',
      'Host: a\r\nAuthorization: [redacted]\r\nX-Sentry-Auth: [redacted]\r\n',
    ],
    ['{"auth":true,"otp":null,"pin":1234}', '{"auth":true,"otp":null,"pin":[redacted]}'],
  ])('%s', (text, shown) => expect(redactText(text)).toBe(shown));

  test('is matched more strictly in a query', () => {
    const query = 'key=a&code=b&state=c&sig=d&auth=e&session=f&q=g';
    expect(redactText(query, query.length, 'query')).toBe(
      'key=[redacted]&code=[redacted]&state=[redacted]&sig=[redacted]&auth=[redacted]&session=[redacted]&q=g',
    );
  });
});

// The square of these would take hours.
test.each([
  '-----BEGIN PRIVATE KEY',
  'eyJ',
  'eyJ-',
  'ghp_',
  'xoxb-',
  '<token',
  'token=',
  "token='",
  '\ntoken:',
  'sk-',
  '1//0',
])('1 MB of %s takes linear time', (piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  expect(redactText(text).length).toBeGreaterThan(0);
});

test('ordinary words stay as they are', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/).filter((text) => redactText(`${text}=1`) === `${text}=1`);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const text = words.join(' ');
      expect(redactText(text)).toBe(text);
    }),
  );
});
