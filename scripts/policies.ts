import { readProjectFile, updatePages } from './cost/places.ts';
import { printPolicy, toPolicies } from './policy/policies.ts';

// Writes the policies for people, derived from serverless.yml, and the policy of `hookloom doctor` into the docs. With a name and
// values of placeholders, prints that policy, ready to paste: `author STAGE=production REGION=eu-central-1`.

const policies = toPolicies(readProjectFile('serverless.yml'));
const [name, ...values] = process.argv.slice(2);

/** @param text - with placeholders */
const replace = (text: string): string =>
  values.reduce((known, value) => {
    const [, placeholder = '', replacement = ''] =
      /^(STAGE|REGION|ACCOUNT|API_ID)=([\w.-]+)$/.exec(value) ?? [];
    if (placeholder === '') throw new Error(`${value} is not STAGE=…, REGION=…, ACCOUNT=… or API_ID=…`);
    return known.replaceAll(new RegExp(`\\b${placeholder}\\b`, 'g'), replacement);
  }, text);

if (name === undefined) {
  const { doctor, ...others } = policies;
  const texts = Object.entries(others).map(([key, policy]) => [`${key}-policy`, printPolicy(policy)]);
  updatePages(
    {
      'docs/operating.md': { 'doctor-policy': printPolicy(doctor) },
      'docs/deploying.md': Object.fromEntries(texts),
    },
    'docs:policy',
  );
} else if (Object.hasOwn(policies, name))
  process.stdout.write(`${replace(JSON.stringify(policies[name as keyof typeof policies], null, 2))}\n`);
else throw new Error(`There is no policy ${name}: use ${Object.keys(policies).join(', ')}`);
