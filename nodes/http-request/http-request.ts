import type { ActionProvider } from '@hookloom/plugin-kit';
import { requestCredentialTypes } from '../credential-types/request-types.ts';
import { properties } from './properties.ts';

const httpRequest: ActionProvider = {
  nodeType: 'httpRequest',
  displayName: 'HTTP request',
  description:
    'Calls a URL, within settings.timeoutSeconds, and outputs the answer. Private addresses are refused unless the service allows them',
  category: 'http',
  version: '1.0.0',
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
  credentialTypes: requestCredentialTypes,
  properties,
  checkParameters: async (given) => (await import('./executor.chunk.ts')).findParameterProblems(given),
  getExecutor: async () => (await import('./executor.chunk.ts')).httpRequestExecutor,
  healthCheck: async () => (await import('./executor.chunk.ts')).checkAddressGuard(),
};

export default httpRequest;
