import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { invokeLocal } from '../support/run-command.ts';

let project: { readonly folder: string; remove(): void };

beforeAll(() => {
  project = copyProject();
});

afterAll(() => project.remove());

/** What it prints is the handler's log, a JSON object a line, and then the answer, indented. */
const answerIn = (stdout: string) => JSON.parse(stdout.slice(stdout.indexOf('{\n')));

/** One of each kind; the package's test has the sample events of all functions, and takes no start of the framework for each. */
const answers: [string, object][] = [
  ['webhook', { statusCode: 200 }], // a request, with a store that has the samples
  ['adminHealth', { statusCode: 200 }], // what is stored
  ['adminRetryExecution', { statusCode: 404 }], // a store and the engine
  ['runDurable', { Status: 'SUCCEEDED' }], // a durable function
  ['sweep', { batchItemFailures: [] }], // no request
];

test.each(answers)('%s answers its sample event and exits 0', async (name, expected) => {
  const { code, stdout } = await invokeLocal(name, project.folder);
  expect(code).toBe(0);
  expect(answerIn(stdout)).toMatchObject(expected);
});
