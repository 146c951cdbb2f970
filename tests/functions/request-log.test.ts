import { describe, expect, test } from '@jest/globals';
import { bodyOf } from '../support/a-problem.ts';
import { aJsonEvent } from '../support/a-webhook-event.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** The line of the last request. */
const lastLine = (lines: readonly string[]): Record<string, unknown> =>
  lines.map((line) => JSON.parse(line)).findLast(({ message }) => message === 'request');

describe('the log line', () => {
  test('of a webhook names workflow, path, execution and trace', async () => {
    const service = await aWebhookService();
    await service.put();
    const result = await service.call(aJsonEvent({}, { headers: { traceparent } }));
    expect(lastLine(service.lines)).toMatchObject({
      status: 200,
      workflowId: 'shop',
      path: '/orders',
      executionId: result.headers?.['hookloom-execution-id'],
      traceparent,
    });
  });

  test('of a background run and of a failed run names the execution too', async () => {
    const service = await aWebhookService();
    await service.put({ webhook: { responseMode: 'onReceived' } });
    const accepted = bodyOf(await service.call(aJsonEvent({})));
    expect(lastLine(service.lines)).toMatchObject({ status: 202, executionId: accepted.executionId });
    const failing = await aWebhookService();
    await failing.put({ chain: [{ type: 'fails' }] });
    await failing.call(aJsonEvent({}));
    expect(lastLine(failing.lines)).toMatchObject({
      status: 500,
      code: 'EXECUTION_FAILED',
      executionId: expect.stringMatching(/./),
    });
  });

  // holds: requests-in-no-log
  test('of an unknown address has no value from the caller', async () => {
    const service = await aWebhookService();
    await service.call(aJsonEvent({}, { workflowId: 'unknown', path: 'secret' }));
    expect(lastLine(service.lines)).toMatchObject({ status: 404 });
    expect(JSON.stringify(service.lines)).not.toMatch(/unknown|secret/);
  });

  test.each([
    '',
    'x',
    '00-0-0-0',
    `ff${traceparent.slice(2)}`,
    `${traceparent}-more`,
    traceparent.toUpperCase(),
  ])('does not accept %j as a trace', async (header) => {
    const service = await aWebhookService();
    await service.put();
    await service.call(aJsonEvent({}, { headers: { traceparent: header } }));
    expect(lastLine(service.lines)).not.toHaveProperty('traceparent');
  });
});

test('the trace of a request is in the record, and in the execution as nodes see it', async () => {
  const service = await aWebhookService();
  await service.put({
    chain: [{ type: 'set', parameters: { values: { trace: '{{ $execution.traceparent }}' } } }],
  });
  const result = await service.call(aJsonEvent({}, { headers: { traceparent } }));
  expect(bodyOf(result)).toEqual({ trace: traceparent });
  expect(service.executions.records()).toMatchObject([{ traceparent }]);
});
