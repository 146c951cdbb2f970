import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { ordersApiKey } from '../../cli/local/local-service.ts';
import { openSampleStores } from '../samples/sample-stores.ts';
import { seedSamples } from '../samples/seed.ts';
import { orders } from '../samples/systems.ts';

// Stores the samples in a stage, with the permissions of the account's owner. The argument is the stage's name.

const [stage = ''] = process.argv.slice(2);
const { AWS_REGION: region = '' } = process.env;
const callS3 = createAwsCaller({ service: 's3', region, endpoint: null, bucket: 'imports' });
const { status } = await callS3({ method: 'PUT', path: '/orders.csv', body: orders });
if (status !== 200) process.stdout.write(`s3://imports/orders.csv was not stored: ${status}\n`);
const target = openSampleStores({ tablePrefix: `hookloom-${stage}` });
const samples = await seedSamples(target, ordersApiKey());
for (const sample of samples) {
  if ('problem' in sample)
    process.stdout.write(`workflows/${sample.name} was not stored: ${sample.problem}\n`);
}
