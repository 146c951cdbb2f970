import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import fc from 'fast-check';
import type { FeatureName } from '../../lib/webhooks/features/features.ts';

/** The credential with {@link senderSecrets}, of the type signingSecret. */
const credentialId = 'sender';
export const senderSecrets = { secret: 'sender-sëcret/2a7f==', previous: 'previous-sëcret/9c1e==' };

const ofMany = <T>(usual: T, rare: T) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constant(rare));

const bodySchemas: readonly JsonObject[] = [
  {},
  { type: 'object' },
  { type: 'object', required: ['id'], properties: { id: { pattern: '^[a-z]+$' } } },
  { propertyNames: { pattern: '^(a|b)*[^\\s]*$' }, additionalProperties: { not: { uniqueItems: true } } },
  {
    anyOf: [{ type: 'string', format: 'email' }, { unevaluatedProperties: false }, { items: { $ref: '#' } }],
  },
];

/**
 * Rules of every feature of webhooks: those that most requests pass, and others. `lastNodeAnswer` is never `file`, which is for
 * workflows with files alone; no keys are read at a `jwksUrl`, which needs a network.
 */
export const featureRules: Readonly<Record<FeatureName, fc.Arbitrary<JsonValue>>> = {
  cors: fc.constantFrom<JsonValue>(
    { origins: ['*'] },
    { origins: ['https://*.shop.example'], headers: ['*'], exposeHeaders: ['*'] },
    { origins: ['https://shop.example', 'http://localhost:5173'], credentials: true, maxAgeSeconds: 60 },
  ),
  paused: fc.constantFrom<JsonValue>(false, false, true, 'store'),
  bigNumbers: fc.constantFrom('string', 'refuse'),
  body: fc.constantFrom<JsonValue>(
    {},
    { raw: true },
    { type: 'ndjson' },
    { type: 'xml' },
    { type: 'multipart', raw: true },
  ),
  recordRequests: fc.constant<JsonValue>(true),
  onKeyReuse: fc.constantFrom<JsonValue>('refuse', 'duplicate'),
  upload: fc.constantFrom<JsonValue>({ maxBytes: 1_000_000 }, { maxBytes: 100, mediaTypes: ['text/*'] }),
  form: fc.constant<JsonValue>(true),
  allowFrom: ofMany(['192.0.2.0/24', '2001:db8::/32'], ['198.51.100.7']),
  signature: fc.constantFrom<JsonValue>(
    { scheme: 'github', credentialId },
    { scheme: 'github', credentialId },
    { scheme: 'stripe', credentialId },
    { scheme: 'slack', credentialId, toleranceSeconds: 60 },
    { scheme: 'hmac', credentialId, header: 'x-signature', encoding: 'base64', prefix: 'v1=' },
    { scheme: 'hmac', credentialId, header: 'x-signature', signed: '{method}{url}{query}{headers.a}{body}' },
    { scheme: 'standardWebhooks', credentialId },
    { scheme: 'shopify', credentialId },
    { scheme: 'twilio', credentialId },
    { scheme: 'jwt', credentialId, algorithms: ['HS256'] },
    {
      scheme: 'hmac',
      credentialId,
      header: 'x-signature',
      algorithm: 'sha384',
      timestampPrefix: 't=',
      signed: '{timestamp}{body}',
    },
    ...(
      [
        'asana',
        'calendly',
        'gitlab',
        'mailgun',
        'meta',
        'mux',
        'paddle',
        'pagerDuty',
        'telegram',
        'twitch',
        'x',
        'zoom',
      ] as const
    ).map((scheme) => ({ scheme, credentialId })),
    { scheme: 'token', credentialId, header: 'x-signature' },
    { scheme: 'paypal', webhookId: 'WEBHOOK' },
    { scheme: 'sns', topicArn: 'arn:aws:sns:eu-west-1:123456789012:a' },
  ),
  handshake: fc.constantFrom<JsonValue>(
    { scheme: 'slack' },
    { scheme: 'github' },
    { scheme: 'meta', credentialId },
    { scheme: 'microsoftGraph' },
    { scheme: 'x', credentialId },
    { scheme: 'zoom', credentialId },
    { scheme: 'asana' },
    { scheme: 'twitch' },
    { scheme: 'cloudEvents', origins: ['https://shop.example'] },
    {
      scheme: 'custom',
      match: 'body.type = "test"',
      answer: { contentType: 'application/json', body: '{"a":"{{ body.challenge }}","b":{{ body }}}' },
    },
    { scheme: 'custom', match: 'body.type = "test"', answer: { body: { all: ['{{ body }}'] } } },
    { scheme: 'custom', match: 'body.type = "test"', answer: { body: '{{ body.challenge }}' } },
    {
      scheme: 'custom',
      method: 'GET',
      match: '$exists(queryParams.a)',
      answer: { body: '{{ queryParams.a }}' },
    },
  ),
  answer: fc.constantFrom<JsonValue>(
    { status: 200, body: 'received {{ body.id }}' },
    { status: 202, headers: { 'x-echo': '{{ headers.a }}' }, body: { all: '{{ body }}' } },
    { status: 303, headers: { location: 'https://shop.example/{{ queryParams.a }}' } },
    { headers: { 'content-type': 'text/{{ body.type }}' }, body: '{{ $number(body.id) }}' },
  ),
  lastNodeAnswer: fc.constantFrom('output', 'all', 'firstItem'),
  timeoutSeconds: fc.constantFrom(1, 25),
  onTimeout: fc.constantFrom('fail', 'continue'),
  continueAfterResponse: fc.boolean(),
  maxBodyBytes: fc.constantFrom(1, 40, 100_000),
  rateLimit: fc.constantFrom<JsonValue>(
    { requests: 1, seconds: 60, per: 'path', burst: 3 },
    { requests: 1, seconds: 1, per: 'caller', by: 'header:a', onStoreFailure: 'open' },
    { requests: 10, seconds: 1, per: 'caller' },
  ),
  schema: fc.constantFrom(...bodySchemas),
  onlyIf: fc.constantFrom(
    'true',
    '$exists(body)',
    'body.id = "a"',
    '$count(queryParams.*) < 3 and $not($contains(headers.a, /^(a|b)*$/))',
    '$length(body) > 3',
    'body',
  ),
  concurrency: fc.constantFrom<JsonValue>(
    { max: 1 },
    { max: 100 },
    { max: 1, onLimit: 'queue', maxQueued: 2 },
  ),
};

/** Rules of some features, by the names of their parameters. */
const someFeatures: fc.Arbitrary<FeatureParameters> = fc
  .uniqueArray(fc.constantFrom(...(Object.keys(featureRules) as FeatureName[])))
  .chain((names) =>
    fc
      .tuple(...names.map((name) => featureRules[name]))
      .map((rules) => Object.fromEntries(names.map((name, at) => [name, rules[at] ?? null]))),
  );

/** The other parameters of a trigger. */
const anyTrigger = fc.record({
  path: fc.constantFrom('/orders', '/orders', '/:a', '/:kind/*rest', '/*all'),
  methods: fc.constantFrom(['POST'], ['POST', 'GET'], ['PUT', 'POST', 'OPTIONS', 'HEAD']),
  responseMode: fc.constantFrom('onReceived', 'lastNode', 'responseNode'),
  deduplication: fc.constantFrom(null, 'github', 'stripe', 'slack', 'body.id', 'pathParams.a & headers.a'),
  authentication: fc.constantFrom('none', 'none', 'apiKey'),
});

type FeatureParameters = Partial<Record<FeatureName, JsonValue>>;

/** A schema from which a form is made. */
const formSchema: JsonValue = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^[a-z]+$' } },
};

/** A trigger with some features, without those that can't be together. */
export const anyWebhook = fc
  .record({ features: someFeatures, trigger: anyTrigger })
  .map(({ features, trigger }) => ({
    features: withoutExcluded(features),
    trigger: {
      ...trigger,
      ...(canHold(features) ? { responseMode: 'onReceived' } : {}),
      ...(features.form === undefined ? {} : { methods: ['GET', 'POST'] }),
      ...(features.onKeyReuse === undefined ? {} : { deduplication: 'body.id' }), // of that key
    },
  }));

const withoutExcluded = (features: FeatureParameters): FeatureParameters => {
  const { form, upload, ...others } = features;
  if (form !== undefined) {
    const { signature: _signature, cors: _cors, body: _body, ...left } = others;
    return { ...left, form, schema: formSchema };
  }
  const canUpload = others.body === undefined && others.schema === undefined;
  return upload !== undefined && canUpload ? { ...others, upload } : others;
};

/** Whether a rule may hold an execution, which a webhook that answers with a result can't. */
const canHold = ({ paused, concurrency }: FeatureParameters): boolean =>
  paused === 'store' || JSON.stringify(concurrency ?? null).includes('queue');
