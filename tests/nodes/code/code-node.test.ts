import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { code } from '../../../nodes/code/code.plugin.ts';
import { aDelivery, aNodeContext, runNode } from '../../support/a-node-context.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { cases } from '../../support/deep.ts';
import { runCommand } from '../../support/run-command.ts';

const run = (text: string, parameters: JsonObject = {}, context = aNodeContext()) =>
  runNode(code, 'code', { code: text, ...parameters }, { price: 2, items: [1, 2, 3] }, context);

const check = async (text: string) => code.checkParameters?.({ code: text });

describe('code', () => {
  test('reads its input, as a copy', async () => {
    const input = Object.freeze({ list: Object.freeze([1]) });
    const text = '$input.list.push(2); return $input';
    expect(await runNode(code, 'code', { code: text }, input)).toEqual({ list: [1, 2] });
    expect(input).toEqual({ list: [1] });
  });

  test('reads the input of each connection, its values and its execution, under the names of expressions', async () => {
    const context = aNodeContext({ inputs: [aDelivery('first', { a: 1 })] });
    const text =
      'return { inputs: $inputs, values: $values, id: $execution.id, start: $execution.trigger.nodeId }';
    expect(await run(text, { values: { order: { id: 7 } } }, context)).toEqual({
      inputs: [{ sourceNodeId: 'first', sourceOutput: 'main', targetInput: 'main', data: { a: 1 } }],
      values: { order: { id: 7 } },
      id: 'execution-1',
      start: 'start',
    });
  });

  test("parses integers that a number can't hold as strings, and other JSON as ever", async () => {
    const text = `
      const read = (json, reviver) => { try { return JSON.parse(json, reviver) } catch (error) { return error.name } };
      return { all: [
        read('{"8202522731445525542":[-8202522731445525542, "\\\\\\"8202522731445525542", 0.5]}'),
        read('[8202522731445525542,2]', (key, value) => (value === 2 ? 3 : value)),
        read('{8202522731445525542:1}'),
        read('7'),
      ] };`;
    expect(await run(text)).toEqual({
      all: [
        { '8202522731445525542': ['-8202522731445525542', '"8202522731445525542', 0.5] },
        ['8202522731445525542', 3],
        'SyntaxError',
        7,
      ],
    });
  });

  test('awaits what it calls', async () => {
    const text = `
      const double = async (value) => value * 2;
      const all = await Promise.all($input.items.map(double));
      return { sum: all.reduce((sum, value) => sum + value, 0) };`;
    expect(await run(text)).toEqual({ sum: 12 });
  });

  test('sees dates as texts, as in JSON', async () => {
    expect(await run('return { at: new Date(0) }')).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });
});

describe('a run depends only on its parameters, its input and the execution', () => {
  const everything = `
    const random = Array.from({ length: 20 }, Math.random);
    return { random, now: Date.now(), date: String(new Date()), local: new Date(2020, 5, 1).toISOString() };`;

  test('is deterministic', async () => {
    expect(await run(everything)).toEqual(await run(everything));
  });

  test('has the clock and the random numbers of the node', async () => {
    const base = aNodeContext();
    const contextOf = (id: string) =>
      aNodeContext({
        services: {
          ...base.services,
          clock: { ...base.services.clock, now: () => 5 },
          ids: { next: () => id },
        },
      });
    const text = 'return { now: Date.now(), random: Math.random() }';
    const [one, other] = [await run(text, {}, contextOf('1')), await run(text, {}, contextOf('2'))];
    expect(one).toEqual({ now: 5, random: expect.any(Number) });
    expect(other).not.toEqual(one);
  });

  test('has the time in UTC, wherever the process is', async () => {
    const script = `
      import { runCode } from '@hookloom/metered-quickjs';
      const code = 'return { zone: new Date().getTimezoneOffset(), june: new Date(2020, 5, 1).toISOString() }';
      const limits = { memoryMb: 24, maxSteps: 1e6, now: 0, seed: 0, print: () => {} };
      console.log(new Date(2020, 5, 1).toISOString(), JSON.stringify(await runCode({}, { code, ...limits })));`;
    const args = ['--input-type=module', '-e', script];
    const { stdout, stderr } = await runCommand('node', args, { env: { TZ: 'America/New_York' } });
    expect({ stdout, stderr }).toEqual({
      stdout: '2020-06-01T04:00:00.000Z {"zone":0,"june":"2020-06-01T00:00:00.000Z"}\n',
      stderr: '',
    });
  });

  test('takes the same number of steps each time', async () => {
    const text = `const a = []; for (let i = 0; i < 100; i++) a.push({ i, s: 'x' + i });
      a.sort((p, q) => q.i - p.i); /(\\d+)-/.test(JSON.stringify(a)); return {}`;
    const succeeds = async (maxSteps: number) =>
      run(text, { maxSteps }).then(
        () => true,
        () => false,
      );
    let [low, high] = [1_000, 200_000];
    expect(await succeeds(high)).toBe(true);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await succeeds(middle)) high = middle;
      else low = middle;
    }
    for (let time = 0; time < cases(3, 20); time++) {
      expect([await succeeds(low), await succeeds(high)]).toEqual([false, true]);
    }
  });
});

describe('languages and time zones, which the interpreter does not know', () => {
  test.each([
    "new Date().toLocaleString('de-DE', { timeZone: 'Europe/Berlin' })",
    "new Date().toLocaleString(undefined, { timeZone: 'Europe/Berlin' })",
    "new Date().toLocaleDateString('de')",
    "new Date().toLocaleTimeString('de')",
    "(1234.5).toLocaleString('de')",
    "5n.toLocaleString('de')",
    "[1234.5].toLocaleString('de')",
    "new Float64Array(1).toLocaleString('de')",
    "'I'.toLocaleLowerCase('tr')",
    "'i'.toLocaleUpperCase('tr')",
    "'a'.localeCompare('b', 'de')",
    "'a'.localeCompare('b', undefined, { numeric: true })",
    "['ä', 'z'].sort((a, b) => a.localeCompare(b, 'sv'))",
  ])('%s fails', async (text) => {
    await expect(run(`return { text: ${text} };`)).rejects.toMatchObject({
      name: 'CodeError',
      message: expect.stringMatching(
        /^TypeError: \w+ takes no languages and options here: format dates with a dateTime node.* \(line 1, column \d+\)$/,
      ),
    });
  });

  test('the methods work without them', async () => {
    const text = `const d = new Date(0);
      return { date: d.toLocaleDateString(), low: 'Ä'.toLocaleLowerCase(), order: 'a'.localeCompare('b'),
        number: (5).toLocaleString(), list: [1, 2].toLocaleString(undefined),
        own: Object.keys(Date.prototype), length: ''.localeCompare.length };`;
    expect(await run(text)).toEqual({
      date: '01/01/1970',
      low: 'ä',
      order: -1,
      number: '5',
      list: '1,2',
      own: [],
      length: 1,
    });
  });
});

describe('a failure says what and where', () => {
  test.each([
    ['return $input.a.b', "CodeError: TypeError: cannot read property 'b' of undefined (line 1, column 16)"],
    ['\n\n  throw new RangeError("too low")', 'CodeError: RangeError: too low (line 3, column 23)'],
    ['await null;\nnull.x', "CodeError: TypeError: cannot read property 'x' of null (line 2, column 5)"],
    ['return [1, 2]', 'CodeError: it returns a list: return an object, { items: … }'],
    [
      'for (;;);',
      'CodeLimitError: the code takes more than 50000000 steps: check for endless loops, or raise maxSteps',
    ],
    [
      'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)',
      'CodeLimitError: the code needs more than 24 MB of memory: raise memoryMb, or keep less data',
    ],
  ])('%s', async (text, message) => {
    const failure = await run(text, { maxSteps: 50_000_000, memoryMb: 24 }).then(null, String);
    expect(failure).toBe(message);
  });

  test('for an input that is too large for its memory', async () => {
    const failure = runNode(code, 'code', { code: 'return {}' }, { text: 'x'.repeat(9_000_000) });
    await expect(failure).rejects.toThrow(
      /^its input of 90\d+ bytes does not fit into 32 MB: raise memoryMb$/,
    );
  });

  test('unless more memory and more steps are configured', async () => {
    const text =
      'const a = new Array(2e6).fill(1); for (let i = 0; i < 1e6; i++); return { length: a.length }';
    await expect(run(text)).rejects.toThrow(/memory/);
    expect(await run(text, { memoryMb: 128 })).toEqual({ length: 2_000_000 });
  });
});

describe('syntax is checked when a workflow is stored', () => {
  test.each([
    ['const a = 1;\nreturn { a', "SyntaxError: unexpected token in expression: ')' (at its end)"],
    ['a(', 'SyntaxError: '],
    [`eval${'('.repeat(50_000)}`, 'the code is nested too deeply'],
    ['return "a', 'SyntaxError: unexpected end of string (line 1, column 8)'],
    ['a b', "SyntaxError: expecting ';' (line 1, column 3)"],
  ])('%j is refused with its place', async (text, message) => {
    expect(await check(text)).toEqual([{ path: '/code', message: expect.stringContaining(message) }]);
  });

  test('valid code is not run', async () => {
    expect(await check('for (;;);')).toEqual([]);
    expect(await check('const a = { b: { c: `{{}}` } }; await a; return a; // {{ $input }}')).toEqual([]);
  });
});

describe('what code prints', () => {
  test('is logged, line by line', async () => {
    const { logger, entries } = aRecordingLogger();
    await run(
      'console.log("a", 1, { b: [2] }, undefined, () => 3); console.error(new Error("x").message); return {}',
      {},
      aNodeContext({ logger }),
    );
    expect(entries).toMatchObject([
      { message: 'printed by code', fields: { line: 'a 1 {"b":[2]} undefined () => 3' } },
      { message: 'printed by code', fields: { line: 'x' } },
    ]);
  });

  test('is bounded in lines and in length', async () => {
    const { logger, entries } = aRecordingLogger();
    await run(
      'for (let i = 0; i < 500; i++) console.log("x".repeat(5000)); return {}',
      {},
      aNodeContext({ logger }),
    );
    expect(entries).toHaveLength(101);
    expect(JSON.stringify(entries).length).toBeLessThan(150_000);
    expect(entries.at(-1)).toMatchObject({
      message: 'code printed more than 100 lines; the rest is left out',
    });
  });
});

describe('code that says what it returns', () => {
  const output = {
    type: 'object',
    required: ['total'],
    properties: { total: { type: 'number' }, items: { type: 'array', items: { type: 'string' } } },
  };

  test('returns it', async () => {
    expect(await run('return { total: 1, more: true }', { output })).toEqual({ total: 1, more: true });
  });

  test('fails with what is different, since nodes behind it stand on it', async () => {
    await expect(run('return { total: "1", items: [1, 2, 3, 4] }', { output })).rejects.toMatchObject({
      name: 'CodeError',
      message: expect.stringMatching(
        /^the code did not return what "output" says: \/total: .+; \/items\/0: .+; and \d+ more$/,
      ),
      isRetryable: false,
    });
    await expect(run('return {}', { output })).rejects.toThrow('total');
  });
});
