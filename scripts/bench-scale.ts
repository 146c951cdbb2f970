import { benchHotKeys, benchPages } from './bench/units/scale.ts';

/** The numbers of workflows given on the command line, as in `npm run bench:scale -- 10 100 1000 10000`. */
const given = process.argv.slice(2).map(Number);
await benchPages(given.length > 0 ? given : [10, 100, 1_000]);
await benchHotKeys();
console.log(`
Counted by a proxy in front of the embedded DynamoDB, by AWS's rules. WU and RU: write and read units. A partition takes 1,000 WU and
3,000 RU a second, and no key more than a partition; a new table or index 4,000 WU and 12,000 RU.`);
