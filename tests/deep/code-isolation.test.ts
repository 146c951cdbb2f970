import { runCode } from '@hookloom/metered-quickjs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cases } from '../support/deep.ts';

/** In the input, the code and the results of the runs whose remains are looked for. */
const SECRET = 'a-secret-of-the-run-before';

/** In the input of the run that looks. */
const MARKER = 'the-run-that-looks';

/** All memories that interpreters get, in their order: a run has the last one, which is new or of the run before. */
const memories: WebAssembly.Memory[] = [];
const { Memory } = WebAssembly;

class RecordedMemory extends Memory {
  constructor(pages: { initial: number; maximum: number }) {
    super(pages);
    memories.push(this);
  }
}

beforeAll(() => {
  Object.assign(WebAssembly, { Memory: RecordedMemory });
});
afterAll(() => {
  Object.assign(WebAssembly, { Memory });
});

interface Settings {
  readonly maxSteps?: number;
  readonly print?: (line: string) => void;
}

const run = (code: string, input: string, settings: Settings = {}) =>
  runCode(
    { $input: { text: input } },
    { code, memoryMb: 24, maxSteps: 5_000_000, now: 7, seed: 0.5, print: () => {}, ...settings },
  );

/** Copies the memory of a run while it is in the middle of its code. */
const look = async (): Promise<Buffer> => {
  let copy = Buffer.alloc(0);
  const print = (): void => {
    copy = Buffer.from(memories.at(-1)?.buffer.slice(0) ?? new ArrayBuffer(0));
  };
  await run(`console.log(\`\${$input.text} \${Math.random()}\`)`, MARKER, { print });
  return copy;
};

let clean: Buffer;

beforeAll(async () => {
  clean = await look();
  expect(clean.includes(MARKER)).toBe(true);
  expect(clean.includes(SECRET)).toBe(false);
});

const expectNothingLeft = async (): Promise<void> => {
  // A comparison by Jest would print both.
  expect((await look()).equals(clean)).toBe(true);
};

// holds: code-is-isolated
describe('a run finds its memory as the process’s first run does, byte by byte, after one that', () => {
  test.each([
    ['returns', `return { text: $input.text }`],
    ['throws', `throw new Error($input.text)`],
    ['throws null', `throw null`],
    ['does not compile', `return { '${SECRET}'`],
    ['returns a function', `return () => $input.text`],
    ['returns a result that cannot be converted', `return { get a() { throw new Error($input.text); } }`],
    ['awaits without end', `await new Promise(() => $input.text)`],
    ['leaves promises that never settle', `new Promise(() => {}).then(() => $input.text); return {}`],
    ['rejects promises that nothing awaits', `Promise.reject($input.text); await null; return {}`],
    [
      'suspends generators',
      `globalThis.kept = (function* () { yield $input.text; })(); kept.next();
       globalThis.other = (async function* () { await null; yield $input.text; })(); other.next(); return {}`,
    ],
    [
      'changes what is built in',
      `Object.prototype.left = $input.text; Array.prototype.push = () => $input.text; JSON.parse = null;
       Math.random = () => 4; Promise.prototype.then = null; globalThis.left = $input.text; return {}`,
    ],
    [
      'deletes what is built in',
      `for (const key of Reflect.ownKeys(globalThis)) delete globalThis[key]; return {}`,
    ],
    ['frees the function that prints', `globalThis.console = null; return {}`],
    [
      'makes atoms, symbols and shapes',
      `const o = {}; for (let i = 0; i < 3_000; i++) o[$input.text + i] = Symbol.for($input.text + i); return {}`,
    ],
    [
      'makes cycles, weak references and finalizers',
      `const o = { text: $input.text }; o.o = o; globalThis.kept = new WeakRef(o); const map = new WeakMap([[o, o]]);
       globalThis.registry = new FinalizationRegistry(() => $input.text); registry.register(o, $input.text); return {}`,
    ],
    ['draws random numbers', `for (let i = 0; i < 50; i++) Math.random(); return {}`],
    ['uses patterns', `/(a-)(.*)/g.exec($input.text); return { last: 'x'.replace(/x/, $input.text) }`],
    ['prints', `for (let i = 0; i < 20; i++) console.log($input.text); return {}`],
    ['recurses', `const f = (n) => [n, f(n + 1)]; f(0)`],
    ['takes most of its memory without growing it', `return { length: $input.text.repeat(60_000).length }`],
  ])('%s', async (_name, code) => {
    const before = memories.length;
    await run(code, SECRET).catch(() => {});
    await expectNothingLeft();
    expect(memories).toHaveLength(before); // it is the same memory
  });

  test.each([
    ['takes all steps', `for (;;) $input.text + 1`],
    ['takes all steps in a job', `(async () => { for (;;) await $input.text; })(); await null; for (;;);`],
    [
      'takes all steps in a native function',
      `$input.text.repeat(9e4).split('').indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
    ],
    ['takes all steps while its error is explained', `throw { get message() { for (;;); } }`],
    ['takes all memory', `const a = []; for (;;) a.push($input.text.repeat(1e4) + a.length)`],
    [
      'takes all memory and throws null',
      `const a = []; try { for (;;) a.push(new Array(1e5).fill($input.text)); } catch { throw null; }`,
    ],
    ['grows its memory and succeeds', `return { length: ($input.text.repeat(2e5) + 1).length }`],
  ])('%s', async (_name, code) => {
    const before = memories.length;
    await run(code, SECRET).catch(() => {});
    await expectNothingLeft();
    expect(memories).toHaveLength(before + 1); // its memory is gone
  });

  test('is nested deeper than the process stack', async () => {
    await expect(run(`eval('['.repeat(2e5) + '"${SECRET}"')`, SECRET)).rejects.toThrow(/nested|overflow/);
    await expectNothingLeft();
  });

  test.each([
    ['an error of the process', new Error('the log is full'), 'Error: the log is full'],
    [
      'an error of WebAssembly',
      new WebAssembly.RuntimeError('unreachable'),
      'CodeError: the interpreter failed: unreachable',
    ],
  ])('is ended by %s within a call', async (_name, error, message) => {
    const print = (): never => {
      throw error;
    };
    const before = memories.length;
    const failure = await run('try { console.log($input.text); } catch {}', SECRET, { print }).then(
      null,
      String,
    );
    expect(failure).toBe(message);
    await expectNothingLeft();
    expect(memories).toHaveLength(before + 1);
  });

  test('has too large an input', async () => {
    await expect(run('return {}', SECRET.repeat(3e5))).rejects.toThrow(/does not fit/);
    await expectNothingLeft();
  });

  test('is ended after any number of steps', async () => {
    const code = `const a = []; for (let i = 0; i < 300; i++) a.push({ [$input.text + i]: String(i) }); a.sort();
      console.log(JSON.stringify(a)); await null; return { a }`;
    const last = 400_000;
    const times = cases(25, 1_000);
    for (let time = 0; time <= times; time++) {
      await run(code, SECRET, { maxSteps: 1 + Math.floor((last * time) / times) }).catch(() => {});
      await expectNothingLeft();
    }
    await expect(run(code, SECRET, { maxSteps: last })).resolves.toBeDefined();
  });
});

test('concurrent runs have their own interpreters', async () => {
  const code = `globalThis.own = $input.text; for (let i = 0; i < 9; i++) await null; return { own }`;
  const texts = ['a', 'b', 'c', 'd'];
  expect(await Promise.all(texts.map((text) => run(code, text)))).toEqual(texts.map((own) => ({ own })));
});
