import { describe, expect, test } from '@jest/globals';
import { findFileName } from '../../../nodes/http-request/send.ts';

const nameOf = (disposition: string | null, url = 'https://a.example/files/r%C3%A9sum%C3%A9.pdf?x=/y') =>
  findFileName({ headers: disposition === null ? {} : { 'content-disposition': disposition }, url });

describe('the name of a downloaded file', () => {
  test.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment;FILENAME = "a \\"b\\"; c.pdf"', 'a "b"; c.pdf'],
    ['attachment; filename="e.pdf"; filename*=UTF-8\'\'%E2%82%AC.pdf', '€.pdf'],
    ["attachment; filename*=utf-8'en'%E2%82%AC.pdf", '€.pdf'],
    ["attachment; filename*=utf-8''%E2%82.pdf", '%E2%82.pdf'],
  ])('%s: %s', (disposition, name) => {
    expect(nameOf(disposition)).toBe(name);
  });

  test.each([null, '', 'inline', 'attachment; filename=""', 'attachment; filename="'])(
    'is the last part of the path without one: %j',
    (disposition) => {
      expect(nameOf(disposition)).toBe('résumé.pdf');
    },
  );

  test('may be empty', () => {
    expect(nameOf(null, 'https://a.example/')).toBe('');
  });
});
