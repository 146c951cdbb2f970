import { describe, expect, test } from '@jest/globals';
import { createCallbackUrls } from '../../lib/approvals/callback-urls.ts';
import { STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aCallback } from '../support/a-callback.ts';
import { aProblem, bodyOf } from '../support/a-problem.ts';
import { anExecutionStart } from '../support/a-start.ts';

const MINUTE = 60_000;

describe('a callback URL with fields', () => {
  const question = {
    title: 'A <kettle>',
    text: 'It costs **40 EUR**. <script>alert(1)</script>',
    askedBy: 'Ada & co',
    fields: {
      type: 'object',
      required: ['limit'],
      properties: {
        limit: { type: 'integer', title: 'Limit', minimum: 1 },
        comment: { type: 'string', maxLength: 500 },
        agreed: { type: 'boolean' },
      },
    },
  };
  const browser = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/x-www-form-urlencoded' };

  test('shows the question', async () => {
    const { call } = await aCallback({ question });
    const { body } = await call('GET');
    expect(body).toContain('<h1>A &lt;kettle&gt;</h1>');
    expect(body).toContain('It costs <strong>40 EUR</strong>. &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body).toContain('Requested by Ada &amp; co.');
    expect(body).toMatch(/<label for="field-1">Limit<\/label>[\s\S]*name="limit"[\s\S]* required/);
  });

  test('accepts a form and converts its texts to the field types', async () => {
    const { call, answers } = await aCallback({ question });
    const body = 'decision=approve&limit=7&comment=&agreed=true';
    expect(await call('POST', { body, headers: browser })).toMatchObject({ statusCode: 200 });
    expect(answers).toMatchObject([{ decision: 'approve', body: { limit: 7, agreed: true } }]);
  });

  test.each([
    ['what is missing', 'comment=x', 'Fill in this field.'],
    ['no number', 'limit=many', 'value="many"'],
    ['a field that is not asked for', 'limit=7&other=%3Cb%3E', 'There is no field &quot;other&quot;.'],
    ['a field that is sent twice', 'limit=7&limit=8', 'Enter a whole number, such as 12.'],
  ])('shows %s beside its fields, and decides nothing', async (_case, fields, shown) => {
    const { call, answers } = await aCallback({ question });
    const page = await call('POST', { body: `decision=reject&${fields}`, headers: browser });
    expect([page.statusCode, page.body]).toEqual([400, expect.stringContaining(shown)]);
    expect(answers).toEqual([]);
  });

  test('accepts only JSON with the field types', async () => {
    const { decide, answers } = await aCallback({ question });
    const refused = await decide({ decision: 'approve', limit: '7', 'a/b': 1 });
    expect(refused).toEqual(aProblem(400, 'answer-mismatch'));
    expect(bodyOf(refused).errors).toEqual([
      { pointer: '#', detail: 'There is no field "a/b".' },
      { pointer: '#/limit', detail: 'Enter a whole number, such as 12.' },
    ]);
    expect((await decide({ decision: 'approve', limit: 7 })).statusCode).toBe(200);
    expect(answers).toMatchObject([{ body: { limit: 7 } }]);
  });

  test.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])('after %s says that it was %s', async (decision, word) => {
    const { call, decide, answers } = await aCallback({ question });
    await decide({ decision, limit: 7 });
    const sentence = `It was already ${word}, at 2023-11-14T22:13:20.000Z.`;
    const again = await decide({ decision: 'approve', limit: 8 });
    expect([again.statusCode, bodyOf(again).detail]).toEqual([410, expect.stringContaining(sentence)]);
    const page = await call('GET', { headers: browser });
    expect([page.statusCode, page.headers?.['content-type'], page.body]).toEqual([
      410,
      'text/html; charset=utf-8',
      expect.stringContaining(sentence),
    ]);
    expect(answers).toHaveLength(1);
  });

  // holds: one-answer-per-question
  test('tells the second of two concurrent answers about the first', async () => {
    const { decide, executions, answers } = await aCallback({ question });
    const page = await Promise.all([
      decide({ decision: 'reject', limit: 1 }),
      decide({ decision: 'approve', limit: 2 }),
    ]);
    expect(page.map(({ statusCode }) => statusCode).sort()).toEqual([200, 410]);
    expect(answers).toHaveLength(1);
    expect(await executions.findCallback('e-1', 'ask/0/0')).toMatchObject({
      answered: { decision: 'reject' },
    });
  });

  test('shows on a page that it has expired, and when', async () => {
    const { clock, call } = await aCallback({ question });
    clock.advance(10 * MINUTE);
    const page = await call('GET', { headers: browser });
    expect([page.statusCode, page.body]).toEqual([
      410,
      expect.stringContaining('The deadline for an answer was 2023-11-14T22:23:20.000Z.'),
    ]);
  });

  test('is decided with a warning when it stays listed', async () => {
    const close = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    const { decide, answers, entries } = await aCallback({ question, spoilt: { close } });
    expect((await decide({ decision: 'approve', limit: 7 })).statusCode).toBe(200);
    expect(answers).toHaveLength(1);
    expect(entries).toContainEqual(expect.objectContaining({ level: 'warn' }));
    expect(await decide({ decision: 'reject', limit: 7 })).toEqual(aProblem(410, 'callback-gone'));
  });

  test.each([
    [
      'fields that no form can have',
      { fields: { type: 'object', properties: { decision: { type: 'string' } } } },
    ],
    ['more than fits', { text: 'x'.repeat(30_000) }],
  ])('is not opened with %s', async (_case, spoiled) => {
    const { executions, clock } = await aCallback();
    const urls = createCallbackUrls({ executions, clock, publicUrl: 'x' }, anExecutionStart());
    await expect(urls.open('ask/1/0', 'c', 600, spoiled)).rejects.toMatchObject({ isRetryable: false });
    expect(await executions.findCallback('e-1', 'ask/1/0')).toBeNull();
  });
});
