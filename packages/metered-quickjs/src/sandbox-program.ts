/** Maximum lengths of the strings that leave the sandbox besides the output. */
const MAX_LINE = 1_000;
const MAX_STACK = 4_000;

/** What to use instead of languages and time zones, which the interpreter does not know. */
const LOCALE_ADVICE =
  'format dates with a dateTime node, or dates and numbers with $fromMillis and $formatNumber in an expression';

/**
 * The program that runs in an interpreter before the code of a workflow. It keeps references to the built-in functions
 * that it uses, so that the code cannot replace them. Values enter and leave the sandbox as strings.
 */
export const SANDBOX_PROGRAM = `((print) => {
  const { parse, stringify } = JSON;
  const { apply, construct } = Reflect;
  const { replace, slice } = String.prototype;
  const { test } = RegExp.prototype;
  const { isSafeInteger } = Number;
  const AsyncFunction = (async () => {}).constructor;
  const [toText, WrongType] = [String, TypeError];

  const cut = (text, length) => apply(slice, text, [0, length]);
  const describe = (value) => {
    try {
      return typeof value === 'string' ? value : (stringify(value) ?? toText(value));
    } catch {
      return typeof value;
    }
  };
  const read = (object, key) => {
    try {
      return toText(object[key] ?? '');
    } catch {
      return '';
    }
  };

  // Of sixteen digits in a row, one is at a multiple of sixteen.
  const MANY_DIGITS = /[0-9]{16}/;
  const hasManyDigits = (text) => {
    for (let at = 15; at < text.length; at += 16) {
      const code = text.charCodeAt(at);
      if (code < 48 || code > 57) continue;
      if (apply(test, MANY_DIGITS, [apply(slice, text, [at - 15, at + 16])])) return true;
    }
    return false;
  };
  const TOKEN = /"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|-?[0-9][0-9.eE+-]*/g;
  const INTEGER = /^-?[0-9]+$/;
  const quoteBigInteger = (token) =>
    apply(test, INTEGER, [token]) && !isSafeInteger(+token) ? '"' + token + '"' : token;

  const log = (...values) => {
    let line = '';
    for (let at = 0; at < values.length; at++) line += (at === 0 ? '' : ' ') + describe(values[at]);
    print(cut(line, ${MAX_LINE}));
  };
  // Integers that a number can't hold become strings, as in the data that the code is given.
  JSON.parse = (text, reviver) => {
    const json = toText(text);
    if (!hasManyDigits(json)) return parse(json, reviver);
    parse(json); // from here on it is JSON
    return parse(apply(replace, json, [TOKEN, quoteBigInteger]), reviver);
  };
  // The interpreter has no Intl: it would ignore languages, time zones and other options.
  const { defineProperty } = Object;
  const refuse = (prototype, name, at) => {
    const plain = prototype[name];
    const method = {
      [name](...args) {
        if (args[at] === undefined && args[at + 1] === undefined) return apply(plain, this, args);
        throw new WrongType(name + ' takes no languages and options here: ${LOCALE_ADVICE}');
      },
    }[name];
    defineProperty(method, 'length', { value: plain.length });
    defineProperty(prototype, name, { value: method, writable: true, enumerable: false, configurable: true });
  };
  const typedArray = Reflect.getPrototypeOf(Uint8Array.prototype);
  for (const { prototype } of [Date, Number, BigInt, Array, { prototype: typedArray }])
    refuse(prototype, 'toLocaleString', 0);
  for (const name of ['toLocaleDateString', 'toLocaleTimeString']) refuse(Date.prototype, name, 0);
  for (const name of ['toLocaleUpperCase', 'toLocaleLowerCase']) refuse(String.prototype, name, 0);
  refuse(String.prototype, 'localeCompare', 1);

  globalThis.console = { debug: log, error: log, info: log, log, warn: log };

  return {
    compile: (json) => {
      const { names, code } = parse(json);
      // Inside a block, the code cannot close the function early and add statements after it, which compiling would run.
      return construct(AsyncFunction, [...names, '"use strict"; {\\n' + code + '\\n}']);
    },
    run: (compiled, json) => apply(compiled, undefined, parse(json)),
    toJson: (value) => {
      const json = stringify(value ?? {});
      if (json === undefined) throw new WrongType('it returns a ' + typeof value + ', which is not JSON');
      return json;
    },
    // The objects have no prototype, since the code may have added a toJSON to it.
    explain: (thrown) => {
      if (thrown === null) return stringify({ __proto__: null, type: 'null' });
      const type = typeof thrown;
      const isObject = type === 'object';
      const message = isObject ? read(thrown, 'message') : 'it throws ' + describe(thrown);
      return stringify({
        __proto__: null,
        type,
        name: cut(isObject ? read(thrown, 'name') : '', ${MAX_LINE}),
        message: cut(message, ${MAX_LINE}),
        stack: cut(isObject ? read(thrown, 'stack') : '', ${MAX_STACK}),
      });
    },
  };
})`;
