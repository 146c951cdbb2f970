import { parseJson as parseExactly } from '@hookloom/plugin-kit';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { CommandError } from './command-error.ts';

/**
 * Parses data: integers that a number can't hold keep their digits, as strings.
 *
 * @throws CommandError with the place where the text stops being JSON (RFC 8259)
 */
export const parseJson = (text: string, name: string): unknown => parseWith(parseExactly, text, name);

/** Parses a workflow, whose check reports such integers. @throws CommandError as `parseJson` */
export const parseWorkflow = (text: string, name: string): unknown => parseWith(JSON.parse, text, name);

const parseWith = (parse: (text: string) => unknown, text: string, name: string): unknown => {
  try {
    return parse(text);
  } catch (cause) {
    const [error] = readTree(text).errors;
    const reason = error === undefined ? (cause as Error).message : toWords(printParseErrorCode(error.error));
    throw new CommandError(`${name}:${toLineAndColumn(error?.offset ?? 0, text)}: is not JSON: ${reason}`);
  }
};

/**
 * The places of the values in a JSON text.
 *
 * @returns a function from a JSON pointer (RFC 6901) to `line:column` of its value, or of the nearest one around it
 */
export const locateValues = (text: string): ((pointer: string) => string) => {
  const { root } = readTree(text);
  return (pointer) => toLineAndColumn(root === undefined ? 0 : findNode(root, pointer).offset, text);
};

interface Tree {
  /** Root of the syntax tree; absent when the text is nested too deeply for a recursive parser. */
  readonly root?: Node | undefined;
  readonly errors: readonly ParseError[];
}

const readTree = (text: string): Tree => {
  const errors: ParseError[] = [];
  try {
    return { root: parseTree(text, errors, { disallowComments: true }), errors };
  } catch (error) {
    if (error instanceof RangeError) return { errors };
    throw error;
  }
};

const findNode = (root: Node, pointer: string): Node => {
  let node = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const child = findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key]);
    if (child === undefined) break;
    node = child;
  }
  return node;
};

/** Converts an error code to words: `CommaExpected` to `comma expected`. */
const toWords = (code: string): string => code.replace(/\B[A-Z]/g, ' $&').toLowerCase();

/** Converts an offset to `line:column`, as editors understand it. */
const toLineAndColumn = (offset: number, text: string): string => {
  const before = text.slice(0, offset);
  return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
};
