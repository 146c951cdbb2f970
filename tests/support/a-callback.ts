import type { JsonValue, Question } from '@hookloom/plugin-kit';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createCallbackFunction } from '../../lib/app/callback-handler.ts';
import type { CallbackIndex } from '../../lib/approvals/callback-index.ts';
import { createCallbackUrls } from '../../lib/approvals/callback-urls.ts';
import type { DurableService } from '../../lib/executions/durable-service.ts';
import { ENGINE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aManualClock } from './a-manual-clock.ts';
import { aRecordingLogger } from './a-recording-logger.ts';
import { aLease, anExecutionStart } from './a-start.ts';
import { aWebhookEvent } from './a-webhook-event.ts';
import { inMemoryExecutionStore } from './in-memory-stores.ts';

/** An execution with a pending callback, and the function behind its URL. */
export const aCallback = async ({
  question = {},
  spoilt = {},
}: {
  question?: Question;
  spoilt?: Partial<CallbackIndex>;
} = {}) => {
  const clock = aManualClock();
  const executions = inMemoryExecutionStore();
  const { logger, entries } = aRecordingLogger();
  await executions.start(anExecutionStart());
  await executions.acquireLease('e-1', aLease({ leaseOwner: 'arn', leaseExpiresAt: 0 }));
  const callbackUrls = createCallbackUrls(
    { executions, clock, publicUrl: 'https://example.com' },
    anExecutionStart(),
  );
  const url = callbackUrls.urlOf('ask/0/0', await callbackUrls.open('ask/0/0', 'callback-1', 600, question));
  const answers: JsonValue[] = [];
  const durableService = {
    isDown: false,
    /** The one that the run waits for. */
    callbackId: 'callback-1',
    findStatus: async () => 'running' as const,
    stop: async () => {},
    answerCallback: async (
      { callbackId }: Parameters<DurableService['answerCallback']>[0],
      value: JsonValue,
    ) => {
      if (durableService.isDown) throw new AppError(ENGINE_UNAVAILABLE, {});
      if (callbackId !== durableService.callbackId || answers.length > 0) return false;
      answers.push(value);
      return true;
    },
  };
  const handler = createCallbackFunction({
    executions,
    callbacks: { ...executions.callbacks, ...spoilt },
    durableService,
    clock,
    logger,
  });
  const call = (
    method: string,
    {
      at = url,
      body = null,
      headers = {},
    }: { at?: string; body?: string | null; headers?: Record<string, string> } = {},
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const token = at.split('/').at(-1) ?? '';
    const event = { ...aWebhookEvent({ method, body, headers }), pathParameters: { token } };
    return handler(event as never, { awsRequestId: 'r' } as never);
  };
  const decide = (body: unknown, headers: Record<string, string> = {}) =>
    call('POST', { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  return { clock, executions, entries, url, answers, durableService, call, decide };
};
