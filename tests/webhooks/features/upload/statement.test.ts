import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkWebhookRules } from '../../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';
import { anUploadService, csv, uploadRule } from '../../../support/an-upload-service.ts';

describe('the statement about the file', () => {
  test.each<[string, JsonValue, string]>([
    ['no object', [csv], 'the body must be a JSON object'],
    ['another key', { ...csv, $file: 'a' }, 'it may only have name, mediaType, size, sha256'],
    ['a path as the name', { ...csv, name: '../a.csv' }, 'name must be'],
    ['a name that is too long', { ...csv, name: 'a'.repeat(256) }, 'name must be'],
    ['no media type', { ...csv, mediaType: 'csv' }, 'mediaType must be a media type'],
    ['a line break', { ...csv, mediaType: 'text/csv\r\nx: y' }, 'mediaType must be a media type'],
    ['another media type', { ...csv, mediaType: 'text/html' }, 'mediaType must be one of text/csv, image/*'],
    ['none, where not all are taken', { size: 1, sha256: csv.sha256 }, 'mediaType must be one of text/csv'],
    ['no hash', { name: 'a', mediaType: 'text/csv', size: 1 }, 'sha256 must be'],
    [
      'a hash in base64',
      { ...csv, sha256: Buffer.from(csv.sha256, 'hex').toString('base64') },
      'sha256 must be',
    ],
    ['no size', { ...csv, size: '5' }, 'size must be'],
    ['half a byte', { ...csv, size: 0.5 }, 'size must be'],
    ['less than nothing', { ...csv, size: -1 }, 'size must be'],
  ])('with %s is a 400 that says so', async (_case, statement, reason) => {
    const service = await anUploadService();
    const refused = await service.request(statement);
    expect(refused).toEqual(aProblem(400, 'upload-invalid'));
    expect(bodyOf(refused).detail).toContain(reason);
  });

  test.each<[string, JsonObject, number]>([
    ['as large as may be', { size: 1_000 }, 201],
    ['larger', { size: 1_001 }, 413],
    ['of any image type', { mediaType: 'image/png' }, 201],
    ['with parameters of its type', { mediaType: 'Text/CSV; charset=utf-8' }, 201],
    ['empty', { size: 0 }, 201],
  ])('%s is %j: %i', async (_case, changes, status) => {
    const service = await anUploadService();
    expect((await service.request({ ...csv, ...changes })).statusCode).toBe(status);
  });

  test('may have only size and hash where all types are accepted', async () => {
    const service = await anUploadService({ upload: { maxBytes: 2_000_000 } });
    const { name: _name, mediaType: _type, ...least } = csv;
    expect((await service.request(least)).statusCode).toBe(201);
    const tooLarge = await service.request({ ...least, size: 1_000_001 }); // for the store
    expect(tooLarge).toEqual(aProblem(413, 'file-too-large'));
  });
});

describe('when the workflow is stored', () => {
  const findProblems = (parameters: JsonObject) => {
    const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
    return checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
  };

  test.each<[string, JsonObject, RegExp]>([
    ['no POST', { method: 'GET' }, /needs the method POST/],
    ['no POST among several', { methods: ['GET', 'PUT'] }, /needs the method POST/],
    ['a schema', { schema: { type: 'object' } }, /combined with schema/],
    ['a kind of body', { body: { type: 'xml' } }, /combined with body/],
  ])('with %s it is refused', async (_case, parameters, message) => {
    expect(await findProblems({ upload: uploadRule, ...parameters })).toContainEqual({
      path: '/nodes/0/parameters/upload',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, JsonValue]>([
    ['no limit', {}],
    ['more than S3 takes at once', { maxBytes: 5 * 1024 ** 3 + 1 }],
    ['a type in capitals', { maxBytes: 1, mediaTypes: ['Text/CSV'] }],
    ['any type', { maxBytes: 1, mediaTypes: ['*/*'] }],
    ['no types', { maxBytes: 1, mediaTypes: [] }],
    ['another key', { maxBytes: 1, minBytes: 1 }],
  ])('%s is refused', async (_case, upload) => {
    expect(await findProblems({ upload })).not.toEqual([]);
  });
});
