import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { useProcessPools } from '../support/a-process-pool.ts';
import { cases } from '../support/deep.ts';
import { untilThere } from '../support/until-there.ts';

const aPool = useProcessPools();

/** For the code of a handler: the same as `untilThere`. */
const WAIT_FOR_FILE = `
  const { existsSync, watch, writeFileSync } = await import('node:fs');
  const { dirname } = await import('node:path');
  const until = (file) => new Promise((resolve) => {
    const check = () => { if (existsSync(file)) { watcher.close(); resolve(); } };
    const watcher = watch(dirname(file), check);
    check();
  });`;

describe('an invocation', () => {
  test('gets the event, a context and the environment, and returns the handler’s result', async () => {
    const { invoke } = aPool({
      body: `return {
        event, id: context.awsRequestId, name: context.functionName,
        isTimeLeft: context.getRemainingTimeInMillis() <= 5_000, variable: process.env.OF_THE_TEST };`,
      environment: { OF_THE_TEST: 'yes' },
      timeoutMs: 5_000,
    });
    expect(await invoke({ a: ['é', null] }, { requestId: 'r-9' })).toEqual({
      event: { a: ['é', null] },
      id: 'r-9',
      name: 'test',
      isTimeLeft: true,
      variable: 'yes',
    });
  });

  test('may return nothing or megabytes; more than Lambda allows is a failure', async () => {
    const { invoke } = aPool({ body: 'return event.size && "x".repeat(event.size);' });
    expect(await invoke({})).toBeNull();
    expect(await invoke({ size: 6_000_000 })).toHaveLength(6_000_000);
    await expect(invoke({ size: 6_291_556 })).rejects.toThrow(/6291556 bytes/);
  });

  test('fails as the handler fails, and the process stays', async () => {
    const { invoke } = aPool({
      body: 'if (event.fail) throw new TypeError("no"); return process.pid;',
      maxProcesses: 1,
    });
    const pid = await invoke();
    await expect(invoke({ fail: true })).rejects.toThrow('TypeError: no');
    expect(await invoke()).toBe(pid);
  });

  test('has a log whose last 4 KB the caller can get, without lines from earlier invocations', async () => {
    const { invoke } = aPool({
      body: 'console.log(event.text); if (event.fail) throw new TypeError("no");',
      maxProcesses: 1,
    });
    const logs: string[] = [];
    const onLog = (tail: string): void => void logs.push(tail);
    await invoke({ text: `first${'x'.repeat(5_000)}` }, { onLog });
    await expect(invoke({ text: 'second', fail: true }, { onLog })).rejects.toThrow('no');
    expect(logs).toEqual([`${'x'.repeat(4_095)}\n`, expect.stringMatching(/^second\nTypeError: no\n/)]);
  });

  test('of code that can’t be loaded fails with the reason, each time', async () => {
    const { invoke, replace } = aPool({ body: '', head: 'throw new Error("broken at import");' });
    await expect(invoke()).rejects.toThrow('broken at import');
    await expect(invoke()).rejects.toThrow('broken at import');
    replace('return 1;');
    expect(await invoke()).toBe(1);
  });

  test('of an unknown function fails', async () => {
    const { invoke } = aPool({ body: '' });
    await expect(invoke({}, { functionKey: 'other' })).rejects.toThrow('there is no function other');
  });

  test('that takes too long is ended with its process', async () => {
    const { invoke } = aPool({ body: 'if (event.hang) for (;;); return 1;', timeoutMs: 1_500 });
    await expect(invoke({ hang: true })).rejects.toThrow('it timed out after 1.5 seconds');
    expect(await invoke()).toBe(1);
  });
});

describe('processes', () => {
  test('are bounded, kept, and handle one invocation at a time; 500 at once all end well', async () => {
    const { invoke } = aPool({
      head: 'let isPending = false;',
      body: `if (isPending) throw new Error('two at once');
        isPending = true;
        await new Promise((resolve) => setImmediate(resolve));
        isPending = false;
        return [event, process.pid];`,
      maxProcesses: 3,
    });
    const results = (await Promise.all(Array.from({ length: 500 }, (_, at) => invoke(at)))) as [
      number,
      number,
    ][];
    expect(results.map(([at]) => at)).toEqual(Array.from({ length: 500 }, (_, at) => at));
    expect(new Set(results.map(([, pid]) => pid)).size).toBeLessThanOrEqual(3);
  });

  test('that are killed fail their own invocation and no other', async () => {
    const { invoke } = aPool({ body: 'if (event.kill) process.kill(process.pid, "SIGKILL"); return event;' });
    const events = Array.from({ length: cases(8, 40) }, (_, at) => ({ at, kill: at % 4 === 0 }));
    const results = await Promise.allSettled(events.map((event) => invoke(event)));
    for (const [at, result] of results.entries()) {
      if (at % 4 !== 0) expect(result).toEqual({ status: 'fulfilled', value: events[at] });
      else expect(String((result as PromiseRejectedResult).reason)).toMatch('killed by SIGKILL');
    }
  });

  test('that exit in the middle of an invocation fail it with their exit code', async () => {
    const { invoke } = aPool({ body: 'if (event.exit) process.exit(3); return 1;' });
    await expect(invoke({ exit: true })).rejects.toThrow('exit code 3');
    expect(await invoke()).toBe(1);
  });

  test.each([
    ['exit', 'setImmediate(() => process.exit(1));'],
    ['leave a rejection to nobody', 'void Promise.reject(new Error("late"));'],
    ['throw when nobody listens any more', 'setImmediate(() => { throw new Error("late"); });'],
  ])('that %s right after their response fail nothing', async (_, late) => {
    const { invoke } = aPool({ body: `${late} return event;` });
    for (let at = 0; at < cases(2, 6); at++) expect(await invoke(at)).toBe(at);
  });

  test('may end as soon as their response is read: it arrives', async () => {
    const { invoke } = aPool({
      body: 'return { toJSON: () => { queueMicrotask(() => process.exit(0)); return event; } };',
    });
    for (let at = 0; at < cases(2, 6); at++) expect(await invoke(at)).toBe(at);
  });

  test('may end right after a large response: all of it arrives', async () => {
    const { invoke } = aPool({
      body: 'setImmediate(() => process.exit(0)); return "x".repeat(5_000_000);',
    });
    for (let at = 0; at < cases(2, 4); at++) expect(await invoke()).toHaveLength(5_000_000);
  });

  test('that ended unnoticed while idle cost the next invocation nothing', async () => {
    const { invoke } = aPool({ body: 'return process.pid;', maxProcesses: 1 });
    const pid = Number(await invoke());
    process.kill(pid, 'SIGKILL'); // in the same turn, the pool can't know
    expect(await invoke()).not.toBe(pid);
  });
});

describe('a new version of the code', () => {
  test('gets new and waiting invocations; running ones end on the old version', async () => {
    const { invoke, replace, folder } = aPool({
      body: `${WAIT_FOR_FILE}
        writeFileSync(event.file + '.begun', '');
        await until(event.file + '.go');
        return 'old';`,
      maxProcesses: 1,
    });
    const file = join(folder, 'first');
    const running = invoke({ file });
    await untilThere(`${file}.begun`);
    const waiting = invoke({ file });
    replace('return "new";');
    const later = invoke({ file });
    writeFileSync(`${file}.go`, '');
    expect(await Promise.all([running, waiting, later])).toEqual(['old', 'new', 'new']);
  });

  test('ends the idle processes of the previous one', async () => {
    const { invoke, replace, folder } = aPool({
      head: `import { writeFileSync } from 'node:fs';`,
      body: `process.once('SIGTERM', () => { writeFileSync(event.file, ''); process.exit(); });`,
    });
    const file = join(folder, 'ended');
    await invoke({ file });
    replace('return "new";');
    await untilThere(file);
    expect(await invoke()).toBe('new');
  });

  test('can be loaded before the first invocation', async () => {
    const { pool, invoke } = aPool({
      head: 'const loadedAt = process.uptime();',
      body: 'return [process.pid, loadedAt];',
      maxProcesses: 1,
    });
    await pool.prewarm('test');
    await pool.prewarm('test');
    const first = await invoke();
    expect(await invoke()).toEqual(first);
  });

  test('that can’t be loaded fails the first invocation', async () => {
    const { pool, invoke } = aPool({ head: 'throw new Error("broken");', body: '' });
    await pool.prewarm('test');
    await expect(invoke()).rejects.toThrow('broken');
  });
});

describe('the queue', () => {
  test('can be left; what has begun continues', async () => {
    const { invoke, folder } = aPool({
      body: `${WAIT_FOR_FILE} writeFileSync(event.file + '.begun', ''); await until(event.file + '.go'); return 1;`,
      maxProcesses: 1,
    });
    const file = join(folder, 'first');
    const begun = new AbortController();
    const running = invoke({ file }, { signal: begun.signal });
    await untilThere(`${file}.begun`);
    const left = new AbortController();
    const waiting = invoke({ file }, { signal: left.signal });
    begun.abort(new Error('gone'));
    left.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(invoke({}, { signal: left.signal })).rejects.toThrow('gone');
    writeFileSync(`${file}.go`, '');
    expect(await running).toBe(1);
  });
});

describe('at its end', () => {
  test('processes are asked to end, and those that do not are killed; nothing new begins', async () => {
    const { invoke, stop, folder } = aPool({
      head: `import { writeFileSync } from 'node:fs';`,
      body: `
        process.on('SIGTERM', () => {
          writeFileSync(event.file, 'asked');
          if (event.isPolite) process.exit(0);
        });
        return process.pid;`,
      graceMs: 500,
    });
    const files = [join(folder, 'polite'), join(folder, 'deaf')];
    const pids = await Promise.all(files.map((file, at) => invoke({ file, isPolite: at === 0 })));
    await stop();
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['asked', 'asked']);
    expect(pids.map((pid) => isAlive(Number(pid)))).toEqual([false, false]);
    await expect(invoke()).rejects.toThrow('the process pool is stopping');
  });

  test('running and waiting invocations fail', async () => {
    const { invoke, stop, folder } = aPool({
      body: `${WAIT_FOR_FILE} writeFileSync(event.file, ''); await until(event.file + '.never');`,
      maxProcesses: 1,
    });
    const file = join(folder, 'begun');
    const calls = [invoke({ file }), invoke({ file })].map((call) =>
      expect(call).rejects.toThrow(/SIGTERM|stopping/),
    );
    await untilThere(file);
    await stop();
    await Promise.all(calls);
  });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
