import { expect, test } from '@jest/globals';
import { locateValues, parseJson, parseWorkflow } from '../parse-json.ts';

test.each([
  ['{\n  "id": "x",\n  oops\n}', '3:3: is not JSON: invalid symbol'],
  ['{\n  "id": ,\n}', '2:9: is not JSON: value expected'],
  ['{\n  "id": "a"\n  "b": 1}', '3:3: is not JSON: comma expected'],
  ['{\n  "id": "a\nb"\n}', '2:9: is not JSON: unexpected end of string'],
  ['{}\n🚀', '2:1: is not JSON: invalid symbol'],
  ['{\r\n  "id": 01', '2:10: is not JSON: comma expected'],
  ['{\n  "id": "x",\n', '3:1: is not JSON: property name expected'],
  ['[1,]', '1:4: is not JSON: value expected'],
  ['{} // comment', '1:4: is not JSON: invalid comment token'],
  ['\uFEFF{}', '1:1: is not JSON: invalid symbol'],
  ['', '1:1: is not JSON: value expected'],
  ['['.repeat(100_000), '1:1: is not JSON: Unexpected end of JSON input'],
])('names line and column where a text stops being JSON: %.20j', (text, message) => {
  expect(() => parseJson(text, 'w.json')).toThrow(new Error(`w.json:${message}`));
});

test("integers that a number can't hold keep their digits in data, and are numbers in a workflow, whose check reports them", () => {
  expect(parseJson('[8202522731445525542]', 'data.json')).toEqual(['8202522731445525542']);
  expect(parseWorkflow('[8202522731445525542]', 'w.json')).toEqual([8202522731445525542n].map(Number));
});

const text = `{
  "nodes": [
    { "id": "a" },
    { "0": { "a/b~c": [
        null ] } }
  ]
}`;

test.each([
  ['', '1:1'],
  ['/nodes', '2:12'],
  ['/nodes/0/id', '3:13'],
  ['/nodes/1/0/a~1b~0c/0', '5:9'],
])('the value at %j is at %s', (pointer, place) => {
  expect(locateValues(text)(pointer)).toBe(place);
});

test.each([
  ['/missing', '1:1'],
  ['/nodes/7/id', '2:12'],
  ['/nodes/length', '2:12'],
  ['/nodes/0/type', '3:5'],
  ['/nodes/0/id/deeper', '3:13'],
])('for the missing %j, the enclosing value is at %s', (pointer, place) => {
  expect(locateValues(text)(pointer)).toBe(place);
});

test('a value nested too deeply to search is reported at its start', () => {
  expect(locateValues('['.repeat(100_000) + ']'.repeat(100_000))('')).toBe('1:1');
});
