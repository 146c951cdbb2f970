import { readFileSync, writeFileSync } from 'node:fs';
import { fillPlaces } from './cost/places.ts';
import { printDoctorPolicy } from './policy/doctor-policy.ts';

// Writes the policy of `hookloom doctor` into the page.

const page = new URL('../docs/operating.md', import.meta.url);
writeFileSync(page, fillPlaces(readFileSync(page, 'utf8'), { 'doctor-policy': printDoctorPolicy() }));
