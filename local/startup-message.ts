import type { LocalServiceInfo } from '../cli/local/local-service.ts';
import type { SeededSample } from './samples/seed.ts';

/** The message of a started service: its address, commands to paste into another terminal, problems of the samples. */
export const startupMessage = (service: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly samples: readonly SeededSample[];
  /** An earlier service of this folder that is still running. */
  readonly first: LocalServiceInfo | null;
}): string => {
  const { baseUrl, apiKey, samples, first } = service;
  const names = samples.flatMap((sample) => ('isOther' in sample ? [sample.id] : []));
  const json = "-H 'content-type: application/json'";
  return `
Hookloom is running at ${baseUrl}, with the workflows ${names.join(', ')}. Paste these into another terminal:

  curl -s ${baseUrl}/api/webhook/hello/webhook ${json} -d '{"name":"Ada"}'
  curl -s ${baseUrl}/api/webhook/orders/orders -H 'x-api-key: ${apiKey}' ${json} -d '{"id":"A-1","total":120}'
  curl -s ${baseUrl}/api/webhook/approval/approval ${json} -d '{"what":"The party"}'
  curl -s ${baseUrl}/api/admin/plugins/health
  npm run -s cli -- execution list
${samples.map(describeSample).join('')}${first === null ? '' : describeFirst(first, baseUrl)}
Edit workflows/ or the code: the next request runs it. There is no IAM here: admin routes are open to programs on this machine. Press Ctrl+C to stop.
`;
};

const describeSample = (sample: SeededSample): string => {
  if ('problem' in sample) return `\nworkflows/${sample.name} was not stored:\n${sample.problem}`;
  const lines = sample.warnings.map((warning) => `\nworkflows/${sample.name}: ${warning}`);
  if (sample.isOther) {
    lines.push(`\nThe stored version of ${sample.id} differs from its file in workflows/ and is kept.`);
  }
  return lines.join('');
};

const describeFirst = ({ baseUrl, pid }: LocalServiceInfo, own: string): string => `
The command line uses the service that was started first, at ${baseUrl} (process ${pid}).
For this one: HOOKLOOM_PORT=${new URL(own).port} npm run -s cli -- …
`;
