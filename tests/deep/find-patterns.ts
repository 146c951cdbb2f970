import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import { transformSync } from 'esbuild';

/** A regular expression in the sources. */
export interface FoundPattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

export interface Patterns {
  readonly literals: readonly FoundPattern[];
  /** Files that make patterns of texts, which can't be checked here. */
  readonly madeIn: readonly string[];
}

const root = resolve(import.meta.dirname, '../..');

/** Every regular expression literal in TypeScript sources, and every place that makes one of a text. */
export const findPatterns = (folders: readonly string[]): Patterns => {
  const literals: FoundPattern[] = [];
  const madeIn = new Set<string>();
  for (const file of folders.flatMap(sourceFiles)) {
    const { code } = transformSync(readFileSync(join(root, file), 'utf8'), {
      loader: 'ts',
      target: 'esnext',
    });
    simple(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), {
      Literal: ({ regex }) => {
        if (regex) literals.push({ file, source: regex.pattern, flags: regex.flags });
      },
      NewExpression: ({ callee }) => {
        if (callee.type === 'Identifier' && callee.name === 'RegExp') madeIn.add(file);
      },
      CallExpression: ({ callee }) => {
        if (callee.type === 'Identifier' && callee.name === 'RegExp') madeIn.add(file);
      },
    });
  }
  return { literals, madeIn: [...madeIn] };
};

const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('/tests/'))
    .map((name) => join(folder, name));
