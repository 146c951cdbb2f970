import { readFileSync, writeFileSync } from 'node:fs';
import { fillPlaces } from './cost/places.ts';
import { printDoctorPolicy } from './policy/doctor-policy.ts';
import { printPolicy, toPolicies } from './policy/policies.ts';

// Writes the policies for people, derived from serverless.yml, and the policy of `hookloom doctor` into the docs.

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const { author, operator, deployer } = toPolicies(read('serverless.yml'));
const fill = (page: string, texts: Readonly<Record<string, string>>): void =>
  writeFileSync(new URL(`../${page}`, import.meta.url), fillPlaces(read(page), texts));

fill('docs/operating.md', { 'author-policy': printPolicy(author), 'doctor-policy': printDoctorPolicy() });
fill('docs/deploying.md', {
  'operator-policy': printPolicy(operator),
  'deployer-policy': printPolicy(deployer),
});
