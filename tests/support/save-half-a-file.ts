import { createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createFolderBlobStreams } from '../../lib/adapters/blobs/folder-blob-streams.ts';
import { createS3BlobStreams } from '../../lib/adapters/blobs/s3-blob-streams.ts';

// A process that prints `half` in the middle of a blob, and then waits to be killed.

/** A folder, or the origin of an S3. */
const [, , place = ''] = process.argv;

const streams = place.startsWith('http')
  ? createS3BlobStreams(
      createAwsCaller({
        service: 's3',
        region: 'eu-west-1',
        endpoint: place,
        readCredentials: () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
      }),
    )
  : createFolderBlobStreams(place);

const half = async function* () {
  for (let megabyte = 0; megabyte < 10; megabyte++) yield Buffer.alloc(1_000_000, 1);
  process.stdout.write('half\n');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
};

await streams.putStream('executions/e-1/files/save/0.1', half());
