import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { isSyntaxNode, parseSource, type SyntaxNode } from './parse-source.ts';

/** Sources by path, relative to the root of the project. */
export type Sources = Readonly<Record<string, string>>;

/** One source file as its syntax tree has it: what it imports, and which names of the platform it uses. */
export interface SourceFile {
  readonly lines: number;
  /** Whether it declares one thing of a kind: what it exports is made by a call of `define…`. */
  readonly isDeclaration: boolean;
  /** Files of the project, types included. */
  readonly imports: readonly string[];
  /** Those that are loaded: without imports of types alone. */
  readonly loads: readonly string[];
  readonly packages: readonly string[];
  /** Free names and chains of members, such as `process.env`, `Date.now` or `new Date()`. */
  readonly uses: ReadonlySet<string>;
}

export type ImportGraph = ReadonlyMap<string, SourceFile>;

/** The top-level folders with sources of the project, other than its tests. */
export const sourceFolders = ['packages', 'nodes', 'lib', 'functions', 'resources', 'scripts'];

/** Reads the TypeScript files of some folders. */
export const readSources = (root: string, folders: readonly string[]): Sources =>
  Object.fromEntries(
    folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.[jt]sx?$/.test(name) && !name.endsWith('.d.ts'))
        .map((name) => {
          const file = join(folder, name);
          return [file, readFileSync(join(root, file), 'utf8')];
        }),
    ),
  );

export const readImportGraph = (sources: Sources): ImportGraph =>
  new Map(Object.entries(sources).map(([file, text]) => [file, readFile(file, text)]));

const readFile = (file: string, text: string): SourceFile => {
  const imports: string[] = [];
  const loads: string[] = [];
  const packages: string[] = [];
  const uses = new Set<string>();
  const addImport = (source: unknown, kind: unknown = 'value'): void => {
    const { value } = (source ?? {}) as { readonly value?: unknown };
    if (typeof value !== 'string') return;
    if (!value.startsWith('.')) {
      packages.push(value);
      return;
    }
    const target = normalize(join(dirname(file), value));
    imports.push(target);
    if (kind !== 'type') loads.push(target);
  };
  const work: SyntaxNode[] = [parseSource(file, text).program];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    switch (node.type) {
      case 'ImportDeclaration':
        addImport(node.source, node.importKind);
        break;
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        addImport(node.source);
        break;
      case 'ImportExpression':
      case 'TSImportType':
        addImport(node.source);
        break;
      case 'NewExpression':
        if ((node.arguments as unknown[]).length === 0) uses.add(`new ${nameOf(node.callee)}()`);
        break;
      default:
    }
    const name = nameOf(node);
    if (name !== '') uses.add(name);
    work.push(...childrenOf(node));
  }
  const lines = text.split('\n').length - 1;
  const isDeclaration = /^export (?:const \w+ =|default) define[A-Z]\w+\(/m.test(text);
  return { lines, isDeclaration, imports, loads, packages, uses };
};

/** `a` or `a.b`; nothing for what is not a name. */
const nameOf = (value: unknown): string => {
  const { type, name, object, property, computed } = value as SyntaxNode;
  if (type === 'Identifier') return String(name);
  if (type !== 'MemberExpression' || computed === true) return '';
  const [left, right] = [object as SyntaxNode, property as SyntaxNode];
  return left.type === 'Identifier' ? `${left.name}.${right.name}` : '';
};

/** Without names that are only declared or are keys: they stand for nothing outside of the file. */
export const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || isKey(node, key) || key === 'typeName' || key === 'exprName') continue;
    if (isSyntaxNode(value)) children.push(value);
    else if (Array.isArray(value)) children.push(...value.filter(isSyntaxNode));
  }
  return children;
};

const isKey = ({ type, computed }: SyntaxNode, key: string): boolean =>
  computed !== true &&
  ((key === 'property' && type === 'MemberExpression') ||
    (key === 'key' && /Property|Method|Signature/.test(type)));

/** Groups of files that import one another in a circle. Tarjan's algorithm. */
export const findCycles = (next: ReadonlyMap<string, Iterable<string>>): string[][] => {
  const cycles: string[][] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    lowest.set(node, index);
    open.push(node);
    for (const other of next.get(node) ?? []) {
      const reached = indexes.has(other) ? (open.includes(other) ? indexes.get(other) : null) : visit(other);
      lowest.set(node, Math.min(lowest.get(node) ?? index, reached ?? index));
    }
    if (lowest.get(node) === index) {
      const cycle = open.splice(open.indexOf(node)).sort();
      if (cycle.length > 1 || [...(next.get(node) ?? [])].includes(node)) cycles.push(cycle);
    }
    return lowest.get(node) ?? index;
  };
  for (const node of next.keys()) if (!indexes.has(node)) visit(node);
  return cycles;
};

/** The imports of every file by themselves, for `findCycles`. */
export const fileImports = (graph: ImportGraph): ReadonlyMap<string, readonly string[]> =>
  new Map([...graph].map(([file, { imports }]) => [file, imports]));

/** Pairs of folders of which each imports something of the other, with what is inside of them. */
export const findMutualFolders = (graph: ImportGraph): string[] => {
  const pairs = new Map<string, string>();
  for (const [file, { imports }] of graph) {
    for (const target of imports) {
      for (const [from, to] of folderPairs(file, target)) {
        pairs.set(`${from} -> ${to}`, `${file} -> ${target}`);
      }
    }
  }
  return [...pairs.keys()]
    .filter((pair) => {
      const [from = '', to = ''] = pair.split(' -> ');
      return from < to && pairs.has(`${to} -> ${from}`);
    })
    .map((pair) => {
      const [from = '', to = ''] = pair.split(' -> ');
      return `${from} <-> ${to}: ${pairs.get(pair)}, ${pairs.get(`${to} -> ${from}`)}`;
    });
};

/** Every folder of the one file with every folder of the other, but not a folder with what is inside of it, or itself. */
const folderPairs = (file: string, target: string): [string, string][] => {
  const [sources, targets] = [foldersOf(file), foldersOf(target)];
  // The innermost ones may be one inside of the other: they still are two.
  const inner: [string, string] = [dirname(file), dirname(target)];
  const pairs = sources.flatMap((from) =>
    targets
      .filter((to) => !isWithin(from, to) && !isWithin(to, from))
      .map((to): [string, string] => [from, to]),
  );
  return inner[0] === inner[1] ? pairs : [...pairs, inner];
};

const foldersOf = (file: string): string[] => {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
};

const isWithin = (folder: string, other: string): boolean => `${folder}/`.startsWith(`${other}/`);
