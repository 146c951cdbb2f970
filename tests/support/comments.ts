import { TextRange, TSDocParser } from '@microsoft/tsdoc';
import type { Sources } from './import-graph.ts';
import { type Comment, isSyntaxNode, parseSource, type SyntaxNode } from './parse-source.ts';

/** Words of a story. A comment says what a thing is, then why. */
const storyWords = /\b(?:somebody|nobody|whoever|who|tells|told|hears|came to)\b/i;

const docParser = new TSDocParser();

/** Faults of the comments in some files, each as `file:line: text`. */
export const findCommentFaults = (sources: Sources): string[] =>
  Object.entries(sources).flatMap(([file, text]) =>
    checkFile(file, text).map(({ line, fault }) => `${file}:${line}: ${fault}`),
  );

interface Fault {
  readonly line: number;
  readonly fault: string;
}

const checkFile = (file: string, text: string): Fault[] => {
  const { program, comments } = parseSource(file, text);
  const nodes = findOutermost(program);
  return comments.flatMap((comment) => {
    const line = text.slice(0, comment.start).split('\n').length;
    const isDoc = comment.type === 'Block' && comment.value.startsWith('*');
    return [
      ...checkWords(comment, line),
      ...(isDoc ? checkDoc(text, comment, line, findDocumented(text, comment, nodes)) : []),
    ];
  });
};

const checkWords = ({ value }: Comment, start: number): Fault[] =>
  value.split('\n').flatMap((row, index) => {
    const line = start + index;
    const word = storyWords.exec(row)?.[0];
    return [
      ...(word === undefined ? [] : [{ line, fault: `"${word}" belongs to a story` }]),
      ...(row.includes('Rejects with') ? [{ line, fault: '"Rejects with" is @throws in TSDoc' }] : []),
    ];
  });

const checkDoc = (text: string, comment: Comment, start: number, node: SyntaxNode | null): Fault[] => {
  const { docComment, log } = docParser.parseRange(
    TextRange.fromStringRange(text, comment.start, comment.end),
  );
  const names = node === null ? [] : parameterNames(node);
  return [
    ...log.messages.map(({ textRange, messageId, unformattedText }) => ({
      line: textRange.getLocation(textRange.pos).line,
      fault: `${messageId}: ${unformattedText}`,
    })),
    ...docComment.params.blocks
      .filter(({ parameterName }) => !names.includes(parameterName))
      .map(({ parameterName }) => ({
        line: start,
        fault: `@param ${parameterName} is not in the signature (${names.join(', ')})`,
      })),
  ];
};

/** The outermost syntax node at each offset where one begins. */
const findOutermost = (program: SyntaxNode): ReadonlyMap<number, SyntaxNode> => {
  const outermost = new Map<number, SyntaxNode>();
  for (const node of nodesOf(program)) {
    if (node !== program && !outermost.has(node.start)) outermost.set(node.start, node);
  }
  return outermost;
};

/** The syntax node that stands behind a comment; null if another comment or nothing does. */
const findDocumented = (
  text: string,
  { end }: Comment,
  nodes: ReadonlyMap<number, SyntaxNode>,
): SyntaxNode | null => nodes.get(text.length - text.slice(end).trimStart().length) ?? null;

/** A node and all within it, breadth first. */
function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const queue = [root];
  for (const node of queue) {
    yield node;
    for (const key in node) {
      const value = node[key];
      if (typeof value !== 'object') continue;
      if (isSyntaxNode(value)) queue.push(value);
      else if (Array.isArray(value)) queue.push(...value.filter(isSyntaxNode));
    }
  }
}

/** Parameters of the first function in a declaration; of a destructured one the names that it takes. */
const parameterNames = (declaration: SyntaxNode): string[] => {
  for (const { params, parameters } of nodesOf(declaration)) {
    const list = params ?? parameters;
    if (Array.isArray(list)) return list.flatMap(namesOf);
  }
  return [];
};

const namesOf = (parameter: SyntaxNode): string[] => {
  switch (parameter.type) {
    case 'Identifier':
      return [String(parameter.name)];
    case 'ObjectPattern':
      return (parameter.properties as SyntaxNode[]).flatMap(({ key, argument }) =>
        namesOf((key ?? argument) as SyntaxNode),
      );
    case 'AssignmentPattern':
      return namesOf(parameter.left as SyntaxNode);
    case 'RestElement':
      return namesOf(parameter.argument as SyntaxNode);
    case 'TSParameterProperty':
      return namesOf(parameter.parameter as SyntaxNode);
    default:
      return [];
  }
};
