import { readFileSync, writeFileSync } from 'node:fs';
import { fillPlaces } from './cost/places.ts';
import { printAuthorPolicy } from './policy/author-policy.ts';

// Writes the policy of those that put workflows into the page, from the statements of serverless.yml.

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const PAGE = 'docs/operating.md';
const filled = fillPlaces(read(PAGE), { 'author-policy': printAuthorPolicy(read('serverless.yml')) });
writeFileSync(new URL(`../${PAGE}`, import.meta.url), filled);
