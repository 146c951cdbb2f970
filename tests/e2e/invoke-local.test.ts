import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

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

/** The others answer something else: that there is no such execution, or nothing. */
const answers: Record<string, unknown> = {
  runDurable: { Status: 'SUCCEEDED' },
  runExpress: null,
  sweep: { batchItemFailures: [] },
  webhookCallback: { statusCode: 404 },
  adminExecution: { statusCode: 404 },
  adminRetryExecution: { statusCode: 404 },
  adminCancelExecution: { statusCode: 404 },
};

// A few at a time: each call takes seconds, most of it the framework's own start.
test.concurrent.each(readdirSync(join(projectRoot, 'events')).map((file) => basename(file, '.json')))(
  '%s answers its sample event and exits 0',
  async (name) => {
    const { code, stdout } = await invoke(name);
    expect(code).toBe(0);
    const expected = name in answers ? answers[name] : { statusCode: 200 };
    if (expected !== null) expect(answerIn(stdout)).toMatchObject(expected as object);
  },
);

test('a handler that throws at import exits with an error instead of hanging', async () => {
  const file = join(project.folder, 'functions/admin/debug.ts');
  writeFileSync(file, `throw new Error('broken at import');\n${readFileSync(file, 'utf8')}`);
  const { code, stdout, stderr } = await invoke('adminDebug');
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('broken at import');
});
