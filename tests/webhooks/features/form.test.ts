import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aCredential } from '../../support/a-credential.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../support/a-webhook-service.ts';

const schema = {
  type: 'object',
  title: 'Sign <up>',
  description: 'It takes **a minute**.',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 20 },
    age: { type: 'integer', title: 'Age', minimum: 0 },
    news: { type: 'boolean', title: 'News' },
  },
};
const webhook = { methods: ['GET', 'POST'], form: true, schema, responseMode: 'onReceived' } as const;
const html = { accept: 'text/html,application/xhtml+xml;q=0.9' };
const form = {
  ...html,
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};

const aForm = async (changes: AWorkflow['webhook'] = {}) => {
  const service = await aWebhookService();
  await service.put({ webhook: { ...webhook, ...changes } });
  const send = (body: string, headers: Record<string, string> = form) =>
    service.call(aWebhookEvent({ body, headers }));
  return { ...service, send, runs: () => service.executions.records().length };
};

describe('a webhook with a form', () => {
  test('shows its page for GET, and starts nothing', async () => {
    const { call, runs } = await aForm();
    const page = await call(aWebhookEvent({ method: 'GET' }));
    expect(page).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': expect.not.stringContaining('sandbox'),
      },
    });
    expect(page.body).toContain('<h1>Sign &lt;up&gt;</h1>\n<p>It takes <strong>a minute</strong>.</p>');
    expect(page.body).toMatch(
      /<form method="post" novalidate>[\s\S]*name="name"[\s\S]*name="age"[\s\S]*name="news"/,
    );
    expect(await call(aWebhookEvent({ method: 'HEAD' }))).toEqual(
      expect.not.objectContaining({ body: expect.anything() }),
    );
    expect(runs()).toBe(0);
  });

  test('starts a run with the types of the schema, and thanks the user', async () => {
    const { send, executions, runs } = await aForm();
    const page = await send('name=Ada+L&age=36&news=true');
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('<h1>Thank you</h1>')]);
    expect(runs()).toBe(1);
    const id = String(page.headers?.['hookloom-execution-id']);
    const data = await executions.findData(id);
    expect(data?.input).toContain('"body":{"name":"Ada L","age":36,"news":true}');
  });

  test('shows errors beside the fields, with the input', async () => {
    const { send, runs } = await aForm();
    const page = await send('age=%22%3Eold&other=x');
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain('<title>Error: Sign &lt;up&gt;</title>');
    expect(page.body).toContain('There is no field &quot;other&quot;.');
    expect(page.body).toMatch(/id="field-1-error">Fill in this field\.</);
    expect(page.body).toMatch(
      /value="&quot;&gt;old"[^>]*aria-invalid="true" aria-describedby="field-2-hint field-2-error"/,
    );
    expect(runs()).toBe(0);
  });

  test('gives non-browser callers a problem, and 202', async () => {
    const { send, call } = await aForm();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused = await send('age=old&name=Ada', headers);
    expect(refused).toEqual(aProblem(400, 'body-schema-mismatch'));
    expect(bodyOf(refused).errors).toEqual([
      { pointer: '#/age', detail: 'Enter a whole number, such as 12.' },
    ]);
    expect((await send('age=36&name=Ada', headers)).statusCode).toBe(202);
    expect((await call(aJsonEvent({ name: 'Ada', more: 1 }))).statusCode).toBe(202);
    expect(await call(aJsonEvent({ name: 1 }))).toEqual(aProblem(400, 'body-schema-mismatch'));
  });

  test('starts one run when a page sends the same answers twice', async () => {
    const { send, runs, call } = await aForm();
    const { body } = await call(aWebhookEvent({ method: 'GET' }));
    const [, id] = /name="form-page-id" value="([^"]+)"/.exec(body ?? '') ?? [];
    const first = await send(`form-page-id=${id}&name=Ada`);
    const second = await send(`form-page-id=${id}&name=Ada`);
    expect([first, second].map(({ headers }) => headers?.['hookloom-execution-id'])).toEqual([
      first.headers?.['hookloom-execution-id'],
      first.headers?.['hookloom-execution-id'],
    ]);
    expect(second.headers?.['hookloom-duplicate']).toBe('true');
    expect(runs()).toBe(1);
    await send(`form-page-id=${id}&name=Bob`);
    await send('name=Ada');
    await send('name=Ada');
    expect(runs()).toBe(4);
  });

  describe('with a key of the author', () => {
    const byName = { deduplication: '$lowercase(body.name)' };
    const isDuplicate = ({ headers = {} }: { readonly headers?: object | undefined }) =>
      'hookloom-duplicate' in headers;

    test('starts one run per key, from any page', async () => {
      const { send, runs } = await aForm(byName);
      const first = await send('form-page-id=a&name=Ada');
      const second = await send('form-page-id=b&name=Ada');
      expect([first, second].map(isDuplicate)).toEqual([false, true]);
      expect(runs()).toBe(1);
    });

    test('refuses other answers under it, or treats them as repeated', async () => {
      const strict = await aForm(byName);
      await strict.send('form-page-id=a&name=Ada&age=36');
      expect((await strict.send('form-page-id=b&name=ADA&age=37')).statusCode).toBe(422);
      const { send, runs } = await aForm({ ...byName, onKeyReuse: 'duplicate' });
      await send('form-page-id=a&name=Ada&age=36');
      const second = await send('form-page-id=b&name=ADA&age=37');
      expect([second.statusCode, isDuplicate(second), runs()]).toEqual([200, true, 1]);
    });

    test('falls back to the page without a key, and logs that without the body', async () => {
      const { send, runs, lines } = await aForm({ deduplication: 'body.nick' });
      await send('form-page-id=a&name=Ada');
      await send('form-page-id=a&name=Ada');
      expect(runs()).toBe(1);
      const logged = lines.filter((line) => line.includes('deduplication found no key'));
      expect(JSON.parse(logged[0] ?? '{}')).toMatchObject({
        workflowId: expect.any(String),
        path: '/orders',
      });
      expect(logged).toHaveLength(2);
      expect(logged.join()).not.toContain('Ada');
    });
  });

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('accepts nothing that another site’s page makes a browser send: %s is %i', async (site, status) => {
    const { send, call, runs } = await aForm();
    const headers = { ...form, 'sec-fetch-site': site };
    expect((await send('name=Ada', headers)).statusCode).toBe(status);
    expect(runs()).toBe(status === 200 ? 1 : 0);
    // A link from elsewhere is fine.
    expect((await call(aWebhookEvent({ method: 'GET', headers }))).statusCode).toBe(200);
  });

  test('refuses such requests without a content type too', async () => {
    const { send } = await aForm();
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(await send('{"name":"Ada"}', headers)).toEqual(aProblem(403, 'origin-not-allowed'));
  });

  test('asks for the password before showing its page', async () => {
    const { call, putCredential } = await aForm({ authentication: 'basic', credentialId: 'people' });
    await putCredential(aCredential({ id: 'people', type: 'basic', username: 'ada' }));
    const refused = await call(aWebhookEvent({ method: 'GET', headers: html }));
    expect([refused.statusCode, refused.headers?.['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
  });

  test('responds as its workflow says', async () => {
    const { send } = await aForm({ answer: { status: 303, headers: { location: '/thanks' } } });
    expect(await send('name=Ada')).toMatchObject({ statusCode: 303 });
    const other = await aForm({ responseMode: 'lastNode' });
    expect(bodyOf(await other.send('name=Ada'))).toMatchObject({ body: { name: 'Ada', news: false } });
  });

  test.each([
    ['too much', `name=${'x'.repeat(1_000_001)}`, 413],
    ['what is no UTF-8', '%', 400],
    ['a field twice', 'name=a&name=b', 400],
    ['a name of a prototype', '__proto__=x&name=a', 400],
  ])('refuses %s', async (_case, body, status) => {
    const { send, runs } = await aForm();
    expect((await send(body)).statusCode).toBe(status);
    expect(runs()).toBe(0);
  });
});

describe('form is refused when it is stored', () => {
  const findProblems = (parameters: JsonObject) =>
    checkWebhookRules({
      id: 'x',
      name: 'x',
      enabled: true,
      nodes: [{ id: 'start', type: 'webhookTrigger', parameters }],
      connections: [],
    });

  test.each<[string, JsonObject, string]>([
    ['without GET', { methods: ['POST'] }, 'needs "methods"'],
    ['without methods', { methods: null }, 'needs "methods"'],
    ['without a schema', { schema: null }, 'needs a schema'],
    ['with a schema of a list', { schema: { type: 'array' } }, 'must have "type": "object"'],
    [
      'with a field that has no place on a page',
      { schema: { type: 'object', properties: { list: { type: 'array' } } } },
      "can't build a page from schema/properties/list",
    ],
    [
      'with a signature',
      { signature: { scheme: 'github', credentialId: 'x' } },
      "can't be combined with signature",
    ],
    ['with cors', { cors: { origins: ['*'] } }, "can't be combined with cors"],
    ['with false', { form: false }, 'must be'],
  ])('%s', async (_case, changes, message) => {
    expect(await findProblems({ methods: ['GET', 'POST'], schema, form: true })).toEqual([]);
    expect(await findProblems({ methods: ['GET', 'POST'], schema, form: true, ...changes })).toEqual([
      { path: '/nodes/0/parameters/form', message: expect.stringContaining(message) },
    ]);
  });
});
