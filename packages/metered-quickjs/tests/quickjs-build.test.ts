import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { STEPS_LEFT } from '../src/metering/meter-wasm.ts';
import { readSections, readUnsigned } from '../src/metering/wasm-format.ts';
import { skipInstruction } from '../src/metering/wasm-instructions.ts';
import { unpackQuickJs } from '../src/prepared-quickjs.ts';
import packed from '../src/quickjs.prebuilt.ts';
import { EXPORTS, IMPORTS } from '../src/quickjs-build.ts';
import { createInstance } from '../src/quickjs-instance.ts';

const GLOBALS = 6;

const { resolve } = createRequire(import.meta.url);
const read = (name: string) => readFileSync(resolve(`@jitl/quickjs-wasmfile-release-sync/${name}`));

describe('the build of QuickJS', () => {
  const wasm = read('wasm');
  const loader = read('emscripten-module').toString();
  const compiled = new WebAssembly.Module(unpackQuickJs(packed).wasm);

  test('exports functions under the names in its loader', () => {
    const assigned = [...loader.matchAll(/\._(?:QTS_)?(\w+)=b\.([\w$]+)/g)].map(([, name, short]) => [
      name,
      short,
    ]);
    const [, initialize] = /\bZ\.(\w+)\(\)/.exec(loader) ?? [];
    expect({ ...Object.fromEntries(assigned), initialize }).toMatchObject(EXPORTS);
  });

  test('has exactly the named imports and exports', () => {
    const namesOf = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    expect(namesOf(WebAssembly.Module.imports(compiled))).toEqual(
      expect.arrayContaining(Object.values(IMPORTS)),
    );
    expect(namesOf(WebAssembly.Module.exports(compiled))).toEqual(
      expect.arrayContaining(Object.values(EXPORTS)),
    );
  });

  test('has no state besides its memory and two globals', () => {
    const globals = readSections(wasm).find(({ id }) => id === GLOBALS)?.body ?? new Uint8Array(1);
    expect(readUnsigned({ bytes: globals, at: 0 })).toBe(1); // the end of the stack
    const states = WebAssembly.Module.exports(compiled).filter(({ kind }) => kind !== 'function');
    expect(states).toEqual([{ name: STEPS_LEFT, kind: 'global' }]);
  });
});

test.each([
  ['table.set', [0x26, 0]],
  ['memory.grow', [0x40, 0]],
  ['memory.init', [0xfc, 8, 0, 0]],
  ['data.drop', [0xfc, 9, 0]],
  ['table.init', [0xfc, 12, 0, 0]],
  ['elem.drop', [0xfc, 13, 0]],
  ['table.copy', [0xfc, 14, 0, 0]],
  ['table.grow', [0xfc, 15, 0]],
  ['table.fill', [0xfc, 17, 0]],
  ['an atomic operation', [0xfe, 0, 2, 0]],
  ['SIMD', [0xfd, 0, 0, 0]],
])('%s is refused', (_name, bytes) => {
  expect(() => skipInstruction(Uint8Array.from(bytes), 0)).toThrow(/^unknown instruction 0x/);
});

test('an unavailable import ends the instance', () => {
  // Imports the function `q`, and exports a function that calls it by the name of `initialize`.
  const wasm = Buffer.from(
    '0061736d0100000001040160000002070101610171000003020100070501017500010a0601040010000b',
    'hex',
  );
  const { functions } = createInstance(new WebAssembly.Module(wasm), 24);
  expect(() => functions.initialize()).toThrow(new WebAssembly.RuntimeError('its import q is not available'));
});
