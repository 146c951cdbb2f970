import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describeApi, routes } from '../../lib/app/describe-api.ts';
import { readServiceFile } from '../../packages/local/functions/service-file.ts';
import { projectRoot } from '../support/run-command.ts';

describe('the routes of the admin API', () => {
  test('that are declared are those of serverless.yml', () => {
    const deployed = readServiceFile(projectRoot, {}).routes.map(({ event }) => event);
    const ofAdmin = deployed.filter((event) => event.includes('/api/admin/'));
    expect(routes.map(({ route }) => route.route).sort()).toEqual(ofAdmin.sort());
  });

  test('are described by a valid OpenAPI 3.1 document', async () => {
    const { openapi, paths } = describeApi();
    expect(openapi).toMatch(/^3\.1\./);
    expect(Object.keys(paths as object)).toContain('/api/admin/workflows/{workflowId}');
    expect(await new Validator().validate(JSON.parse(JSON.stringify(describeApi())))).toEqual({
      valid: true,
    });
  });
});
