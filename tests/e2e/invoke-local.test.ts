import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { cases } from '../support/deep.ts';
import { runCommand } from '../support/run-command.ts';

let project: { readonly folder: string; remove(): void };

beforeAll(() => {
  project = copyProject();
});

afterAll(() => project.remove());

const invoke = (name: string) =>
  runCommand('npx', ['serverless', 'invoke', 'local', '-f', name, '-p', `events/${name}.json`], {
    cwd: project.folder,
  });

/** What it prints is the handler's log, a JSON object a line, and then the answer, indented. */
const answerIn = (stdout: string) => JSON.parse(stdout.slice(stdout.indexOf('{\n')));

/** One of each kind; the package's test has the sample events of all functions, and takes no start of the framework for each. */
const answers: [string, object][] = [
  ['webhook', { statusCode: 200 }], // a request, with a store that has the samples
  ['adminHealth', { statusCode: 200 }], // no store
  ['adminRetryExecution', { statusCode: 404 }], // a store and the engine
  ['runDurable', { Status: 'SUCCEEDED' }], // a durable function
  ['sweep', { batchItemFailures: [] }], // no request
];

test.each(cases(answers.slice(0, 1), answers))(
  '%s answers its sample event and exits 0',
  async (name, expected) => {
    const { code, stdout } = await invoke(name);
    expect(code).toBe(0);
    expect(answerIn(stdout)).toMatchObject(expected);
  },
);

test('a handler that throws at import exits with an error instead of hanging', async () => {
  const file = join(project.folder, 'functions/admin/debug.ts');
  writeFileSync(file, `throw new Error('broken at import');\n${readFileSync(file, 'utf8')}`);
  const { code, stdout, stderr } = await invoke('adminDebug');
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('broken at import');
});
