import type { JsonValue } from '@hookloom/plugin-kit';

const MAX_WIDTH = 110;

/** JSON for people: a list or an object is on one line where it fits. */
export const printJson = (value: JsonValue, indent = ''): string => {
  const inner = `${indent}  `;
  const line = printLine(value);
  if (indent.length + line.length <= MAX_WIDTH || typeof value !== 'object' || value === null) return line;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item: JsonValue) => `${inner}${printJson(item, inner)}`)
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${printJson(item, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

const printLine = (value: JsonValue): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printLine(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};
