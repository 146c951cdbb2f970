import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { code } from '../../nodes/code/code.plugin.ts';
import { aNodeContext, runNode } from '../support/a-node-context.ts';
import { cases } from '../support/deep.ts';

const maxSteps = cases(5_000_000, 30_000_000);

const run = (text: string, parameters: JsonObject = {}) =>
  runNode(code, 'code', { code: text, maxSteps, ...parameters }, { a: 1 }, aNodeContext());

/** What the process has that code could change or add to, by the names of its properties. */
const describeProcess = () =>
  [
    globalThis,
    Object,
    Array,
    Function,
    Promise,
    String,
    RegExp,
    JSON,
    Math,
    Date,
    Error,
    Map,
    process,
    console,
  ]
    .flatMap((one) => [one, (one as { readonly prototype?: object }).prototype ?? {}])
    .map((one) => Reflect.ownKeys(one).map(String).join());

const before = describeProcess();

afterEach(async () => {
  expect(describeProcess()).toEqual(before);
  // Nothing of a run is left for the next one.
  const clean = `return { keys: Object.keys(globalThis), inherited: Object.keys(Object.prototype).concat(Object.keys(Array.prototype)) }`;
  expect(await run(clean)).toEqual({ keys: ['console'], inherited: [] });
});

/** Names of this process, of which a sandbox must have none. */
const HOST_NAMES = [
  'process',
  'require',
  'module',
  'exports',
  'global',
  'Buffer',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'navigator',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'structuredClone',
  'performance',
  'crypto',
  'WebAssembly',
  'std',
  'os',
  'scriptArgs',
  'print',
  'Deno',
  'Bun',
  'Worker',
  'importScripts',
  '__dirname',
  'gc',
  'jest',
  'expect',
  'MessageChannel',
  'AbortController',
  'URL',
  'TextDecoder',
  'localStorage',
  'window',
  'self',
];

/** Code that looks for a way out, and what it finds: a value, or the message of the failed node. */
const harmless: readonly (readonly [name: string, text: string, output: JsonObject])[] = [
  [
    'the names of a process',
    `return { found: ${JSON.stringify(HOST_NAMES)}.filter((name) => typeof globalThis[name] !== 'undefined') }`,
    { found: [] },
  ],
  [
    'what any global name leads to',
    `return { found: Object.getOwnPropertyNames(globalThis).filter((name) => /process|require|fetch|host/i.test(name)) }`,
    { found: [] },
  ],
  [
    'the constructor of a function, by a chain',
    `return { type: typeof ''.constructor.constructor('return this.process')() }`,
    { type: 'undefined' },
  ],
  [
    'the constructor of an argument',
    `return { type: $input.constructor.constructor('return typeof process')() }`,
    { type: 'undefined' },
  ],
  [
    'the constructor of the printing function',
    `return { type: console.log.constructor('return typeof require')() }`,
    { type: 'undefined' },
  ],
  ['Function', `return { type: new Function('return typeof process')() }`, { type: 'undefined' }],
  ['eval', `return { type: eval('typeof process') }`, { type: 'undefined' }],
  ['eval in the global scope', `return { type: (0, eval)('typeof this.process') }`, { type: 'undefined' }],
  [
    'the constructor of generators',
    `return { type: (function* () {}).constructor('return typeof process')().next().value }`,
    { type: 'undefined' },
  ],
  [
    'the constructor of async functions',
    `return { type: await (async () => {}).constructor('return typeof process')() }`,
    { type: 'undefined' },
  ],
  [
    'the constructor of async generators',
    `return { type: (await (async function* () {}).constructor('return typeof process')().next()).value }`,
    { type: 'undefined' },
  ],
  ['this of a function', `return { type: typeof (function () { return this; })() }`, { type: 'undefined' }],
  [
    'the caller of a function',
    `const f = function () { return f.caller; }; try { return { caller: f() }; } catch { return {}; }`,
    {},
  ],
  ['the arguments of the call', `return { count: arguments.length }`, { count: 4 }],
  [
    'the frames of a stack trace',
    `Error.prepareStackTrace = (error, frames) => frames; const { stack } = new Error('x');
     return { frames: [].concat(stack).filter((frame) => /node:|\\.ts|file:/.test(String(frame))) }`,
    { frames: [] },
  ],
  [
    'the stack of an overflow',
    `let stack; const f = () => { try { f(); } catch (error) { stack ??= error.stack; } }; f();
     return { isOurs: /node:|\\.ts|wasm/.test(stack) }`,
    { isOurs: false },
  ],
  [
    'Error.captureStackTrace',
    `const o = {}; Error.captureStackTrace?.(o); return { ours: /\\.ts/.test(o.stack) }`,
    { ours: false },
  ],
  [
    'a callee as a host object',
    `return { proto: console.log.__proto__ === Function.prototype }`,
    { proto: true },
  ],
  [
    'changed prototypes',
    `Object.prototype.polluted = 1; Array.prototype.polluted = 1; Function.prototype.polluted = 1; return { a: $input.a }`,
    { a: 1 },
  ],
  ['a changed __proto__', `$input.__proto__.polluted = 1; return { ok: ({}).polluted }`, { ok: 1 }],
  [
    '__proto__ as a key of the result',
    `return JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}')`,
    JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}'),
  ],
  [
    'constructor.prototype as a key of the result',
    `return { constructor: { prototype: { polluted: 1 } } }`,
    { constructor: { prototype: { polluted: 1 } } },
  ],
  [
    'a deleted built-in function',
    `delete globalThis.Object; delete globalThis.JSON; return { ok: 1 }`,
    { ok: 1 },
  ],
  [
    'a frozen prototype',
    `Object.freeze(Object.prototype); Object.freeze(Array.prototype); return { ok: 1 }`,
    { ok: 1 },
  ],
  ['another JSON.stringify', `JSON.stringify = () => '{"forged":1}'; return { ok: 1 }`, { ok: 1 }],
  ['another JSON', `globalThis.JSON = { stringify: () => 'x', parse: () => 1 }; return { ok: 1 }`, { ok: 1 }],
  [
    'another Promise.prototype.then',
    `Promise.prototype.then = () => 1; await null; return { ok: 1 }`,
    { ok: 1 },
  ],
  ['another Promise', `globalThis.Promise = class {}; await null; return { ok: 1 }`, { ok: 1 }],
  [
    'another Array.prototype[Symbol.iterator]',
    `Array.prototype[Symbol.iterator] = null; return { ok: 1 }`,
    { ok: 1 },
  ],
  [
    'setters that catch what passes by',
    `const seen = []; for (const key of ['names', 'code', 'type', 'stack'])
       Object.defineProperty(Object.prototype, key, { set: (value) => seen.push(value), configurable: true });
     return { seen: seen.length }`,
    { seen: 0 },
  ],
  ['a getter in the result', `return { get a() { return typeof process; } }`, { a: 'undefined' }],
  ['toJSON of the result', `return { toJSON: () => ({ a: 2 }) }`, { a: 2 }],
  [
    'toJSON of every object',
    `Object.prototype.toJSON = () => ({ forged: true }); return { a: 1 }`,
    { forged: true },
  ],
  [
    'a Proxy as the result',
    `return new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 3, enumerable: true, configurable: true }), get: (_, key) => key === 'a' ? 3 : undefined })`,
    { a: 3 },
  ],
  [
    'a Proxy over an argument',
    `return { type: new Proxy($input, { get: (target, key, receiver) => receiver === target ? 'out' : 'in' }).x }`,
    { type: 'in' },
  ],
  [
    'Symbol.species',
    `class Own extends Array { static get [Symbol.species]() { return Function; } }
     try { return { type: typeof new Own(1, 2).map((x) => x) }; } catch { return { type: 'none' }; }`,
    { type: 'function' },
  ],
  ['a thenable as the result', `return { then: (resolve) => resolve({ a: 5 }) }`, { a: 5 }],
  [
    'shared memory',
    `return { length: new Int32Array(new SharedArrayBuffer(8)).length, type: typeof Atomics }`,
    { length: 2, type: 'undefined' },
  ],
  ['WeakRef', `return { a: new WeakRef($input).deref().a }`, { a: 1 }],
  [
    'FinalizationRegistry',
    `let called = 0; const registry = new FinalizationRegistry(() => called++); registry.register({}, 1); await null; return { called }`,
    { called: 0 },
  ],
  [
    'the global symbol registry',
    `return { known: Symbol.keyFor(Symbol.for('nodejs.util.inspect.custom')) }`,
    { known: 'nodejs.util.inspect.custom' },
  ],
  ['custom inspection', `return { [Symbol.for('nodejs.util.inspect.custom')]: () => 1, a: 1 }`, { a: 1 }],
  ['a list with holes', `const a = []; a[5] = 1; return { a }`, { a: [null, null, null, null, null, 1] }],
  ['NaN and infinity', `return { a: [Number.NaN, 1 / 0] }`, { a: [null, null] }],
  ['undefined and functions within the result', `return { a: undefined, b: () => 1, c: Symbol('c') }`, {}],
  ['nothing', 'const a = 1;', {}],
  ['null', 'return null', {}],
  ['a lone surrogate', `return { a: '\\ud800' }`, { a: '\ud800' }],
  ['a NUL in a text', `return { a: 'x\\0y' }`, { a: 'x\0y' }],
  [
    'HTML comments as code',
    `<!-- a comment
     return { ok: 1 }`,
    { ok: 1 },
  ],
  ['code behind the block that it is in', `return { a: 1 }; } {`, { a: 1 }],
  ['a new global', `globalThis.left = 1; return { left }`, { left: 1 }],
  ['another console', `globalThis.console = null; return { ok: 1 }`, { ok: 1 }],
  ['another Math.random', `Math.random = () => 4; return { r: Math.random() }`, { r: 4 }],
  [
    'the time',
    `const start = Date.now(); for (let i = 0; i < 1e5; i++); return { ms: Date.now() - start }`,
    { ms: 0 },
  ],
];

// holds: code-is-isolated
test.each(harmless)('finds nothing by %s', async (_name, text, output) => {
  expect(await run(text)).toEqual(output);
});

const failing: readonly (readonly [name: string, text: string, message: RegExp | string])[] = [
  ['an import', `await import('node:fs')`, /could not load module|import/i],
  ['an import of a URL', `await import('data:text/javascript,export default 1')`, /./],
  ['an import declaration', `import fs from 'node:fs'`, /SyntaxError/],
  ['require', `require('node:fs')`, /'?require'? is not defined/],
  ['process', `process.exit(1)`, /'?process'? is not defined/],
  ['process.binding by a chain', `this.constructor.constructor('return process')().exit()`, /./],
  ['a loop without an end', `for (;;);`, /steps/],
  ['recursion without an end', `const f = () => f(); f()`, /stack overflow/],
  ['recursion by getters', `const o = { get a() { return this.a; } }; o.a`, /stack overflow/],
  ['recursion by toString', `const o = { toString() { return '' + this; } }; '' + o`, /stack overflow/],
  ['microtasks without an end', `const f = () => Promise.resolve().then(f); f()`, /steps/],
  ['an async loop without an end', `for (;;) await null`, /steps/],
  ['a generator without an end', `[...(function* () { for (;;) yield 1; })()]`, /steps|memory/],
  ['a pattern that backtracks', `/(a+)+$/.test('a'.repeat(40) + 'b')`, /steps/],
  [
    'a pattern that backtracks by a replacement',
    `'a'.repeat(5e3).replace(/(a*)*b/g, '')`,
    /steps|memory|stack/,
  ],
  ['a pattern nested deeply', `new RegExp('(?:'.repeat(1e5))`, /stack overflow/],
  ['a native loop over a length', `[].includes.call({ length: 2 ** 53 - 1 }, 1)`, /steps/],
  ['a native loop over holes', `const a = []; a.length = 2 ** 32 - 1; a.indexOf(1)`, /steps/],
  ['a native join of holes', `const a = []; a.length = 2 ** 32 - 1; a.join('')`, /steps/],
  ['numbers that grow', `let a = 3n ** 99999n; for (;;) a * a`, /steps|too large|memory/],
  [
    'copies of a large text',
    `let s = 'x'.repeat(5e6); for (let i = 0; ; i++) s.replace('y', i) + (s + i)`,
    /steps|memory/,
  ],
  ['sorting with a comparison that never ends', `[1, 2].sort(() => { for (;;); })`, /steps/],
  ['a list that grows', `const a = []; for (;;) a.push('x' + a.length)`, /memory|steps/],
  ['a text that doubles', `let s = 'x'; for (;;) s += s`, /memory|too long|steps/],
  ['a text of its own length', `'x'.repeat(2 ** 30 - 1).repeat(10)`, /memory|length/i],
  ['a buffer that is too large', `new ArrayBuffer(2 ** 31)`, /memory|invalid array/i],
  ['lists within lists', `let a = []; for (;;) a = [a, a]`, /memory|steps/],
  [
    'memory that is caught and asked for again',
    `globalThis.a = []; for (;;) try { for (;;) a.push('x' + a.length); } catch {}`,
    /steps|memory/,
  ],
  ['deeply nested JSON', `JSON.parse('['.repeat(1e5))`, /stack overflow|nested|JSON/],
  ['deeply nested code', `eval('('.repeat(1e5))`, /nested|stack overflow/],
  [
    'a deeply nested result',
    `let o = {}; for (let i = 0; i < 1e4; i++) o = { o }; return o`,
    /stack overflow|nested|steps/,
  ],
  ['a circular result', `const o = {}; o.o = o; return o`, /circular/],
  ['a BigInt in the result', `return { a: 1n }`, /BigInt/],
  ['a function as the result', `return () => 1`, /returns a function/],
  ['a symbol as the result', `return Symbol('a')`, /returns a symbol/],
  ['a list as the result', `return [1]`, /returns a list/],
  ['a text as the result', `return 'a'`, /returns a string/],
  ['a getter that throws', `return { get a() { throw new Error('from a getter'); } }`, /from a getter/],
  ['toJSON that throws', `return { toJSON() { throw new Error('from toJSON'); } }`, /from toJSON/],
  [
    'a Proxy that throws',
    `return new Proxy({}, { ownKeys() { throw new Error('from a trap'); } })`,
    /from a trap/,
  ],
  [
    'a revoked Proxy',
    `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy`,
    /revoked|proxy/i,
  ],
  ['a promise that never settles', `await new Promise(() => {})`, /awaits a promise that nothing settles/],
  ['a thenable that never settles', `return { then() {} }`, /awaits a promise that nothing settles/],
  ['a rejected promise', `await Promise.reject(new RangeError('rejected'))`, /RangeError: rejected/],
  ['a thrown text', `throw 'a text'`, /throws a text/],
  ['a thrown number', `throw 42`, /throws 42/],
  ['a thrown undefined', `throw undefined`, /throws undefined/],
  ['a thrown null', `throw null`, /throws null/],
  ['a thrown function', `throw () => 1`, /throws/],
  ['a thrown symbol', `throw Symbol('s')`, /throws/],
  ['a thrown Proxy', `throw new Proxy({}, { get() { throw 1; } })`, /throws object/],
  [
    'a thrown error with getters',
    `throw { get message() { return process; }, get stack() { for (;;); } }`,
    /steps/,
  ],
  [
    'a thrown error of another name',
    `const e = new Error('x'); e.name = { toString() { throw 1; } }; throw e`,
    /x/,
  ],
  ['a thrown message of megabytes', `throw new Error('x'.repeat(2e6))`, /^Error: x{1000} \(line/],
  [
    'Object.prototype with a getter that throws',
    `Object.defineProperty(Object.prototype, 'toJSON', { get() { throw new Error('forged'); } }); return { a: 1 }`,
    /forged/,
  ],
  ['invalid syntax', `return {`, /SyntaxError/],
  ['code behind the function that it is in', `}, globalThis.x = 1, async function () {`, /SyntaxError/],
  ['code behind the call that it is in', `}); (() => {`, /SyntaxError/],
  ['a name that is not declared', `left = 1`, /left/],
  ['with', `with ({ a: 7 }) { return { a }; }`, /SyntaxError/],
  ['the callee of the call', `arguments.callee`, /TypeError/],
];

// holds: code-is-isolated
describe.each(failing)('%s', (_name, text, message) => {
  test('fails the node with a name', async () => {
    await expect(run(text, { memoryMb: 24 })).rejects.toMatchObject({
      name: expect.stringMatching(/^Code(Limit)?Error$/),
      message: expect.stringMatching(message),
    });
  });
});

test('more than sixty ways out are tried', () => {
  expect(harmless.length + failing.length).toBeGreaterThan(60);
});
