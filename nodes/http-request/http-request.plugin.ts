import { definePlugin, type PluginHandle } from '@hookloom/plugin-kit';
import { requestCredentialTypes } from '../credential-types/request-types.ts';
import { findParameterProblems } from './check-parameters.ts';
import { checkAddressGuard, execute } from './execute.ts';
import { schema } from './properties.ts';

export const httpRequest: PluginHandle = {
  id: 'httpRequest',
  name: 'HTTP request',
  description:
    'Calls a URL, within settings.timeoutSeconds, and outputs the answer. Private addresses are refused unless the service allows them',
  kind: 'action',
  schema,
  credentialTypes: requestCredentialTypes,
  checkParameters: findParameterProblems,
  example: {
    parameters: { method: 'POST', url: 'https://api.example.com/orders', body: { total: '{{ total }}' } },
    input: { total: 120 },
    output: {
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: { id: 'A-1' },
      url: 'https://api.example.com/orders',
    },
  },
  execute,
};

const { id, name, description } = httpRequest;

export default definePlugin({
  id,
  name,
  version: '1.0.0',
  description,
  category: 'http',
  handles: [httpRequest],
  healthCheck: checkAddressGuard,
});
