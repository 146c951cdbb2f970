import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../contract/json.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import type {
  RegisteredTrigger,
  RegistrationContext,
  RegistrationRequest,
} from '../contract/registration.ts';

/** A trigger that is registered or unregistered. */
export interface RegistrationTest {
  readonly parameters?: JsonObject;
  /** The expected requests with their answers, in their order; none by default. */
  readonly answers?: readonly {
    readonly request: RegistrationRequest;
    readonly status: number;
    readonly body?: JsonObject;
  }[];
  /** The time that it sees, in milliseconds since the epoch; 2026-01-01 by default. */
  readonly now?: number;
}

export interface RegistrationTestResult {
  /** The requests that were sent. */
  readonly requests: readonly RegistrationRequest[];
  /** What was done to the stage's schedules, by the name of the registration: `put NAME`, `remove NAME`. */
  readonly schedules: readonly string[];
}

/** The name of the registration in a test. */
const NAME = 'N'.repeat(43);

/**
 * Registers a trigger as the service does, or unregisters it, without AWS. An event of it reaches the trigger `start` of the
 * workflow `workflow-1`.
 *
 * @throws the error of the trigger, such as RegistrationRefused, or Error for a request that was not expected or not sent
 */
export const runRegistration = async (
  { id, firedBy }: Pick<PluginHandle, 'id' | 'firedBy'>,
  action: 'register' | 'unregister',
  { parameters = {}, answers = [], now = Date.UTC(2026, 0, 1) }: RegistrationTest = {},
): Promise<RegistrationTestResult> => {
  const act = typeof firedBy === 'object' ? firedBy[action]?.bind(firedBy) : undefined;
  if (act === undefined) throw new TypeError(`${id} has no "${action}" in its "firedBy"`);
  const requests: RegistrationRequest[] = [];
  const schedules: string[] = [];
  const trigger: RegisteredTrigger = {
    workflowId: 'workflow-1',
    triggerNodeId: 'start',
    name: NAME,
    parameters: structuredClone(parameters),
  };
  const context: RegistrationContext = {
    prefix: 'hookloom-test',
    partition: 'aws',
    region: 'eu-west-1',
    accountId: '123456789012',
    dispatchArn: 'arn:aws:lambda:eu-west-1:123456789012:function:hookloom-test-dispatch',
    now: () => now,
    callAws: async (request) => {
      const expected = answers[requests.length];
      const what = `request ${requests.length + 1}`;
      requests.push(request);
      if (expected === undefined)
        throw new Error(`${what} is not expected: ${request.method} ${request.path}`);
      if (!isDeepStrictEqual(request, expected.request))
        throw new Error(
          `${what} is ${JSON.stringify(request)}, expected ${JSON.stringify(expected.request)}`,
        );
      return { status: expected.status, body: expected.body ?? {} };
    },
    schedules: {
      put: async ({ name }) => void schedules.push(`put ${name}`),
      remove: async ({ name }) => void schedules.push(`remove ${name}`),
      inspect: async () => 'on',
    },
  };
  await act(trigger, context);
  if (requests.length < answers.length)
    throw new Error(`${answers.length} requests are expected, and ${requests.length} were sent`);
  return { requests, schedules };
};
