import { describe, expect, test } from '@jest/globals';
import { nameParameters } from '../../../nodes/postgres/statements.ts';

describe('a placeholder', () => {
  test.each([
    ['SELECT $1', 'SELECT :p1'],
    ['$1,$2 , $10', ':p1,:p2 , :p10'],
    ['a = $1 AND b = $1', 'a = :p1 AND b = :p1'],
    ['$1::int[]', ':p1::int[]'],
    ['f($1)', 'f(:p1)'],
    ["'a'$1", "'a':p1"],
    ["'it''s' || $1", "'it''s' || :p1"],
    ["'a\\' || $1", "'a\\' || :p1"],
    ["E'a\\'b' || $1", "E'a\\'b' || :p1"],
    ["E'a''b' || $1", "E'a''b' || :p1"],
    ['-- $1\n$2', '-- $1\n:p2'],
    ['/* $1 /* $2 */ $3 */ $4', '/* $1 /* $2 */ $3 */ :p4'],
    ['$$ $1 $$ $2', '$$ $1 $$ :p2'],
    ['$a$ $$ $1 $a$ $2', '$a$ $$ $1 $a$ :p2'],
    ['a - $1 / $2', 'a - :p1 / :p2'],
    ['$1$', ':p1$'],
  ])('is named in %j', (sql, named) => {
    expect(nameParameters(sql)).toBe(named);
  });

  test.each([
    "'$1'",
    '"$1"',
    "E'\\'$1'",
    "'a''$1'",
    '-- $1',
    '/* $1',
    '$$ $1',
    '$tag$ $1 $other$',
    'a$1',
    'ü$1',
    '$x',
    '',
  ])('is not recognised in %j', (sql) => {
    expect(nameParameters(sql)).toBe(sql);
  });
});

test('a long statement is read in one pass', () => {
  const sql = `${'/*'.repeat(20_000)}${'$'.repeat(20_000)}${"'".repeat(20_001)}$1`;
  expect(nameParameters(sql)).toBe(sql);
});
