import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findErrors } from '@hookloom/bounded-schema';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SAMPLE, readBodySchema } from '../src/views/editor/start/body-schema.ts';
import { MAX_CURL, readCurl } from '../src/views/editor/start/curl-command.ts';
import { splitShellWords } from '../src/views/editor/start/shell-words.ts';
import { findTemplates, toTemplate } from '../src/views/editor/start/templates.ts';

const parametersOf = (text: string) => readCurl(text).parameters;

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

describe('a shell command', () => {
  test.each([
    [`a 'b c' "d \\"e\\" $f" g\\ h`, ['a', 'b c', 'd "e" $f', 'g h']],
    ["a \\\n  b\\\r\n -c''", ['a', 'b', '-c']],
    [`x $'it\\'s\\n\\x41\\u00e9\\101\\q'`, ['x', "it's\nAéA\\q"]],
    [`"a\\nb" ''`, ['a\\nb', '']],
    ['\n\n  a b\nc d', ['a', 'b']],
    ['a "\\$b \\`c\\\\ \\d" e#f # g', ['a', '$b `c\\ \\d', 'e#f']],
    ['time a <b c 2>&1 >d e && f', ['a', 'c', 'e']],
    ['A=b a c', ['a', 'c']],
    ['for a in b; do c; done', []],
    ["a 'b\\\r\nc'", ['a', 'b\\\nc']],
  ])('%j has the words of a POSIX shell', (text, words) => {
    expect(splitShellWords(text).words).toEqual(words);
  });

  test('names what a shell would replace, but not within single quotes', () => {
    expect(splitShellWords('a "$TOKEN" $(date) \'$NOT\' `id` | jq')).toEqual({
      words: ['a', '$TOKEN', '$(date)', '$NOT', '`id`'],
      unresolved: ['$TOKEN', '$(', '`'],
      hasMore: true,
    });
  });

  test.each(["a 'b", 'a "b', "a $'b", "a $'b\\"])('%j has an open quote', (text) => {
    expect(() => splitShellWords(text)).toThrow('is not closed');
  });

  test.each([
    [`a $1 \${b} "\${c:-d}"`, ['$1', `\${b}`, `\${c…}`]],
    ['a $((1+2)) <(b) {c,d}', ['$((', '<(', '{']],
    ["a '$b' \\$c $", []],
  ])('%s: a shell would replace %j', (text, unresolved) => {
    expect(splitShellWords(text).unresolved).toEqual(unresolved);
  });

  test.each([['a `b'], ['a $(b'], [`a \${b`]])('%s is not closed', (text) => {
    expect(() => splitShellWords(text)).toThrow('is not closed');
  });

  test('what is wrong behind the command does not matter', () => {
    expect(splitShellWords("a b\nc 'd")).toEqual({ words: ['a', 'b'], unresolved: [], hasMore: true });
  });

  test.each(['$(', '"$(', '`', '${', '${a:-', '(', '{a,', "'", '"', '[[ ', '<<a\n', 'a;', '\\'])(
    'a hundred thousand characters of %j are read or refused',
    (unit) => {
      try {
        splitShellWords(`curl ${unit.repeat(Math.floor(MAX_CURL / unit.length))}`);
      } catch (error) {
        expect(error).not.toBeInstanceOf(RangeError);
      }
    },
  );

  test('gets back every word that was quoted', () => {
    const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      // The parser reads the line ends of Windows as those of Unix.
      fc.property(
        fc.array(fc.string({ unit: anyUnit }).map((word) => word.replaceAll('\r\n', '\n'))),
        (words) => {
          expect(splitShellWords(words.map(quote).join(' ')).words).toEqual(words);
        },
      ),
    );
  });
});

describe('a curl command', () => {
  test.each([
    ['curl https://a.example', { url: 'https://a.example' }],
    [
      "curl -sSLX put 'https://a.example/b?x=1&x=2&y=a%20b#top' -H 'X-Kind: b' -H 'Accept: */*'",
      {
        method: 'PUT',
        url: 'https://a.example/b',
        headers: { 'X-Kind': 'b' },
        query: { x: ['1', '2'], y: 'a b' },
      },
    ],
    [
      `curl a.example -H 'content-type: application/json' --data-raw '{"a":[1,"b"]}'`,
      { method: 'POST', url: 'http://a.example', body: { a: [1, 'b'] } },
    ],
    [
      `curl a.example --json '{"a":12345678901234567890}'`,
      {
        method: 'POST',
        url: 'http://a.example',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{"a":12345678901234567890}',
        bodyType: 'text',
      },
    ],
    [
      "curl a.example -d a=1 -d 'b=x+y' --data-urlencode 'c=d & e'",
      { method: 'POST', url: 'http://a.example', body: { a: '1', b: 'x y', c: 'd & e' }, bodyType: 'form' },
    ],
    [
      "curl -F a=1 -F 'b=c;type=text/plain' a.example -H 'content-type: multipart/form-data; boundary=x'",
      { method: 'POST', url: 'http://a.example', body: { a: '1', b: 'c' }, bodyType: 'multipart' },
    ],
    ['curl -G a.example -d q=x', { url: 'http://a.example', query: { q: 'x' } }],
    ['curl -I a.example', { method: 'HEAD', url: 'http://a.example' }],
    [
      "curl a.example -H 'content-type: text/csv' -d 'a,b'",
      {
        method: 'POST',
        url: 'http://a.example',
        headers: { 'content-type': 'text/csv' },
        body: 'a,b',
        bodyType: 'text',
      },
    ],
  ])('%s becomes a request', (text, parameters) => {
    expect(parametersOf(text)).toEqual(parameters);
  });

  test.each([
    ["curl https://a.example:8443/x -H 'Authorization: Bearer s3cr3t'", 'httpBearer'],
    ['curl https://a.example:8443/x --oauth2-bearer s3cr3t', 'httpBearer'],
    ['curl https://a.example:8443/x -u me:s3cr3t', 'httpBasic'],
    ["curl https://a.example:8443/x -H 'authorization: Basic s3cr3t'", 'httpBasic'],
    ['curl https://me:s3cr3t@a.example:8443/x', 'httpBasic'],
    ["curl https://a.example:8443/x -H 'X-Api-Key: s3cr3t'", 'httpHeader'],
    ["curl https://a.example:8443/x -H 'authorization: s3cr3t'", 'httpHeader'],
    ["curl https://a.example:8443/x -b 'sid=s3cr3t'", 'httpHeader'],
    ["curl 'https://a.example:8443/x?access_token=s3cr3t'", 'httpQuery'],
  ])('%s names a credential in place of its secret', (text, type) => {
    const request = readCurl(text);
    expect(request.credential).toEqual({ id: 'a-example', type });
    expect(request.parameters.url).toBe('https://a.example:8443/x');
    expect(JSON.stringify(request)).not.toContain('s3cr3t');
  });

  test.each([
    `--json '{"user":"me","deep":[{"password":"s3cr3t"}]}'`,
    '-d user=me -d client_secret=s3cr3t',
    '-F token=s3cr3t',
    "-H 'content-type: text/plain' -d 'password s3cr3t'",
    "-u a:b -H 'x-auth-token: s3cr3t'",
    "-x http://me:s3cr3t@proxy.example --proxy-header 'a: s3cr3t' --unknown",
  ])('leaves the secret of %s out, and says so', (options) => {
    const request = readCurl(`curl a.example ${options}`);
    expect(JSON.stringify(request)).not.toContain('s3cr3t');
    expect(request.notes).not.toEqual([]);
  });

  test('says what the node does not do as the command did', () => {
    const text = `curl -k a.example "b.example?v=$V" -m 2.5 -d @file -d '{"a": "{{ x }}"}' | jq`;
    const { notes, timeoutSeconds } = readCurl(text);
    expect(timeoutSeconds).toBe(3);
    expect(notes).toEqual([
      'The command has several URLs: the node calls the first.',
      'The content of a file is left out of the body.',
      'curl would send this JSON as a form; the node sends it as application/json.',
      'The option --insecure is left out.',
      'The shell would replace $V: check where it stands.',
      'What stands in {{ }} becomes an expression.',
      'What follows the command is left out.',
    ]);
  });

  test.each([
    ['a.example > b', 'What the shell redirects is left out.'],
    ["a.example -d @- <<< 'b'", 'What the shell redirects is left out.'],
    ['a.example --next b.example -X PUT', 'What follows --next is left out.'],
    ['a.example -: b.example', 'What follows --next is left out.'],
    ['a.example -H @b', 'Headers of a file are left out.'],
    ["a.example -H 'X-Kind;'", 'A header without a value is left out.'],
    ["a.example -H 'Host: b.example'", 'The header "host" is left out: the node sends the host of the URL.'],
    [
      "a.example -F 'b=c;type=text/csv'",
      'Only the value of the field "b" is sent, without type and file name.',
    ],
    [
      "'a.example/{b,c}'",
      'curl would call each URL of the pattern in { } or [ ]; the node calls it as it stands.',
    ],
    [
      "'a.example/[1-3]'",
      'curl would call each URL of the pattern in { } or [ ]; the node calls it as it stands.',
    ],
    ['--proto =https a.example', 'The option --proto is left out.'],
    ['-P - --expand-url b a.example', 'The option --ftp-port is left out.'],
  ])('%s: says that this is not imported', (rest, note) => {
    const { notes, parameters } = readCurl(`curl ${rest}`);
    expect(notes).toContain(note);
    expect(parameters).not.toMatchObject({ method: 'PUT' });
    expect(parameters.url).toMatch(/^http:\/\/a\.example/);
  });

  test('variables that the shell sets are left out, and said', () => {
    expect(readCurl('A=s3cr3t curl a.example').notes).toEqual([
      'Variables that are set for the command are left out.',
    ]);
  });

  test.each([
    ["-g 'a.example/[1-3]'"],
    ["'http://[::1]:80/{{ x }}'"],
    ["a.example/b -H 'Host: a.example' -H 'Expect:' -H 'accept-encoding: gzip'"],
    ["-F 'a=b;c' a.example"],
  ])('%s: says nothing of a pattern, host, field or header', (rest) => {
    expect(readCurl(`curl ${rest}`).notes.filter((note) => !/globoff|\{\{/.test(note))).toEqual([]);
  });

  test.each([
    ['wget a', 'must begin with "curl"'],
    ['for a in b; do curl $a; done', 'must begin with "curl"'],
    ['curl -s', 'has no URL'],
    ['curl a.example -X', '-X has no value'],
    ['curl ftp://a.example', 'http or https'],
    ["curl 'http://'", 'has no host'],
    ['curl -F a a.example', 'name=value'],
    [`curl a --json '${'['.repeat(200)}${']'.repeat(200)}'`, 'nested deeper'],
    [`curl ${'a'.repeat(MAX_CURL)}`, 'is longer than'],
  ])('%.30s is refused', (text, problem) => {
    expect(() => readCurl(text)).toThrow(problem);
  });
});

describe('the schema of a sample', () => {
  test('has types and members, requires what every object has, and guesses no formats', () => {
    const schema = readBodySchema(
      '{"id":"2026-01-01","n":1,"no":null,"none":[],"items":[{"a":1,"b":"x"},{"a":null}],"__proto__":true}',
    );
    expect(schema).toEqual(
      JSON.parse(`{
        "type": "object",
        "properties": {
          "id": { "type": "string" },
          "n": { "type": "number" },
          "no": {},
          "none": { "type": "array" },
          "items": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": { "a": { "type": ["number", "null"] }, "b": { "type": "string" } },
              "required": ["a"]
            }
          },
          "__proto__": { "type": "boolean" }
        },
        "required": ["id", "n", "no", "none", "items", "__proto__"]
      }`),
    );
  });

  test('takes the sample that it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(findErrors(readBodySchema(JSON.stringify(value)), JSON.parse(JSON.stringify(value)))).toEqual(
          [],
        );
      }),
    );
  });

  test.each([
    ['{', 'JSON'],
    [`${'['.repeat(200)}1${']'.repeat(200)}`, 'nested deeper'],
    [`"${'x'.repeat(MAX_SAMPLE)}"`, 'is longer than'],
    [JSON.stringify(Object.fromEntries([...Array(9_000).keys()].map((key) => [key, 1]))), 'shorter sample'],
  ])('%.10s is refused', (text, problem) => {
    expect(() => readBodySchema(text)).toThrow(problem);
  });
});

describe('templates', () => {
  const folder = join(import.meta.dirname, '../../../workflows');
  const templates = readdirSync(folder)
    .filter((file) => file !== 'workflow.schema.json')
    .map((file) => toTemplate(JSON.parse(readFileSync(join(folder, file), 'utf8'))));

  test('are all samples, each with what it shows', () => {
    for (const template of templates) expect(template?.description).toMatch(/\w/);
  });

  test('name what a workflow needs', () => {
    const template = toTemplate({
      $schema: './x.json',
      id: 'w',
      nodes: [
        {
          id: 'a',
          type: 'httpRequest',
          credentialId: 'key',
          parameters: { url: 'https://a.example:1/{{ x }}' },
        },
        { id: 'b', type: 'set', parameters: { values: { x: '{{ $vars.region & $vars.region }}' } } },
      ],
    });
    expect(template).toMatchObject({
      name: 'w',
      nodeTypes: ['httpRequest', 'set'],
      needs: { credentials: ['key'], variables: ['region'], hosts: ['a.example:1'] },
    });
    expect(template?.definition).not.toHaveProperty('$schema');
    expect(toTemplate({ id: 'w' })).toBeNull();
  });

  test('are found by all words of a search', () => {
    const found = findTemplates(
      templates.filter((template) => template !== null),
      'llm  TICKET',
    );
    expect(found.map(({ id }) => id)).toEqual(['sort-ticket']);
  });
});
