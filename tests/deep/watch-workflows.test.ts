import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSampleStores } from '../../packages/local/samples/sample-stores.ts';
import type { SamplesEvent } from '../../packages/local/samples/samples-function.ts';
import { saveWorkflowFile } from '../../packages/local/samples/save-workflow-file.ts';
import { putSample, seedSamples } from '../../packages/local/samples/seed.ts';
import {
  type CallSamples,
  createWorkflowFiles,
  type WorkflowFiles,
} from '../../packages/local/samples/watch-workflows.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();
let folder: string;
const opened: { close(): void }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookloom-files-'));
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
  rmSync(folder, { recursive: true });
});

const write = (name: string, id: string, text = 'first', type = 'set'): void =>
  writeFileSync(
    join(folder, name),
    JSON.stringify({
      id,
      name: id,
      nodes: [
        { id: 'in', type: 'webhookTrigger', parameters: {} },
        { id: 'out', type, parameters: { values: { text } } },
      ],
      connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
    }),
  );

/** The files of the folder, and a store that follows them. */
const openFiles = async () => {
  const { endpoint } = await openDatabase();
  const secretsFolder = join(folder, 'secrets');
  const target = openSampleStores({ dynamodbEndpoint: endpoint, tablePrefix: 'test', secretsFolder });
  const lines: string[] = [];
  let onLine = () => {};
  const call = (async (event: SamplesEvent) => {
    switch (event.action) {
      case 'put':
        return putSample(event.file, target, undefined, event.others).catch((error: Error) => ({
          problem: error.message,
        }));
      case 'remove':
        return target.workflows.remove(event.workflowId);
      default:
        return seedSamples(target, 'a'.repeat(43), event.folder);
    }
  }) as CallSamples;
  const seeded = await call<'seed'>({ action: 'seed', folder, ordersApiKey: '' });
  const files: WorkflowFiles = createWorkflowFiles({
    folder,
    seeded,
    call,
    log: (line) => {
      lines.push(line);
      onLine();
    },
  });
  opened.push(files);
  const said = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      onLine = () => lines.some((line) => pattern.test(line)) && resolve();
      onLine();
    });
  const changed = (name: string) => files.changed(join(folder, name));
  const ids = async () => (await target.workflows.list()).map(({ id }) => id).sort();
  return { files, target, seeded, lines, said, changed, ids };
};

test('a written file is stored once and reported', async () => {
  const { said, changed, ids, lines } = await openFiles();
  write('a.json', 'a');
  changed('a.json');
  changed('a.json');
  await said(/^workflows\/a\.json: a is now at version 1$/);
  write('a.json', 'a', 'second');
  changed('a.json');
  await said(/now at version 2/);
  expect([await ids(), lines.length]).toEqual([['a'], 2]);
});

const writeCaller = (workflowId: string): void =>
  writeFileSync(
    join(folder, 'caller.json'),
    JSON.stringify({
      id: 'caller',
      name: 'Caller',
      nodes: [
        { id: 'in', type: 'webhookTrigger', parameters: {} },
        { id: 'call', type: 'subworkflow', parameters: { workflowId } },
      ],
      connections: [{ sourceNodeId: 'in', targetNodeId: 'call' }],
    }),
  );

test('a file that runs a missing workflow is stored, with a warning', async () => {
  write('greeting.json', 'greeting');
  writeCaller('greetings');
  const warning =
    '/nodes/1/parameters/workflowId the node fails until this is fixed: there is no workflow "greetings" yet; did you mean "greeting"?';
  const { seeded, said, changed, lines } = await openFiles();
  expect(seeded).toContainEqual({ name: 'caller.json', id: 'caller', isOther: false, warnings: [warning] });
  writeCaller('greetingz');
  changed('caller.json');
  await said(/the node fails until this is fixed/);
  expect(lines.at(-1)).toBe(`workflows/caller.json: ${warning.replace('greetings', 'greetingz')}`);
});

test('a removed file removes its workflow', async () => {
  write('a.json', 'a');
  const { said, changed, ids } = await openFiles();
  rmSync(join(folder, 'a.json'));
  changed('a.json');
  await said(/^workflows\/a\.json no longer exists: a was removed$/);
  expect(await ids()).toEqual([]);
});

test('a renamed file keeps its workflow', async () => {
  write('a.json', 'a');
  const { said, changed, ids, lines } = await openFiles();
  rmSync(join(folder, 'a.json'));
  write('b.json', 'a');
  write('last.json', 'last');
  for (const name of ['a.json', 'b.json', 'last.json']) changed(name);
  await said(/last is now at version 1/);
  rmSync(join(folder, 'last.json'));
  changed('last.json');
  await said(/last was removed/);
  expect(await ids()).toEqual(['a']);
  expect(lines.join()).not.toContain('a was removed');
});

test('a file with a new id removes the previous workflow', async () => {
  write('a.json', 'a');
  const { said, changed, ids } = await openFiles();
  write('a.json', 'b');
  changed('a.json');
  await said(/^workflows\/a\.json now defines b: a was removed$/);
  expect(await ids()).toEqual(['b']);
});

test('a refused file is reported once, with its place, and tried again when the code has changed', async () => {
  write('a.json', 'a');
  const { files, said, changed, lines, target } = await openFiles();
  write('a.json', 'a', 'second', 'soon');
  changed('a.json');
  await said(/^workflows\/a\.json was not stored; the stored version stays:\n.*\/nodes\/1\/type/);
  expect((await target.workflows.find('a'))?.version).toBe(1);
  files.retryInvalid(); // the node type is unknown still
  write('a.json', 'a', 'second');
  files.retryInvalid();
  await said(/a is now at version 2/);
  expect(lines).toHaveLength(2);
});

test('a file that is refused at the start blocks no other', async () => {
  write('a.json', 'a', 'x', 'soon');
  write('b.json', 'b');
  writeFileSync(join(folder, 'c.json'), '{');
  const { seeded, ids, files, said } = await openFiles();
  expect(seeded).toEqual([
    { name: 'a.json', problem: expect.stringContaining('/nodes/1/type') },
    { name: 'b.json', id: 'b', isOther: false, warnings: [] },
    { name: 'c.json', problem: expect.stringContaining('is not JSON') },
  ]);
  expect(await ids()).toEqual(['b']);
  write('a.json', 'a');
  files.retryInvalid();
  await said(/a is now at version 1/);
});

describe('two files with one id', () => {
  const both = (name: string, other: string) => ({
    name,
    id: 'a',
    problem: `its id "a" is also the id in workflows/${other}: change or remove one of them`,
  });

  test('at the start are both reported, and neither is stored until one of them is removed', async () => {
    write('a.json', 'a');
    write('copy.json', 'a', 'copied');
    const { seeded, ids, changed, said, target } = await openFiles();
    expect(seeded).toEqual([both('a.json', 'copy.json'), both('copy.json', 'a.json')]);
    expect(await ids()).toEqual([]);
    rmSync(join(folder, 'copy.json'));
    changed('copy.json');
    await said(/^workflows\/a\.json: a is now at version 1$/);
    expect(await target.workflows.find('a')).toMatchObject({
      definition: { nodes: [{}, { parameters: { values: { text: 'first' } } }] },
    });
  });

  test('a copy is not stored, and leaves the original live when it is removed', async () => {
    write('a.json', 'a');
    write('last.json', 'last');
    const { ids, changed, said, target, lines } = await openFiles();
    write('copy.json', 'a', 'copied');
    changed('copy.json');
    await said(/^workflows\/copy\.json was not stored:\nits id "a" is also the id in workflows\/a\.json/);
    write('a.json', 'a', 'second');
    changed('a.json');
    await said(/a is now at version 2/);
    for (const name of ['copy.json', 'last.json']) {
      rmSync(join(folder, name));
      changed(name);
    }
    await said(/last was removed/);
    expect(await ids()).toEqual(['a']);
    expect(lines.join()).not.toContain('a was removed');
    expect(await target.workflows.find('a')).toMatchObject({
      definition: { nodes: [{}, { parameters: { values: { text: 'second' } } }] },
    });
  });

  test('the copy takes its place when the original is removed', async () => {
    write('a.json', 'a');
    const { ids, changed, said, lines } = await openFiles();
    write('copy.json', 'a', 'copied');
    changed('copy.json');
    await said(/copy\.json was not stored/);
    rmSync(join(folder, 'a.json'));
    changed('a.json');
    await said(/^workflows\/copy\.json: a is now at version 2$/);
    expect(await ids()).toEqual(['a']);
    expect(lines.join()).not.toContain('a was removed');
  });
});

test('other files are ignored', async () => {
  const { changed, said, lines } = await openFiles();
  for (const name of ['a.txt', '.a.json.swp', 'a.json~']) {
    writeFileSync(join(folder, name), '{');
    changed(name);
  }
  write('b.json', 'b');
  changed('b.json');
  await said(/b is now at version 1/);
  expect(lines).toHaveLength(1);
});

describe('what the console stores', () => {
  const TEXT = `{
  "$schema": "./workflow.schema.json",
  "id": "a", "name": "A",
  "nodes": [ { "type": "webhookTrigger", "id": "in" } ],
  "connections": []
}
`;
  const { $schema, ...definition } = JSON.parse(TEXT);
  const eventOf = (changed: object, { site = 'same-origin', method = 'PUT', path = 'a' } = {}) => ({
    rawPath: `/api/admin/workflows/${path}`,
    headers: { 'sec-fetch-site': site },
    body: JSON.stringify(changed),
    requestContext: { http: { method } },
  });
  const answer = { statusCode: 200, body: '{"version":2}' };
  const read = () => readFileSync(join(folder, 'a.json'), 'utf8');

  const openSaver = async () => {
    writeFileSync(join(folder, 'a.json'), TEXT);
    const opened = await openFiles();
    const save = (event: object, result: object = answer) =>
      saveWorkflowFile(event, result, {
        folder,
        files: opened.files,
        log: (line) => void opened.lines.push(line),
      });
    return { ...opened, save };
  };

  test('is written to its file, in which nothing else changes, and is not stored once more', async () => {
    const { save, target, changed, said, lines } = await openSaver();
    const renamed = { ...definition, name: 'B' };
    expect(save(eventOf(renamed))).toEqual({
      statusCode: 200,
      body: '{"version":2,"file":"workflows/a.json"}',
    });
    expect(read()).toBe(TEXT.replace('"A"', '"B"'));
    expect(readdirSync(folder).filter((name) => name.startsWith('a.json'))).toEqual(['a.json']);
    changed('a.json'); // as the watcher says, which stores it, since this test has no API that did
    await said(/a is now at version 2/);
    expect(save(eventOf(renamed))).toMatchObject({ body: expect.stringContaining('a.json') });
    changed('a.json');
    write('last.json', 'last');
    changed('last.json');
    await said(/last is now at version 1/);
    expect((await target.workflows.find('a'))?.version).toBe(2);
    expect(lines).toHaveLength(2);
  });

  test.each([
    ['a program', eventOf({}, { site: 'none' }), answer],
    ['another request', eventOf({}, { method: 'DELETE' }), answer],
    ['another path', eventOf({}, { path: '../a' }), answer],
    ['another workflow', eventOf({}, { path: 'b' }), answer],
    ['a refusal', eventOf({}), { statusCode: 422, body: '{}' }],
  ])('is not written for %s', async (_name, event, result) => {
    const { save } = await openSaver();
    expect(save(event, result)).toBe(result);
    expect(read()).toBe(TEXT);
  });

  const CREATED = { statusCode: 201, body: '{"version":1}' };

  test('gets a file if it is new, in which it is edited from then on', async () => {
    const { save, changed, said, ids, lines } = await openSaver();
    const fresh = { ...definition, id: 'b' };
    const file = join(folder, 'b.json');
    expect(save(eventOf(fresh, { path: 'b' }), CREATED)).toEqual({
      statusCode: 201,
      body: '{"version":1,"file":"workflows/b.json"}',
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ $schema, ...fresh });
    expect(save(eventOf({ ...fresh, name: 'B' }, { path: 'b' }))).toMatchObject({
      body: expect.stringContaining('b.json'),
    });
    expect(readFileSync(file, 'utf8')).toContain('"B"');
    changed('b.json');
    await said(/b is now at version 1/);
    rmSync(file);
    changed('b.json');
    await said(/b was removed/);
    expect([await ids(), lines.length]).toEqual([['a'], 2]);
  });

  test('does not replace a file that has the name of a new one', async () => {
    const { save, lines } = await openSaver();
    writeFileSync(join(folder, 'b.json'), 'a draft');
    expect(save(eventOf({ ...definition, id: 'b' }, { path: 'b' }), CREATED)).toBe(CREATED);
    expect(readFileSync(join(folder, 'b.json'), 'utf8')).toBe('a draft');
    expect(lines).toEqual([expect.stringMatching(/b\.json was not written/)]);
  });

  test('does not replace what was edited meanwhile', async () => {
    const { save, lines } = await openSaver();
    const edited = TEXT.replace('"A"', '"Edited"');
    writeFileSync(join(folder, 'a.json'), edited);
    expect(save(eventOf({ ...definition, name: 'B' }))).toBe(answer);
    expect([read(), lines]).toEqual([edited, [expect.stringMatching(/was edited meanwhile/)]]);
  });
});
