import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { projectEnvironment, projectRoot } from '../../../../tests/support/run-command.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Runs a script like the local service, in a process whose files can't be longer than a megabyte: as on a full disk. */
const run = async (script: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-full-'));
  folders.push(folder);
  const head = `
    import { PutItemCommand } from '@aws-sdk/client-dynamodb';
    import { createSdk } from './lib/adapters/dynamodb/sdk-client.ts';
    import { endOnFailure } from './packages/local/database/disk-failure.ts';
    import { startEmbeddedDynamoDb } from './packages/local/database/embedded-dynamodb.ts';
    const folder = ${JSON.stringify(folder)};
    endOnFailure(folder);
`;
  const child = spawn(
    'bash',
    ['-c', 'ulimit -f 1024; exec node --input-type=module -e "$0"', head + script],
    {
      cwd: projectRoot,
      env: projectEnvironment(),
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  return { code, errors, folder };
};

test('a full disk ends the service with a message: what is full, and what to do', async () => {
  const { code, errors, folder } = await run(`
    const client = createSdk((await startEmbeddedDynamoDb('test', folder)).endpoint);
    for (let at = 0; at < 100; at++) {
      const Item = { workflowId: { S: 'w' + at }, definition: { S: 'x'.repeat(100_000) } };
      await client.send(new PutItemCommand({ TableName: 'test-workflows', Item })).catch(() => {});
    }`);
  expect(code).toBe(1);
  expect(errors).toContain(`The disk is full: ${folder} can't be written (IO error: ${folder}/`);
  expect(errors).toContain('Free some space, then start the service again');
  expect(errors).not.toMatch(/^ +at /m);
});

test('any other error ends it with its stack', async () => {
  const { code, errors } = await run(`setTimeout(() => { throw new TypeError('a bug'); });`);
  expect(code).toBe(1);
  expect(errors).toMatch(/TypeError: a bug\n +at /);
});
