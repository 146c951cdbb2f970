import { expect, test } from '@jest/globals';
import { findDenial, toCause } from '../../../lib/adapters/aws/aws-error.ts';

const causeOf = (status: number, body: string): string =>
  toCause({ status, headers: {}, body: Buffer.from(body) }).message;

const DENIAL =
  'User: arn:aws:sts::123456789012:assumed-role/a/b is not authorized to perform: ssm:GetParameter on resource: arn:aws:ssm:eu-west-1:123456789012:parameter/a';

test.each([400, 403])('the cause of a denial with %d names the denied action', (status) => {
  const body = JSON.stringify({ __type: 'AccessDeniedException', Message: DENIAL });
  expect(causeOf(status, body)).toContain(`AWS answered ${status} AccessDeniedException ${DENIAL}`);
});

test('the cause of any other refusal quotes nothing of the response', () => {
  const body = '<Error><Code>InvalidToken</Code><Token-0>IQoJb3JpZ2luX2VjEXAMPLE</Token-0></Error>';
  expect(causeOf(403, body)).toBe('AWS answered 403');
});

test.each([
  ['JSON', `{"Message":"${DENIAL} because no policy allows it"}`],
  ['a log line', JSON.stringify(JSON.stringify({ message: `${DENIAL} because no policy allows it` }))],
  ['XML', `<Message>${DENIAL} because no policy allows it</Message>`],
])('a denial is found in %s', (_form, body) => {
  expect(findDenial(body)).toEqual({
    sentence: `${DENIAL} because no policy allows it`,
    user: 'arn:aws:sts::123456789012:assumed-role/a/b',
    action: 'ssm:GetParameter',
    resource: 'arn:aws:ssm:eu-west-1:123456789012:parameter/a',
    reason: 'because no policy allows it',
  });
});
