import { buffer } from 'node:stream/consumers';
import { type FileValue, isFileValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { filesIn } from '../../support/in-memory-files.ts';

const never = new AbortController().signal;
const about = { name: 'hello.txt', mediaType: 'text/plain' };
const HASH_OF_HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const content = async function* (...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
};

const anExecution = (parts: Parameters<typeof filesIn>[1] = {}, retryOf: string | null = null) => {
  const blobs = inMemoryBlobs();
  const filesFor = filesIn(blobs, parts);
  const open = filesFor({
    executionId: 'e-1',
    retryOf: retryOf === null ? null : { executionId: retryOf, fromNodeId: null },
  });
  return { blobs, open, filesFor, files: open('node/0', never) };
};

const textOf = async (chunks: Promise<AsyncIterable<Uint8Array>>) => (await buffer(await chunks)).toString();

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a file that is saved', () => {
  test('is a value with its size and hash, and its bytes are stored under its execution', async () => {
    const { files, blobs } = anExecution();
    const file = await files.save(content('hel', '', 'lo'), about);
    expect(file).toEqual({ $file: 'e-1/node/0.1', ...about, size: 5, sha256: HASH_OF_HELLO });
    expect(isFileValue(file)).toBe(true);
    expect(blobs.keys()).toEqual(['executions/e-1/files/node/0.1']);
    expect(await textOf(files.open(file))).toBe('hello');
  });

  test('may be empty', async () => {
    const { files } = anExecution();
    const file = await files.save(content(), about);
    expect(file.size).toBe(0);
    expect(await textOf(files.open(file))).toBe('');
  });

  test('has the same id in every attempt, and another one in another run of its node', async () => {
    const { open } = anExecution();
    const ids: string[] = [];
    for (const key of ['node/0', 'node/0', 'node/1', 'each/0/3/node/0']) {
      const files = open(key, never);
      for (const text of ['a', 'b']) ids.push((await files.save(content(text), about)).$file);
    }
    expect(ids).toEqual([
      'e-1/node/0.1',
      'e-1/node/0.2',
      'e-1/node/0.1',
      'e-1/node/0.2',
      'e-1/node/1.1',
      'e-1/node/1.2',
      'e-1/each/0/3/node/0.1',
      'e-1/each/0/3/node/0.2',
    ]);
  });

  test('is numbered in the order of the calls, whichever ends first', async () => {
    const { files } = anExecution();
    let finishFirst = () => {};
    const slow = async function* () {
      await new Promise<void>((resolve) => {
        finishFirst = resolve;
      });
      yield Buffer.from('slow');
    };
    const first = files.save(slow(), about);
    const second = await files.save(content('fast'), about);
    finishFirst();
    expect([(await first).$file, second.$file]).toEqual(['e-1/node/0.1', 'e-1/node/0.2']);
  });

  test.each([
    ['/etc/passwd', 'passwd'],
    ['C:\\temp\\a.png', 'a.png'],
    ['../..', 'file'],
    ['', 'file'],
    ['a\r\nb\u202e.txt', 'ab.txt'],
    ['x'.repeat(1_000), 'x'.repeat(255)],
    ['Grüße 😀.pdf', 'Grüße 😀.pdf'],
  ])('with the name %j is named %j', async (name, expected) => {
    const file = await anExecution().files.save(content(), { ...about, name });
    expect(file.name).toBe(expected);
  });

  test.each([
    ['image/png', 'image/png'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['', 'application/octet-stream'],
    ['text', 'application/octet-stream'],
    ['text/plain\r\nx: y', 'application/octet-stream'],
    [`text/${'x'.repeat(300)}`, 'application/octet-stream'],
  ])('of the media type %j gets %j', async (mediaType, expected) => {
    const file = await anExecution().files.save(content(), { ...about, mediaType });
    expect(file.mediaType).toBe(expected);
  });
});

describe('a file that cannot be saved', () => {
  test('is larger than allowed, by one byte', async () => {
    const { files, blobs } = anExecution({ limits: { maxFileBytes: 5, maxFiles: 9 } });
    await files.save(content('hel', 'lo'), about);
    expect(await outcomeOf(files.save(content('hel', 'lo', '!'), about))).toMatchObject({
      code: 'FILE_TOO_LARGE',
      message: 'The file "hello.txt" is larger than 5 bytes.',
    });
    expect(blobs.keys()).toHaveLength(1);
  });

  test('is one too many; a repeated one is not', async () => {
    const { open, blobs } = anExecution({ limits: { maxFileBytes: 5, maxFiles: 2 } });
    for (let attempt = 1; attempt <= 3; attempt++) await open('a/0', never).save(content('a'), about);
    const files = open('b/0', never);
    await files.save(content('b'), about);
    expect(await outcomeOf(files.save(content('c'), about))).toMatchObject({
      code: 'TOO_MANY_FILES',
      parameters: { limit: 2 },
    });
    expect(blobs.keys()).toHaveLength(2);
  });

  test('has a source that breaks: the source’s error is thrown', async () => {
    const { files, blobs } = anExecution();
    const broken = new Error('the source broke');
    const breaking = async function* () {
      yield Buffer.from('hel');
      throw broken;
    };
    expect(await outcomeOf(files.save(breaking(), about))).toBe(broken);
    expect(blobs.keys()).toEqual([]);
  });

  test('is not bytes', async () => {
    const texts = async function* () {
      yield 'hello';
    };
    const saving = anExecution().files.save(texts() as unknown as AsyncIterable<Uint8Array>, about);
    await expect(saving).rejects.toThrow('the content of "hello.txt" must be bytes');
  });

  test('belongs to an abandoned attempt, even at its last byte', async () => {
    const { open, blobs } = anExecution();
    const attempt = new AbortController();
    const reason = new Error('the node took longer than 30 s');
    const late = async function* () {
      yield Buffer.from('hello');
      attempt.abort(reason);
    };
    expect(await outcomeOf(open('node/0', attempt.signal).save(late(), about))).toBe(reason);
    expect(blobs.keys()).toEqual([]);
  });
});

describe('a file that cannot be opened', () => {
  const spoil = (change: Readonly<Record<string, unknown>>) => async () => {
    const { files } = anExecution();
    const file = await files.save(content('hello'), about);
    return outcomeOf(textOf(files.open({ ...file, ...change } as FileValue)));
  };

  test.each<[string, unknown]>([
    ['$file', undefined],
    ['$file', ''],
    ['$file', 'e-1'],
    ['$file', 'e-1/node/0'],
    ['$file', 'e-1/../e-2/files/node/0.1'],
    ['$file', 'e-1//node/0.1'],
    ['$file', `e-1/${'a/'.repeat(1_000)}0.1`],
    ['$file', 'executions/e-1/input'],
    ['size', -1],
    ['size', 1.5],
    ['size', '5'],
    ['sha256', 'abc'],
    ['name', null],
    ['mediaType', 7],
  ])('has %s %j', async (name, value) => {
    expect(await spoil({ [name]: value })()).toMatchObject({ code: 'FILE_INVALID' });
  });

  test.each([null, 'e-1/node/0.1', 7, [], new Date()])('is %j', async (value) => {
    const opening = anExecution().files.open(value as unknown as FileValue);
    await expect(opening).rejects.toMatchObject({ code: 'FILE_INVALID' });
  });

  test('was never saved, or has expired', async () => {
    expect(await spoil({ $file: 'e-1/node/0.2' })()).toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: 'The file "hello.txt" was never saved, or has expired.',
    });
  });

  test('belongs to another execution', async () => {
    const { files, filesFor } = anExecution();
    const file = await files.save(content('hello'), about);
    const others = filesFor({ executionId: 'e-2', retryOf: null })('node/0', never);
    expect(await outcomeOf(others.open(file))).toMatchObject({
      code: 'FILE_INVALID',
      message: 'This is not a file of the execution: it belongs to another execution.',
    });
  });

  test.each([
    ['its size', { size: 4 }],
    ['its size', { size: 6 }],
    ['its hash', { sha256: HASH_OF_HELLO.replace('2', '3') }],
  ])('lacks %s', async (_what, change) => {
    expect(await spoil(change)()).toMatchObject({ code: 'FILE_CHANGED' });
  });

  test('was replaced: no reader gets the whole content', async () => {
    const { files, blobs } = anExecution();
    const file = await files.save(content('hello'), about);
    await blobs.putStream('executions/e-1/files/node/0.1', content('jel', 'lo'));
    let read = '';
    const reading = (async () => {
      for await (const chunk of await files.open(file)) read += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(read.length).toBeLessThan(5);
  });

  test('is opened by an abandoned attempt', async () => {
    const { files, open } = anExecution();
    const file = await files.save(content('hello'), about);
    const attempt = new AbortController();
    const chunks = await open('later/0', attempt.signal).open(file);
    attempt.abort(new Error('the node took longer than 30 s'));
    await expect(buffer(chunks)).rejects.toThrow('the node took longer');
  });
});

test('a trial opens files of executions whose ids end as it asks, and of no others', async () => {
  const { filesFor } = anExecution();
  const save = (executionId: string) =>
    filesFor({ executionId, retryOf: null })('node/0', never).save(content('hello'), about);
  const trial = filesFor({ executionId: 'e-9-abc', retryOf: null, trialSuffix: '-abc' })('node/0', never);
  expect(await textOf(trial.open(await save('e-8-abc')))).toBe('hello');
  for (const other of ['e-1', 'e-8-abd', 'e-8-abc-d'])
    expect(await outcomeOf(textOf(trial.open(await save(other))))).toMatchObject({ code: 'FILE_INVALID' });
});

describe('a retry', () => {
  const records: Record<string, Pick<ExecutionRecord, 'retryOf'>> = {
    'e-2': { retryOf: { executionId: 'e-1', fromNodeId: null } },
    'e-1': { retryOf: null },
    'loop-a': { retryOf: { executionId: 'loop-b', fromNodeId: null } },
    'loop-b': { retryOf: { executionId: 'loop-a', fromNodeId: null } },
  };
  const find = async (id: string) => (records[id] ?? null) as ExecutionRecord | null;

  const openFrom = async (retryOf: string) => {
    const { files, filesFor } = anExecution({ executions: { find } });
    const file = await files.save(content('hello'), about);
    const retry = filesFor({ executionId: 'e-9', retryOf: { executionId: retryOf, fromNodeId: 'b' } });
    return outcomeOf(textOf(retry('node/0', never).open(file)));
  };

  test.each(['e-1', 'e-2'])('reads the files of the execution that it retries, from %s', async (retryOf) => {
    expect(await openFrom(retryOf)).toBe('hello');
  });

  test.each(['expired', 'loop-a'])('reads no files of other executions, from %s', async (retryOf) => {
    expect(await openFrom(retryOf)).toMatchObject({ code: 'FILE_INVALID' });
  });
});
