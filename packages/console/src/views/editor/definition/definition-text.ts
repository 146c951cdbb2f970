import { isPlainObject } from '@hookloom/plugin-kit';
import { type Node as Place, parseTree } from 'jsonc-parser';
import { parseDefinition } from '../../../parts/parse-json.ts';
import { isSameJson } from './compare-json.ts';
import type { EditedDefinition } from './definition-edits.ts';

/** In characters: the admin API accepts no larger workflow. */
const MAX_TEXT = 4_000_000;

/** In characters, as the formatter of this repository's samples has it. */
const LINE_WIDTH = 110;
const STEP = '  ';

type Json = unknown;
type JsonMap = Readonly<Record<string, Json>>;

/** What a text says: a definition, or why the graph can't show it. */
export type Reading = { readonly definition: EditedDefinition } | { readonly problem: string };

/**
 * Reads a definition with the shape that a graph needs. What else is wrong with it can be shown, too.
 *
 * @param text - of any length and depth; above {@link MAX_TEXT} it is not parsed
 */
export const readDefinition = (text: string): Reading => {
  if (text.length > MAX_TEXT) return { problem: `it is longer than ${MAX_TEXT} characters` };
  let value: Json;
  try {
    value = parseDefinition(text);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  const problem = findShapeProblem(value);
  return problem === null ? { definition: value as EditedDefinition } : { problem };
};

const findShapeProblem = (value: Json): string | null => {
  if (!isPlainObject(value)) return 'a workflow must be a JSON object';
  const { nodes, connections } = value;
  if (!Array.isArray(nodes)) return '"nodes" must be a list';
  const ids = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    if (!isPlainObject(node) || typeof node.id !== 'string' || typeof node.type !== 'string')
      return `/nodes/${index} must be an object with an "id" and a "type"`;
    if (node.parameters !== undefined && !isPlainObject(node.parameters))
      return `/nodes/${index}/parameters must be an object`;
    if (ids.has(node.id)) return `two nodes have the id "${node.id}"`;
    ids.add(node.id);
  }
  if (connections === undefined) return null;
  if (!Array.isArray(connections)) return '"connections" must be a list';
  const wrong = connections.findIndex(
    (one) =>
      !isPlainObject(one) || typeof one.sourceNodeId !== 'string' || typeof one.targetNodeId !== 'string',
  );
  return wrong === -1 ? null : `/connections/${wrong} must have a "sourceNodeId" and a "targetNodeId"`;
};

/** Writes a value as the samples are written: what fits on a line stays on it. Ends with a line feed. */
export const writeDefinition = (definition: EditedDefinition): string => `${writeJson(definition, '', 0)}\n`;

/** @param used - characters on the line before and after the value */
const writeJson = (value: Json, indent: string, used: number): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = writeLine(value, LINE_WIDTH - indent.length - used);
  return line ?? writeLines(value, indent);
};

/** @returns null if it is longer than `room` */
const writeLine = (value: Json, room: number): string | null => {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    return text.length > room ? null : text;
  }
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = room - 2;
  for (const [key, item] of Object.entries(value)) {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    const text = writeLine(item, left - name.length);
    if (text === null) return null;
    parts.push(name + text);
    left -= name.length + text.length + 2;
  }
  const text = isList ? `[${parts.join(', ')}]` : parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  return text.length > room ? null : text;
};

const writeLines = (value: object, indent: string): string => {
  const isList = Array.isArray(value);
  const inner = indent + STEP;
  const lines = Object.entries(value).map(([key, item]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    return inner + name + writeJson(item, inner, name.length + 1);
  });
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
};

/**
 * Writes a changed definition into the text that it was made from: what did not change stays as it was typed, blanks included.
 *
 * @param text - JSON that says `from`
 */
export const rewriteDefinition = (text: string, from: EditedDefinition, to: EditedDefinition): string => {
  if (from === to) return text;
  const place = parseTree(text);
  if (place === undefined) return writeDefinition(to);
  const { offset, length } = place;
  return (
    text.slice(0, offset) +
    rewriteText({ text, place, from, to, indent: '', used: 0 }) +
    text.slice(offset + length)
  );
};

interface Change {
  readonly text: string;
  readonly place: Place;
  readonly from: Json;
  readonly to: Json;
  /** Blanks before the line that the value begins on. */
  readonly indent: string;
  readonly used: number;
}

/** A member or an item where the text has it. */
interface Part {
  readonly key: string;
  readonly value: Json;
  /** The value, and the whole with its name. */
  readonly place: Place;
  readonly whole: Place;
}

const sliceOf = (text: string, { offset, length }: Place): string => text.slice(offset, offset + length);

const rewriteText = (change: Change): string => {
  const { text, place, from, to, indent, used } = change;
  if (isSameJson(from, to)) return sliceOf(text, place);
  const isList = Array.isArray(to);
  const isSameKind = isList ? Array.isArray(from) : isPlainObject(from) && isPlainObject(to);
  if (!isSameKind || from === null || typeof from !== 'object') return writeJson(to, indent, used);
  const former = partsOfValue(place, from);
  const [first] = former;
  const entries = Object.entries(to as object);
  // Biome keeps an object on several lines if it begins with a line break, a list only if it is too long.
  const isOpen = first !== undefined && text.slice(place.offset, first.whole.offset).includes('\n');
  if (isList || !isOpen || entries.length === 0) {
    const line = writeLine(to, LINE_WIDTH - indent.length - used);
    if (line !== null) return line;
  }
  const inner = isOpen ? indentAt(text, first.whole.offset) : indent + STEP;
  const kept = matchParts(former, entries);
  const written = entries.map(([key, value], index) => {
    const part = kept[index] ?? null;
    const name = isList
      ? ''
      : part === null
        ? `${JSON.stringify(key)}: `
        : text.slice(part.whole.offset, part.place.offset);
    return (
      name +
      (part === null
        ? writeJson(value, inner, name.length + 1)
        : rewriteText({
            text,
            place: part.place,
            from: part.value,
            to: value,
            indent: inner,
            used: name.length + 1,
          }))
    );
  });
  const [open, close] = isList ? '[]' : '{}';
  const plain = `,\n${inner}`;
  let result = `${open}${isOpen ? text.slice(place.offset + 1, first.whole.offset) : `\n${inner}`}`;
  for (const [index, one] of written.entries()) {
    if (index > 0) result += isOpen ? gapBetween(text, former, kept[index - 1], kept[index], plain) : plain;
    result += one;
  }
  return `${result}\n${isOpen ? indentAt(text, place.offset + place.length - 1) : indent}${close}`;
};

/** What stands between two parts that were neighbours, and still are. */
const gapBetween = (
  text: string,
  former: readonly Part[],
  before: Part | null | undefined,
  after: Part | null | undefined,
  plain: string,
): string => {
  if (!before || !after || former[former.indexOf(before) + 1] !== after) return plain;
  return text.slice(before.whole.offset + before.whole.length, after.whole.offset);
};

/** The blanks that the line of a position begins with. */
const indentAt = (text: string, position: number): string => {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  let end = start;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return text.slice(start, end);
};

const partsOfValue = ({ children = [] }: Place, value: object): readonly Part[] => {
  if (Array.isArray(value))
    return children.map((place, index) => ({ key: String(index), value: value[index], place, whole: place }));
  // Of members with the same name, JSON.parse takes the last.
  const members = new Map<string, Part>();
  for (const whole of children) {
    const [name, place] = whole.children ?? [];
    if (name === undefined || place === undefined) continue;
    const key = String(name.value);
    members.delete(key);
    members.set(key, { key, value: (value as JsonMap)[key], place, whole });
  }
  return [...members.values()];
};

/** For each new entry the part that it was: members by name; items by their id, or else an equal one; each part once. */
const matchParts = (
  former: readonly Part[],
  entries: readonly (readonly [string, Json])[],
): readonly (Part | null)[] => {
  const isMember = former.some(({ place, whole }) => place !== whole);
  const left = Map.groupBy(former, ({ key, value }) => (isMember ? key : identifyItem(value)));
  const found = entries.map(
    ([key, value]) => left.get(isMember ? key : identifyItem(value))?.shift() ?? null,
  );
  if (isMember) return found;
  // An item that was changed in place has no equal.
  return found.map((part, index) => {
    const old = former[index];
    if (part !== null || old === undefined || former.length !== entries.length) return part;
    return found.includes(old) ? null : old;
  });
};

const identifyItem = (value: Json): string =>
  isPlainObject(value) && typeof value.id === 'string' ? `id ${value.id}` : JSON.stringify(value);
